"""
fq_pie
++++++

PIE with a queue per flow, in the form of a pyroute2 tc plug-in. As `pie`, and `flows`, `quantum` (bytes),
`memory_limit` (bytes), `ecn_prob` (percent: where marking turns into dropping).
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import attributes

parent = TC_H_ROOT

NAMES = {
    name: f"TCA_FQ_PIE_{name.upper()}"
    for name in (
        "limit",
        "flows",
        "target",
        "tupdate",
        "alpha",
        "beta",
        "quantum",
        "memory_limit",
        "ecn_prob",
        "ecn",
        "bytemode",
        "dq_rate_estimator",
    )
}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given."""
    return attributes(kwarg, NAMES)


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_FQ_PIE_* (include/uapi/linux/pkt_sched.h); the kernel insists on the nested flag."""

    nla_flags = NLA_F_NESTED
    nla_map = (("TCA_FQ_PIE_UNSPEC", "none"), *((name, "uint32") for name in NAMES.values()))
