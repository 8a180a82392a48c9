"""
hhf
+++

Heavy-hitter filter in the form of a pyroute2 tc plug-in. `limit` in packets, `quantum` and
`admit_bytes` in bytes, `hh_limit` in flows, `reset_timeout` and `evict_timeout` in microseconds,
`non_hh_weight`.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla
from pyroute2.netlink.rtnl import TC_H_ROOT

from labkit.netlink.quantities import attributes

parent = TC_H_ROOT

NAMES = {
    "limit": "TCA_HHF_BACKLOG_LIMIT",
    "quantum": "TCA_HHF_QUANTUM",
    "hh_limit": "TCA_HHF_HH_FLOWS_LIMIT",
    "reset_timeout": "TCA_HHF_RESET_TIMEOUT",
    "admit_bytes": "TCA_HHF_ADMIT_BYTES",
    "evict_timeout": "TCA_HHF_EVICT_TIMEOUT",
    "non_hh_weight": "TCA_HHF_NON_HH_WEIGHT",
}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given."""
    return attributes(kwarg, NAMES)


class options(nla):  # noqa: N801 - pyroute2 names it so
    """TCA_HHF_* (include/uapi/linux/pkt_sched.h)."""

    nla_flags = NLA_F_NESTED
    nla_map = (("TCA_HHF_UNSPEC", "none"), *((name, "uint32") for name in NAMES.values()))
