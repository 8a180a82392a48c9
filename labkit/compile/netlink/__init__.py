"""Netlink messages that pyroute2 0.9.7 cannot make yet, and its tc plug-ins put right.

Importing this package registers the plug-ins with pyroute2, for every user of it in this process.
Bytes come out of pyroute2's IPBatch, or faster and always the same out of `message`.
"""

from __future__ import annotations

from pyroute2.netlink.rtnl.tcmsg import common_act
from pyroute2.netlink.rtnl.tcmsg import plugins as _plugins

from labkit.compile.netlink import (
    act_gact,
    sched_cake,
    sched_choke,
    sched_codel,
    sched_ets,
    sched_fifo,
    sched_fq,
    sched_fq_codel,
    sched_fq_pie,
    sched_hhf,
    sched_netem,
    sched_pie,
    sched_prio,
    sched_red,
    sched_sfb,
    sched_sfq,
    sched_tbf,
)

PLUGINS = {
    "bfifo": sched_fifo,
    "cake": sched_cake,
    "choke": sched_choke,
    "codel": sched_codel,
    "ets": sched_ets,
    "fq": sched_fq,
    "fq_codel": sched_fq_codel,
    "fq_pie": sched_fq_pie,
    "hhf": sched_hhf,
    "netem": sched_netem,
    "pfifo": sched_fifo,
    "pie": sched_pie,
    "prio": sched_prio,
    "red": sched_red,
    "sfb": sched_sfb,
    "sfq": sched_sfq,
    "tbf": sched_tbf,
}
_plugins.update(PLUGINS)
common_act.plugins["gact"] = act_gact

from labkit.compile.netlink.leaf import leaf_qdisc  # noqa: E402 - after the plug-ins it reads
from labkit.compile.netlink.message import decode_tc, dump_qdiscs, tc  # noqa: E402
from labkit.compile.netlink.nft import drop_every_nth, drop_packets  # noqa: E402
from labkit.compile.netlink.redirect import add_redirect, redirect, remove_redirect  # noqa: E402
from labkit.compile.netlink.veth import End, set_up, veth  # noqa: E402

__all__ = [
    "PLUGINS",
    "End",
    "add_redirect",
    "decode_tc",
    "drop_every_nth",
    "drop_packets",
    "dump_qdiscs",
    "leaf_qdisc",
    "redirect",
    "remove_redirect",
    "set_up",
    "tc",
    "veth",
]
