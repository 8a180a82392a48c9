"""fq_codel: CoDel with a queue per flow (RFC 8290). pyroute2's plug-in lacks the two newest attributes."""

from __future__ import annotations

from pyroute2.netlink.rtnl.tcmsg import sched_fq_codel as upstream

from labkit.qdiscs import codel
from labkit.qdiscs.qdisc import Column, Qdisc, named, no, table
from labkit.qdiscs.readers import count, packets, size

_NAMES = named("TCA_FQ_CODEL", "limit flows quantum ecn target interval ce_threshold memory_limit")
_MORE = (("TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR", "uint8"), ("TCA_FQ_CODEL_CE_THRESHOLD_MASK", "uint8"))
_LAYOUT = type("options", (upstream.options,), {"nla_map": (*upstream.options.nla_map, *_MORE)})

QDISC = Qdisc(
    "fq_codel",
    table(_NAMES | {"drop_batch": "TCA_FQ_CODEL_DROP_BATCH_SIZE"}, _LAYOUT, upstream),
    limit="packets",
    options=codel.OPTIONS | {"flows": count, "quantum": size, "memory_limit": size, "drop_batch": packets},
    aliases=no("ecn"),
    marks=12,
    columns={
        "new_flows": Column(20, "fq_codel: flows served before all others now"),
        "old_flows": Column(24, "fq_codel: flows that take turns now"),
    },
)
