"""
pie
+++

Proportional integral controller enhanced (RFC 8033) in the form of a pyroute2 tc plug-in. `limit` in
packets, `target` and `tupdate` in microseconds, `alpha` and `beta` from 0 to 32 (sixteenths),
`ecn`, `bytemode`, `dq_rate_estimator`.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import attributes

parent = TC_H_ROOT

NAMES = {
    name: f"TCA_PIE_{name.upper()}"
    for name in ("target", "limit", "tupdate", "alpha", "beta", "ecn", "bytemode", "dq_rate_estimator")
}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given."""
    return attributes(kwarg, NAMES)


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_PIE_* (include/uapi/linux/pkt_sched.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (("TCA_PIE_UNSPEC", "none"), *((name, "uint32") for name in NAMES.values()))
