"""
cake
++++

pyroute2's cake, with two things mended: flow_mode="flowblind" (0, and taken for unknown), and a
`target` of a twentieth of `rtt` unless given, as `tc` has it (the kernel would keep 5 ms).
`bandwidth` in bit/s, `rtt` and `target` in microseconds, `memlimit` in bytes; see pyroute2 for the rest.
"""

from __future__ import annotations

from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_cake as upstream

stats2 = upstream.stats2
options = upstream.options
fix_request = upstream.fix_request


def get_parameters(kwarg: dict[str, Any]) -> dict[str, Any]:
    """The whole of TCA_OPTIONS. Raises ValueError."""
    given = dict(kwarg)
    blind = given.get("flow_mode") == "flowblind"
    if blind:
        del given["flow_mode"]
    if isinstance(given.get("rtt"), int) and given.get("target") is None:
        given["target"] = max(given["rtt"] // 20, 1)
    parameters = dict(upstream.get_parameters(given))
    if blind:
        parameters["attrs"].append(["TCA_CAKE_FLOW_MODE", upstream.CAKE_FLOW_NONE])
    return parameters
