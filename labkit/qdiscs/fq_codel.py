"""
fq_codel
++++++++

pyroute2's fq_codel with the names of `tc`, and the two newest attributes. `limit` and `drop_batch` in
packets, `target`, `interval` and `ce_threshold` in microseconds, `quantum` and `memory_limit` in
bytes, `flows`, `ecn`.
"""

# mypy: disallow-subclassing-any=False

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_fq_codel as upstream

from labkit.netlink.quantities import attributes

parent = TC_H_ROOT
stats = upstream.stats
stats2 = upstream.stats2

NAMES = {
    name: f"TCA_FQ_CODEL_{name.upper()}"
    for name in ("limit", "flows", "quantum", "ecn", "target", "interval", "ce_threshold", "memory_limit")
} | {"drop_batch": "TCA_FQ_CODEL_DROP_BATCH_SIZE"}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given."""
    return attributes(kwarg, NAMES)


class options(upstream.options):  # noqa: N801 - pyroute2 names it so
    """TCA_FQ_CODEL_* (include/uapi/linux/pkt_sched.h)."""

    nla_map = (
        *upstream.options.nla_map,
        ("TCA_FQ_CODEL_CE_THRESHOLD_SELECTOR", "uint8"),
        ("TCA_FQ_CODEL_CE_THRESHOLD_MASK", "uint8"),
    )
