"""choke: RED that also drops packets of the flow that a new one meets in the queue.

pyroute2's plug-in has no thresholds by name, looks at the compiling machine's clock rate, and sends the
table not as bytes. `min`, `max` and `burst` in packets, `avpkt` in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_choke as upstream

from labkit.netlink.quantities import byte_rate
from labkit.qdiscs import red_math
from labkit.qdiscs.qdisc import Qdisc, no, plugin
from labkit.qdiscs.readers import bit_rate, chance, flag, packets, size


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    limit, avpkt = int(kwarg["limit"]), int(kwarg.get("avpkt", 1000))
    qmax = int(kwarg.get("max") or limit // 4)
    qmin = int(kwarg.get("min") or qmax // 3)
    burst = int(kwarg.get("burst") or (2 * qmin + qmax) // 3)
    if qmax > limit:
        raise ValueError(f"choke: max={qmax}: must not exceed limit={limit}")
    byte_s = byte_rate(kwarg.get("bandwidth") or 10**7)
    red = red_math.evaluate(qmin, qmax, burst, avpkt, kwarg.get("probability", 0.02), byte_s, avpkt)
    parms = {name: getattr(red, name) for name in ("qth_min", "qth_max", "Wlog", "Plog", "Scell_log")}
    flags = red_math.ECN if kwarg.get("ecn") else 0
    return {
        "attrs": [
            ["TCA_CHOKE_PARMS", {"limit": limit, "flags": flags, **parms}],
            ["TCA_CHOKE_STAB", red.stab],
            ["TCA_CHOKE_MAX_P", red.max_P],
        ]
    }


_UPSTREAM = upstream.options.nla_map
_LAYOUT = type(
    "options",
    (upstream.options,),
    {"nla_map": (*_UPSTREAM[:2], ("TCA_CHOKE_STAB", "binary"), _UPSTREAM[3])},
)

QDISC = Qdisc(
    "choke",
    plugin(_LAYOUT, _parameters, upstream),
    limit="packets",
    required=True,
    options={
        "limit": packets,
        "bandwidth": bit_rate,
        "min": packets,
        "max": packets,
        "burst": packets,
        "avpkt": size,
        "probability": chance,
        "ecn": flag,
    },
    aliases=no("ecn"),
    marks=12,
    early=True,
)
