"""
codel
+++++

pyroute2's codel with the names of `tc` (and no warning about other names): `limit` in packets, `target`,
`interval` and `ce_threshold` in microseconds, `ecn`.
"""

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_codel as upstream

from labkit.netlink.quantities import attributes

parent = TC_H_ROOT
options = upstream.options
stats = upstream.stats
stats2 = upstream.stats2

NAMES = {name: f"TCA_CODEL_{name.upper()}" for name in ("limit", "target", "interval", "ecn", "ce_threshold")}


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any] | None:
    """TCA_OPTIONS with what is given."""
    return attributes(kwarg, NAMES)
