"""htb: hierarchical token bucket. Each class has its rate for sure and may borrow up to its ceil.

    10: -> 10:ffff, which lends -> 10:1, 10:2, ...

Only children of one class lend each other what they do not use, so there is one above all. It holds nothing
back itself (twice the link's rate), as the link's own bucket does. What several may borrow is shared by
quanta: in proportion to their rates unless given, the smallest a frame. pyroute2's plug-in computes buckets
from the compiling machine's clock rate; here a bucket holds a frame and what a late timer misses, as on a
link.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_htb as upstream

from labkit.netlink.message import tc
from labkit.netlink.quantities import U32_MAX, byte_rate, ticks
from labkit.qdiscs.classful import Classful, Share, Tree
from labkit.qdiscs.qdisc import Qdisc, nested, struct

_VERSION, _R2Q = 3, 10
_LENDER = 0xFFFF
_LINKLAYER_ETHERNET = 1
_LARGEST_QUANTUM = 200_000  # bytes; where the kernel ends by itself
_NS = 10**9


def _ratespec(kind: str) -> tuple[tuple[str, str], ...]:
    fields = (("cell_log", "B"), ("linklayer", "B"), ("overhead", "H"), ("cell_align", "h"), ("mpu", "H"))
    return (*((f"{kind}_{name}", size) for name, size in fields), (kind, "I"))


_LAYOUT = nested(
    (
        ("TCA_HTB_PARMS", "htb_opt"),
        ("TCA_HTB_INIT", "htb_glob"),
        ("TCA_HTB_CTAB", "binary"),
        ("TCA_HTB_RTAB", "binary"),
        ("TCA_HTB_DIRECT_QLEN", "uint32"),
        ("TCA_HTB_RATE64", "uint64"),
        ("TCA_HTB_CEIL64", "uint64"),
    ),
    htb_opt=struct(
        "htb_opt",
        *_ratespec("rate"),
        *_ratespec("ceil"),
        *((name, "I") for name in ("buffer", "cbuffer", "quantum", "level", "prio")),
    ),
    htb_glob=struct(
        "htb_glob",
        *((name, "I") for name in ("version", "rate2quantum", "defcls", "debug", "direct_pkts")),
    ),
)


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    glob = {"version": _VERSION, "rate2quantum": _R2Q, "defcls": kwarg.get("default", 0)}
    return {"attrs": [["TCA_HTB_INIT", glob]]}


def _class_parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """rate, ceil in bit/s, burst, cburst, quantum in bytes, prio."""
    rate, ceil = byte_rate(kwarg["rate"]), byte_rate(kwarg["ceil"])
    parms = {
        "rate": min(rate, U32_MAX),
        "ceil": min(ceil, U32_MAX),
        "rate_linklayer": _LINKLAYER_ETHERNET,
        "ceil_linklayer": _LINKLAYER_ETHERNET,
        "buffer": ticks(-(-kwarg["burst"] * _NS // rate)),
        "cbuffer": ticks(-(-kwarg["cburst"] * _NS // ceil)),
        "quantum": kwarg["quantum"],
        "prio": kwarg["prio"],
    }
    attrs: list[list[Any]] = [["TCA_HTB_PARMS", parms]]
    attrs += [["TCA_HTB_RATE64", rate]] if rate > U32_MAX else []
    attrs += [["TCA_HTB_CEIL64", ceil]] if ceil > U32_MAX else []
    return {"attrs": attrs}


def _quantum(share: Share, smallest: int, frame: int) -> int:
    assert share.rate is not None
    return share.quantum or min(frame * share.rate // smallest, max(frame, _LARGEST_QUANTUM))


def _make(tree: Tree) -> list[bytes]:
    smallest = min(share.rate or 1 for share in tree.shares)
    lender = Share(rate=2 * tree.rate, quantum=tree.frame)
    messages = [
        tc("replace", "htb", tree.index, at=tree.handle, parent=tree.parent, default=tree.default),
        _class(tree, _LENDER, tree.handle, lender, smallest),
    ]
    for number, share in enumerate(tree.shares, 1):
        messages.append(_class(tree, number, tree.classid(_LENDER), share, smallest))
    return messages


def _class(tree: Tree, number: int, parent: str, share: Share, smallest: int) -> bytes:
    rate = share.rate or 1
    ceil = share.ceil or rate
    own = {
        "rate": rate,
        "ceil": ceil,
        "burst": tree.frame + math.ceil(rate * tree.slack_s / 8),
        "cburst": tree.frame + math.ceil(ceil * tree.slack_s / 8),
        "quantum": _quantum(share, smallest, tree.frame),
        "prio": share.prio or 0,
    }
    return tc("add-class", "htb", tree.index, at=tree.classid(number), parent=parent, **own)


QDISC = Qdisc(
    "htb",
    SimpleNamespace(
        parent=TC_H_ROOT,
        options=_LAYOUT,
        stats=upstream.stats,
        stats2=upstream.stats2,
        get_parameters=_parameters,
        get_class_parameters=_class_parameters,
    ),
    classful=Classful(_make, fields=("rate", "ceil", "prio", "quantum"), needs=("rate",)),
)
