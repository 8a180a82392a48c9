"""Netlink messages as bytes, without a socket: what pyroute2 0.9.7 cannot make yet, and what it makes wrong.

Importing this package registers its tc plug-ins with pyroute2, for every user of it in this process. Bytes
come out of pyroute2's IPBatch, or faster and always the same out of `message`.
"""

from __future__ import annotations

from pyroute2.netlink.rtnl.tcmsg import common_act, plugins

from labkit.netlink import gact, netem, tbf

plugins.update({"netem": netem, "tbf": tbf})
common_act.plugins["gact"] = gact
