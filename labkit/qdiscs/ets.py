"""ets: enhanced transmission selection (IEEE 802.1Qaz). Classes without a quantum go first, strictly in
order; those with one take turns behind them. pyroute2 0.9.7 has no ets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink import NLA_F_NESTED, nla

from labkit.netlink.message import tc
from labkit.qdiscs.classful import Classful, Tree
from labkit.qdiscs.prio import PRIORITIES, band_map
from labkit.qdiscs.qdisc import Qdisc, nested, plugin
from labkit.qdiscs.readers import numbers

_BANDS = 16


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """TCA_OPTIONS: bands, how many of them are strict, a quantum for each other one, a band per priority."""
    return {
        "attrs": [
            ["TCA_ETS_NBANDS", kwarg["bands"]],
            ["TCA_ETS_NSTRICT", kwarg["strict"]],
            ["TCA_ETS_QUANTA", {"attrs": [["TCA_ETS_QUANTA_BAND", size] for size in kwarg["quanta"]]}],
            ["TCA_ETS_PRIOMAP", {"attrs": [["TCA_ETS_PRIOMAP_BAND", band] for band in kwarg["priomap"]]}],
        ]
    }


def _make(tree: Tree) -> list[bytes]:
    quanta = [share.quantum for share in tree.shares]
    strict = quanta.count(None)
    if None in quanta[strict:]:
        raise ValueError("ets: classes without a quantum are strict and come first: put them there")
    priomap = tree.keywords.get("priomap", (tree.default - 1,) * PRIORITIES)
    own: dict[str, Any] = {"bands": len(quanta), "strict": strict, "quanta": quanta[strict:]}
    own["priomap"] = band_map("ets", len(quanta), priomap)
    return [tc("replace", "ets", tree.index, at=tree.handle, parent=tree.parent, **own)]


_MAP = (
    ("TCA_ETS_NBANDS", "uint8"),
    ("TCA_ETS_NSTRICT", "uint8"),
    ("TCA_ETS_QUANTA", "ets_bands"),
    ("TCA_ETS_QUANTA_BAND", "uint32"),
    ("TCA_ETS_PRIOMAP", "ets_bands"),
    ("TCA_ETS_PRIOMAP_BAND", "uint8"),
)
_FLAT = tuple((name, "none" if kind == "ets_bands" else kind) for name, kind in _MAP)
_LIST = {"nla_flags": NLA_F_NESTED, "nla_map": (("TCA_ETS_UNSPEC", "none"), *_FLAT)}

QDISC = Qdisc(
    "ets",
    plugin(nested(_MAP, ets_bands=type("ets_bands", (nla,), _LIST)), _parameters),
    options={"priomap": numbers},
    classful=Classful(_make, fields=("quantum",), most=_BANDS, own_map="priomap"),
    module="sch_ets",
)
