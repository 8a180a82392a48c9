"""prio: strict priorities, band by band; with classes, one band each.

pyroute2 0.9.7 sends 0 bands unless told, which the kernel refuses: `bands` is 3 and `priomap` (a band for
each of 16 priorities) that of pfifo_fast unless given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyroute2.netlink.rtnl.tcmsg import sched_pfifo_fast

from labkit.netlink.message import tc
from labkit.qdiscs.classful import Classful, Tree
from labkit.qdiscs.qdisc import Qdisc, plugin
from labkit.qdiscs.readers import count, numbers

PRIORITIES = 16
_PRIOMAP = (1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)
_BANDS = 16


def band_map(kind: str, bands: int, priomap: tuple[int, ...]) -> tuple[int, ...]:
    """A band for each priority. Raises ValueError if there is no such band."""
    if len(priomap) != PRIORITIES or not all(0 <= band < bands for band in priomap):
        raise ValueError(f"{kind}: priomap={priomap}: {PRIORITIES} numbers from 0 to {bands - 1}")
    return priomap


def _parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    """struct tc_prio_qopt. Raises ValueError."""
    bands = int(kwarg.get("bands", 3))
    if not 2 <= bands <= _BANDS:
        raise ValueError(f"prio: bands={bands}: 2 to {_BANDS}")
    return {"bands": bands, "priomap": band_map("prio", bands, tuple(kwarg.get("priomap", _PRIOMAP)))}


def _make(tree: Tree) -> list[bytes]:
    if "bands" in tree.keywords:
        raise ValueError("prio: bands: there are as many as classes: leave it out")
    own = {"priomap": (tree.default - 1,) * PRIORITIES} | dict(tree.keywords)
    bands = len(tree.shares)
    return [tc("replace", "prio", tree.index, at=tree.handle, parent=tree.parent, bands=bands, **own)]


QDISC = Qdisc(
    "prio",
    plugin(sched_pfifo_fast.options, _parameters),
    options={"bands": count, "priomap": numbers},
    classful=Classful(_make, least=2, most=_BANDS, optional=True, own_map="priomap"),
)
