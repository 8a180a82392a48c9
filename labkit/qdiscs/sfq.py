"""sfq: stochastic fairness queueing.

pyroute2 0.9.7 always sends the old, short struct, so that depth, headdrop and everything of RED are lost on
the way. `limit`, `depth` and `burst` in packets, `quantum`, `redflowlimit`, `min`, `max`, `avpkt` in bytes.
RED is on when `redflowlimit` is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_sfq as upstream

from labkit.qdiscs import red, red_math
from labkit.qdiscs.qdisc import Qdisc, no, plugin
from labkit.qdiscs.readers import count, flag, packets, size, whole_s

_RED_BYTE_S = 10**6  # only the idle table would need the rate, and sfq sends none


def _red(kwarg: Mapping[str, Any]) -> dict[str, int]:
    limit, avpkt = int(kwarg["redflowlimit"]), int(kwarg.get("avpkt", 1000))
    qmax = int(kwarg.get("max") or limit // 4)
    qmin = int(kwarg.get("min") or qmax // 3)
    burst = int(kwarg.get("burst") or (2 * qmin + qmax) // (3 * avpkt))
    if qmax > limit:
        raise ValueError(f"sfq: max={qmax}: must not exceed redflowlimit={limit}")
    red = red_math.evaluate(qmin, qmax, burst, avpkt, kwarg.get("probability", 0.02), _RED_BYTE_S)
    names = ("qth_min", "qth_max", "Wlog", "Plog", "max_P")
    return {"limit_v1": limit} | {name: getattr(red, name) for name in names}


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, int]:
    """struct tc_sfq_qopt_v1; 0 keeps the kernel's default. Raises ValueError."""
    flags = red_math.ECN if kwarg.get("ecn") else 0
    flags |= red_math.HARDDROP if kwarg.get("harddrop") else 0
    return {
        "quantum": int(kwarg.get("quantum", 0)),
        "perturb_period": int(kwarg.get("perturb", 0)),
        "limit_v0": int(kwarg.get("limit", 0)),
        "divisor": int(kwarg.get("divisor", 0)),
        "flows": int(kwarg.get("flows", 0)),
        "depth": int(kwarg.get("depth", 0)),
        "headdrop": int(bool(kwarg.get("headdrop", False))),
        "flags": flags,
        **(_red(kwarg) if kwarg.get("redflowlimit") else {}),
    }


QDISC = Qdisc(
    "sfq",
    plugin(upstream.options_sfq_v1, _parameters),
    limit="packets",
    options=red.OPTIONS
    | {
        "limit": packets,
        "perturb": whole_s,
        "quantum": size,
        "divisor": count,
        "flows": count,
        "depth": packets,
        "headdrop": flag,
        "redflowlimit": size,
    },
    aliases=no("ecn"),
)
