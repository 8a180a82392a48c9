"""
fq
++

Fair queueing with pacing, in the form of a pyroute2 tc plug-in. `limit` and `flow_limit` in packets,
`quantum` and `initial_quantum` in bytes, `maxrate` and `low_rate_threshold` in bit/s, `refill_delay`,
`ce_threshold` and `horizon` in microseconds, `timer_slack` in nanoseconds, `buckets` (a power of two),
`orphan_mask`, `pacing`, `horizon_drop`.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import U32_MAX, attributes

parent = TC_H_ROOT

NAMES = {
    "limit": "TCA_FQ_PLIMIT",
    "flow_limit": "TCA_FQ_FLOW_PLIMIT",
    "quantum": "TCA_FQ_QUANTUM",
    "initial_quantum": "TCA_FQ_INITIAL_QUANTUM",
    "pacing": "TCA_FQ_RATE_ENABLE",
    "refill_delay": "TCA_FQ_FLOW_REFILL_DELAY",
    "orphan_mask": "TCA_FQ_ORPHAN_MASK",
    "ce_threshold": "TCA_FQ_CE_THRESHOLD",
    "timer_slack": "TCA_FQ_TIMER_SLACK",
    "horizon": "TCA_FQ_HORIZON",
    "horizon_drop": "TCA_FQ_HORIZON_DROP",
}
_RATES = {"maxrate": "TCA_FQ_FLOW_MAX_RATE", "low_rate_threshold": "TCA_FQ_LOW_RATE_THRESHOLD"}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given; rates are capped at 2^32 - 1 bytes/s, which means no limit."""
    attrs = [*(attributes(kwarg, NAMES) or {"attrs": []})["attrs"]]
    for key, name in _RATES.items():
        if kwarg.get(key) is not None:
            attrs.append([name, min(int(kwarg[key]) // 8, U32_MAX)])
    if kwarg.get("buckets") is not None:
        buckets = int(kwarg["buckets"])
        if buckets < 2 or buckets & (buckets - 1):
            raise ValueError(f"fq: buckets={buckets}: write a power of two")
        attrs.append(["TCA_FQ_BUCKETS_LOG", buckets.bit_length() - 1])
    return {"attrs": attrs} if attrs else None


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_FQ_* (include/uapi/linux/pkt_sched.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (
        ("TCA_FQ_UNSPEC", "none"),
        ("TCA_FQ_PLIMIT", "uint32"),
        ("TCA_FQ_FLOW_PLIMIT", "uint32"),
        ("TCA_FQ_QUANTUM", "uint32"),
        ("TCA_FQ_INITIAL_QUANTUM", "uint32"),
        ("TCA_FQ_RATE_ENABLE", "uint32"),
        ("TCA_FQ_FLOW_DEFAULT_RATE", "uint32"),
        ("TCA_FQ_FLOW_MAX_RATE", "uint32"),
        ("TCA_FQ_BUCKETS_LOG", "uint32"),
        ("TCA_FQ_FLOW_REFILL_DELAY", "uint32"),
        ("TCA_FQ_ORPHAN_MASK", "uint32"),
        ("TCA_FQ_LOW_RATE_THRESHOLD", "uint32"),
        ("TCA_FQ_CE_THRESHOLD", "uint32"),
        ("TCA_FQ_TIMER_SLACK", "uint32"),
        ("TCA_FQ_HORIZON", "uint32"),
        ("TCA_FQ_HORIZON_DROP", "uint8"),
        ("TCA_FQ_PRIOMAP", "hex"),
        ("TCA_FQ_WEIGHTS", "hex"),
    )
