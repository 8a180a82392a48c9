"""cake: common applications kept enhanced.

pyroute2's plug-in, with two things mended: flow_mode="flowblind" (0, and taken for unknown), and a
`target` of a twentieth of `rtt` unless given, as `tc` has it (the kernel would keep 5 ms).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_cake as upstream

from labkit.qdiscs.qdisc import Qdisc, no, plugin
from labkit.qdiscs.readers import bit_rate, choice, count, flag, flag_or, integer, size, us

_DIFFSERV = ("besteffort", "precedence", "diffserv8", "diffserv4", "diffserv3")
_FLOWS = (
    "flowblind",
    "srchost",
    "dsthost",
    "hosts",
    "flows",
    "dual-srchost",
    "dual-dsthost",
    "triple-isolate",
)
TINS = {3: ("bulk", "best effort", "voice"), 4: ("bulk", "best effort", "video", "voice"), 1: (), 8: ()}
"""How many tins there can be, and their names as `tc` prints them; the others have numbers."""
TIN_STATS = 10  # TCA_CAKE_STATS_TIN_STATS: where the xstats hold them
TIN_COUNTERS = {
    "backlog_bytes": (11, "<u4"),
    "sent_packets": (2, "<u4"),
    "sent_bytes": (3, "<u8"),
    "drops": (4, "<u4"),
    "marks": (8, "<u4"),
}
"""Column of the table `classes` -> TCA_CAKE_TIN_STATS_* and its type. Packets and bytes "sent" are those let
in."""


def tin_name(number: int, of: int) -> str:
    """The tin at a place, from 0, of so many in the order of the kernel's dump."""
    names = TINS.get(of, ())
    return names[number] if names else f"tin {number}"


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
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


QDISC = Qdisc(
    "cake",
    plugin(upstream.options, _parameters, upstream),
    limit="bytes",
    limit_key="memlimit",
    options={
        "limit": ("memlimit", size),
        "memlimit": size,
        "bandwidth": bit_rate,
        "autorate_ingress": ("autorate", flag),
        "rtt": us,
        "target": us,
        "diffserv": ("diffserv_mode", choice(*_DIFFSERV)),
        "isolation": ("flow_mode", choice(*_FLOWS)),
        "nat": flag,
        "wash": flag,
        "split_gso": flag,
        "ack_filter": flag_or("aggressive"),
        "atm": ("atm_mode", flag_or("ptm")),
        "overhead": integer,
        "mpu": count,
        "ingress": flag,
        "raw": flag,
        "fwmark": count,
    },
    aliases=no("nat", "wash", "atm")
    | {"no_split_gso": ("split_gso", False), "no_ack_filter": ("ack_filter", False)}
    | {"ack_filter_aggressive": ("ack_filter", "aggressive"), "ptm": ("atm", "ptm")}
    | {name: ("diffserv", name) for name in _DIFFSERV}
    | {name.replace("-", "_"): ("isolation", name) for name in _FLOWS if name != "flows"},
)
