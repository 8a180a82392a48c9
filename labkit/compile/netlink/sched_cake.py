"""
cake
++++

pyroute2's cake; only flow_mode="flowblind" is mended (0, and taken for unknown). `bandwidth` in bit/s,
`rtt` and `target` in microseconds, `memlimit` in bytes; see pyroute2 for the rest.
"""

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_cake as upstream

stats2 = upstream.stats2
options = upstream.options
fix_request = upstream.fix_request


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    if kwarg.get("flow_mode") != "flowblind":
        return dict(upstream.get_parameters(kwarg))
    parameters = dict(upstream.get_parameters({**kwarg, "flow_mode": None}))
    parameters["attrs"].append(["TCA_CAKE_FLOW_MODE", upstream.CAKE_FLOW_NONE])
    return parameters
