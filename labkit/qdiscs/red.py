"""
red
+++

Random early detection in the form of a pyroute2 tc plug-in; pyroute2 0.9.7 has none. `limit`, `min`,
`max`, `avpkt` in bytes, `burst` in packets, `bandwidth` in bit/s (the link's, for the decay of the
average while idle), `probability` from 0 to 1, flags `ecn`, `harddrop`, `adaptive`, `nodrop`::

    ip.tc("add", "red", index, limit=400_000, min=30_000, max=90_000, avpkt=1000, bandwidth=10**7)

Only `limit` is required: max is a quarter of it, min a third of that, burst (2 min + max) / (3 avpkt).
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg.common import stats2 as common_stats2

from labkit.netlink.quantities import byte_rate
from labkit.qdiscs import red_math

parent = TC_H_ROOT

FLAGS = {
    "ecn": red_math.ECN,
    "harddrop": red_math.HARDDROP,
    "adaptive": red_math.ADAPTIVE,
    "nodrop": red_math.NODROP,
}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    if not kwarg.get("limit"):
        raise ValueError("red: give limit (bytes)")
    limit, avpkt = int(kwarg["limit"]), int(kwarg.get("avpkt", 1000))
    qmax = int(kwarg.get("max") or limit // 4)
    qmin = int(kwarg.get("min") or qmax // 3)
    burst = int(kwarg.get("burst") or (2 * qmin + qmax) // (3 * avpkt))
    if qmax > limit:
        raise ValueError(f"red: max={qmax}: must not exceed limit={limit}")
    byte_s = byte_rate(kwarg.get("bandwidth") or 10**7)
    red = red_math.evaluate(qmin, qmax, burst, avpkt, kwarg.get("probability", 0.02), byte_s)
    flags = sum(bit for name, bit in FLAGS.items() if kwarg.get(name))
    selector = sum(FLAGS.values())
    parms = {name: getattr(red, name) for name in ("qth_min", "qth_max", "Wlog", "Plog", "Scell_log")}
    return {
        "attrs": [
            ["TCA_RED_PARMS", {"limit": limit, "flags": 0, **parms}],
            ["TCA_RED_STAB", red.stab],
            ["TCA_RED_MAX_P", red.max_P],
            ["TCA_RED_FLAGS", {"bits": flags, "selector": selector}],
        ]
    }


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_RED_* (include/uapi/linux/pkt_sched.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (
        ("TCA_RED_UNSPEC", "none"),
        ("TCA_RED_PARMS", "qopt"),
        ("TCA_RED_STAB", "binary"),
        ("TCA_RED_MAX_P", "uint32"),
        ("TCA_RED_FLAGS", "red_flags"),
        ("TCA_RED_EARLY_DROP_BLOCK", "uint32"),
        ("TCA_RED_MARK_BLOCK", "uint32"),
    )

    class qopt(nla):  # noqa: N801
        """struct tc_red_qopt."""

        fields = (
            ("limit", "I"),
            ("qth_min", "I"),
            ("qth_max", "I"),
            ("Wlog", "B"),
            ("Plog", "B"),
            ("Scell_log", "B"),
            ("flags", "B"),
        )

    class red_flags(nla):  # noqa: N801
        """struct nla_bitfield32."""

        fields = (("bits", "I"), ("selector", "I"))


class stats(nla):  # noqa: N801
    """struct tc_red_xstats."""

    fields = (("early", "I"), ("pdrop", "I"), ("other", "I"), ("marked", "I"))


class stats2(common_stats2):  # noqa: N801
    """TCA_STATS2 with struct tc_red_xstats."""

    class stats_app(stats):  # noqa: N801
        """Early, forced and other drops, and marks."""
