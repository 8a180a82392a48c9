"""Queues with classes over time, class by class: of htb and its kin the queues below it, of cake its tins.

Which class a queue is in, its parent's handle says: 10:2 is the second class of qdisc 10:.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from labkit.qdiscs import KINDS, cake

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "kind": "of the qdisc that has the classes",
    "class": "name of the class, or of cake's tin; empty: of no class, if packets passed or were lost there",
    "backlog_packets": "packets waiting in it; <NA>: cake does not tell",
    "backlog_bytes": "bytes waiting in it, Ethernet headers included",
    "sent_packets": "packets that left it so far; of a tin: that came in",
    "sent_bytes": "bytes that left it so far; of a tin: that came in",
    "drops": "packets dropped so far",
    "marks": "packets marked CE (ECN) so far instead of being dropped; <NA>: its queue never does",
}
_COUNTS = ["backlog_packets", "backlog_bytes", "sent_packets", "sent_bytes", "drops", "marks"]
_FLOW = ["sent_packets", "sent_bytes", "drops"]
_KEYS = ["time_s", "ns", "index", "major"]


@dataclass(frozen=True)
class Place:
    """A queue's device: from which host to which, and its trees: the handle's major number in decimals ->
    kind and names of the classes."""

    host: str
    peer: str
    trees: Mapping[str, Mapping[str, Any]]


def classes(
    qdiscs: pd.DataFrame, tins: pd.DataFrame, places: Mapping[tuple[int, int], Place]
) -> pd.DataFrame:
    """One row per class and sample. qdiscs, tins: those of the samples, from `queues.qdiscs` and `tins.tins`;
    places: (namespace, interface index) -> where that is."""
    found = pd.concat([_children(qdiscs, places), _tins(tins, places)], ignore_index=True)
    devices = list(zip(found["ns"], found["index"], strict=True))
    found = found[np.array([device in places for device in devices], dtype=bool)]
    named = [places[device] for device in devices if device in places]
    found["host"] = pd.Categorical([place.host for place in named])
    found["peer"] = pd.Categorical([place.peer for place in named])
    found[_COUNTS] = found[_COUNTS].astype("Int64")
    found = found.sort_values(["host", "peer", "time_s", "number"], kind="stable", ignore_index=True)
    for name in ("kind", "class"):
        found[name] = pd.Categorical(found[name].astype(object), found[name].drop_duplicates().tolist())
    return found[list(UNITS)]


def _tins(tins: pd.DataFrame, places: Mapping[tuple[int, int], Place]) -> pd.DataFrame:
    """Those of a cake that is a queue by itself: within a class they would be classes of a class."""
    trees = {(*device, int(major)) for device, place in places.items() for major in place.trees}
    above = zip(tins["ns"], tins["index"], tins["parent"] // 65536, strict=True)
    found = tins[np.array([key not in trees for key in above], dtype=bool)].copy()
    found["class"] = [cake.tin_name(*which) for which in zip(found["number"], found["of"], strict=True)]
    found["kind"], found["backlog_packets"] = "cake", pd.NA
    return found


def _children(qdiscs: pd.DataFrame, places: Mapping[tuple[int, int], Place]) -> pd.DataFrame:
    """The queues in classes, and what the qdisc above counts more than all of them."""
    names = {
        (*device, int(major), number): (tree["kind"], name)
        for device, place in places.items()
        for major, tree in place.trees.items()
        for number, name in enumerate(tree["classes"])
    }
    below = qdiscs.assign(major=qdiscs["parent"] // 65536, number=qdiscs["parent"] % 65536 - 1)
    keys = [*_KEYS[1:], "number"]
    below = below[pd.MultiIndex.from_frame(below[keys]).isin(list(names))].copy()
    marking = [kind for kind, qdisc in KINDS.items() if qdisc.marks is not None]
    below["marks"] = below["marks"].astype("Int64").where(below["kind"].isin(marking))
    named = [names[key] for key in zip(*(below[name] for name in keys), strict=True)]
    below["kind"], below["class"] = [kind for kind, _ in named], [name for _, name in named]
    above = qdiscs.assign(major=qdiscs["handle"] // 65536, number=-1)
    trees = {key[:3] for key in names}
    above = above[pd.MultiIndex.from_frame(above[_KEYS[1:]]).isin(list(trees))]
    return pd.concat([below, _rest(above, below)])


def _rest(above: pd.DataFrame, below: pd.DataFrame) -> pd.DataFrame:
    """What was in no class: htb lets it pass by, drr drops it. Only where there was any."""
    rest = above.set_index(_KEYS)
    inside = below.groupby(_KEYS)[_FLOW].sum().reindex(rest.index, fill_value=0)
    rest[_FLOW] = rest[_FLOW] - inside
    most = rest.groupby(level=_KEYS[1:])[["sent_packets", "drops"]].transform("max").max(axis=1)
    rest = rest[most > 0].reset_index()
    rest["class"] = ""
    rest[["backlog_packets", "backlog_bytes", "marks"]] = pd.NA
    return rest
