"""Queueing disciplines, one file each: what a user may say of one, and the message that makes it."""

from __future__ import annotations

from pyroute2.netlink.rtnl.tcmsg import plugins

from labkit import netlink as _netlink  # noqa: F401  its plug-ins are wanted as well
from labkit.qdiscs import (
    cake,
    choke,
    codel,
    ets,
    fifo,
    fq,
    fq_codel,
    fq_pie,
    hhf,
    pie,
    prio,
    red,
    sfb,
    sfq,
)

PLUGINS = {
    "bfifo": fifo,
    "cake": cake,
    "choke": choke,
    "codel": codel,
    "ets": ets,
    "fq": fq,
    "fq_codel": fq_codel,
    "fq_pie": fq_pie,
    "hhf": hhf,
    "pfifo": fifo,
    "pie": pie,
    "prio": prio,
    "red": red,
    "sfb": sfb,
    "sfq": sfq,
}
plugins.update(PLUGINS)
