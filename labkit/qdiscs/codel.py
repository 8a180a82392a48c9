"""codel: controlled delay (RFC 8289). pyroute2's plug-in warns of names that `tc` has."""

from __future__ import annotations

from pyroute2.netlink.rtnl.tcmsg import sched_codel as upstream

from labkit.qdiscs.qdisc import Column, Qdisc, named, no, table
from labkit.qdiscs.readers import flag, packets, us

OPTIONS = {"limit": packets, "target": us, "interval": us, "ecn": flag, "ce_threshold": us}
DELAY = "s in the queue of the packet that left last (pie, codel)"
NEXT = "codel: s until the next drop, at most 0.001 ms off; negative: it was due that long ago"

QDISC = Qdisc(
    "codel",
    table(named("TCA_CODEL", "limit target interval ecn ce_threshold"), upstream.options, upstream),
    limit="packets",
    options=OPTIONS,
    aliases=no("ecn"),
    marks=24,
    columns={
        "count": Column(
            4, "codel: drops (or marks) since it began to drop, and what it took over from the time before"
        ),
        "dropping": Column(28, "codel: it is dropping"),
        "next_drop_s": Column(16, NEXT, "<i4", 1e-6),
        "delay_s": Column(12, DELAY, unit=1e-6),
    },
)
