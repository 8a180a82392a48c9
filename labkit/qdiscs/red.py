"""red: random early detection; pyroute2 0.9.7 has none.

`limit`, `min`, `max`, `avpkt` in bytes, `burst` in packets, `bandwidth` the link's, for the decay of the
average while idle. Only `limit` is required: max is a quarter of it, min a third of that, burst
(2 min + max) / (3 avpkt).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pyroute2.netlink.rtnl.tcmsg.common import stats2 as common_stats2

from labkit.netlink.quantities import byte_rate
from labkit.qdiscs import red_math
from labkit.qdiscs.qdisc import Column, Qdisc, nested, no, plugin, struct
from labkit.qdiscs.readers import bit_rate, chance, flag, packets, size

_FLAGS = {
    "ecn": red_math.ECN,
    "harddrop": red_math.HARDDROP,
    "adaptive": red_math.ADAPTIVE,
    "nodrop": red_math.NODROP,
}
OPTIONS = {
    "min": size,
    "max": size,
    "avpkt": size,
    "burst": packets,
    "probability": chance,
    "ecn": flag,
    "harddrop": flag,
}


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    limit, avpkt = int(kwarg["limit"]), int(kwarg.get("avpkt", 1000))
    qmax = int(kwarg.get("max") or limit // 4)
    qmin = int(kwarg.get("min") or qmax // 3)
    burst = int(kwarg.get("burst") or (2 * qmin + qmax) // (3 * avpkt))
    if qmax > limit:
        raise ValueError(f"red: max={qmax}: must not exceed limit={limit}")
    if kwarg.get("nodrop") and not kwarg.get("ecn"):
        raise ValueError("red: nodrop marks in place of dropping: write ecn=True as well")
    byte_s = byte_rate(kwarg.get("bandwidth") or 10**7)
    red = red_math.evaluate(qmin, qmax, burst, avpkt, kwarg.get("probability", 0.02), byte_s)
    flags = sum(bit for name, bit in _FLAGS.items() if kwarg.get(name))
    parms = {name: getattr(red, name) for name in ("qth_min", "qth_max", "Wlog", "Plog", "Scell_log")}
    return {
        "attrs": [
            ["TCA_RED_PARMS", {"limit": limit, "flags": 0, **parms}],
            ["TCA_RED_STAB", red.stab],
            ["TCA_RED_MAX_P", red.max_P],
            ["TCA_RED_FLAGS", {"bits": flags, "selector": sum(_FLAGS.values())}],
        ]
    }


_BYTES = tuple((name, "B") for name in ("Wlog", "Plog", "Scell_log", "flags"))
_LAYOUT = nested(
    (
        ("TCA_RED_PARMS", "qopt"),
        ("TCA_RED_STAB", "binary"),
        ("TCA_RED_MAX_P", "uint32"),
        ("TCA_RED_FLAGS", "bitfield32"),
        ("TCA_RED_EARLY_DROP_BLOCK", "uint32"),
        ("TCA_RED_MARK_BLOCK", "uint32"),
    ),
    qopt=struct("qopt", ("limit", "I"), ("qth_min", "I"), ("qth_max", "I"), *_BYTES),
    bitfield32=struct("bitfield32", ("bits", "I"), ("selector", "I")),
)
_XSTATS = struct("stats", ("early", "I"), ("pdrop", "I"), ("other", "I"), ("marked", "I"))
_READ = SimpleNamespace(stats=_XSTATS, stats2=type("stats2", (common_stats2,), {"stats_app": _XSTATS}))

QDISC = Qdisc(
    "red",
    plugin(_LAYOUT, _parameters, _READ),
    limit="bytes",
    required=True,
    options=OPTIONS
    | {
        "limit": size,
        "bandwidth": bit_rate,
        "adaptive": flag,
        "adaptative": ("adaptive", flag),
        "nodrop": flag,
    },
    aliases=no("ecn"),
    marks=12,
    columns={
        "early_drops": Column(0, "red: packets dropped by chance so far"),
        "forced_drops": Column(4, "red: packets dropped so far for want of room"),
    },
    early=True,
)
