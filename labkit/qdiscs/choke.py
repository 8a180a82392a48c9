"""
choke
+++++

pyroute2's choke, with thresholds by name and no look at the compiling machine's clock rate. `limit`,
`min`, `max` and `burst` in packets, `avpkt` in bytes, `bandwidth` in bit/s, `probability` from 0 to 1.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_choke as upstream

from labkit.netlink.quantities import byte_rate
from labkit.qdiscs import red_math

parent = TC_H_ROOT
stats = upstream.stats
stats2 = upstream.stats2


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    if not kwarg.get("limit"):
        raise ValueError("choke: give limit (packets)")
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


class options(upstream.options):  # noqa: N801 - pyroute2 names it so
    """TCA_CHOKE_*, with the table as bytes."""

    nla_map = (*upstream.options.nla_map[:2], ("TCA_CHOKE_STAB", "binary"), upstream.options.nla_map[3])
