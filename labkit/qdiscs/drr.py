"""drr: deficit round robin, each class in its turn for a quantum of bytes (a frame unless given). What no
filter matches is dropped. pyroute2's plug-in sends a quantum of 0, which the kernel refuses."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pyroute2.netlink.rtnl import TC_H_ROOT
from pyroute2.netlink.rtnl.tcmsg import sched_drr as upstream

from labkit.netlink.message import tc
from labkit.qdiscs.classful import Classful, Tree
from labkit.qdiscs.qdisc import Qdisc


def _class_parameters(kwarg: Mapping[str, Any]) -> dict[str, Any]:
    return {"attrs": [["TCA_DRR_QUANTUM", kwarg["quantum"]]]}


def _make(tree: Tree) -> list[bytes]:
    messages = [tc("replace", "drr", tree.index, at=tree.handle, parent=tree.parent)]
    for number, share in enumerate(tree.shares, 1):
        quantum = share.quantum or tree.frame
        at = tree.classid(number)
        messages.append(tc("add-class", "drr", tree.index, at=at, parent=tree.handle, quantum=quantum))
    return messages


QDISC = Qdisc(
    "drr",
    SimpleNamespace(
        parent=TC_H_ROOT,
        options=upstream.options,
        stats2=upstream.stats2,
        get_class_parameters=_class_parameters,
    ),
    classful=Classful(_make, fields=("quantum",), catch_all=True),
    module="sch_drr",
)
