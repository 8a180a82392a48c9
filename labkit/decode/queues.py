"""Queueing disciplines as the kernel dumps them: backlog and counters over time, root and leaf told apart.

Parsed by hand: thousands of samples, of which only TCA_STATS2 is of interest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.dumps import damaged, messages, nested
from labkit.decode.raw import Bytes, Ints, Raw, take
from labkit.program.structs import PHASE_AFTER, PHASE_SAMPLE
from labkit.qdiscs import CLASSFUL, KINDS

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "host": "where packets wait",
    "peer": "where they go",
    "interface": "the device whose qdisc it is",
    "kind": "of the qdisc that holds the packets",
    "backlog_bytes": "bytes waiting, Ethernet headers included",
    "backlog_packets": "packets waiting",
    "drops": "packets dropped so far",
    "marks": "packets marked CE (ECN) so far instead of being dropped",
    "sent_bytes": "bytes sent so far",
    "sent_packets": "packets sent so far",
    "overlimits": "times the device's root (the shaper) had to wait",
}
QDISC_UNITS = {name: unit for name, unit in UNITS.items() if name not in ("host", "peer", "interface")} | {
    "phase": "0 before the run, 1 after it, 2 during it",
    "ns": "index of the namespace",
    "index": "of the interface",
    "handle": "of the qdisc; major number in the upper 16 bits",
    "parent": "4294967295: it is the root",
    "root": "the device's own qdisc",
    "leaf": "it holds the packets: no other qdisc is below it",
    "requeues": "packets that the device refused at first",
    "overlimits": "times it had to wait or to drop",
}

NEWQDISC = 36
BODY = 36  # where the attributes begin, behind nlmsghdr and tcmsg
TCMSG = np.dtype(
    {
        "names": ["index", "handle", "parent"],
        "formats": ["<i4", "<u4", "<u4"],
        "offsets": [4, 8, 12],
        "itemsize": 20,
    }
)
_CUT = "a qdisc's message is cut short"
_COUNTS = ("drops", "requeues", "overlimits")
KIND, STATS2 = 1, 7
_BASIC, _QUEUE, APP, _PKT64 = 1, 3, 4, 8
_STRUCTS = {  # gnet_stats_basic, gnet_stats_queue, and a counter of packets that does not wrap
    _BASIC: np.dtype([("sent_bytes", "<u8"), ("sent_packets", "<u4")]),
    _QUEUE: np.dtype([(name, "<u4") for name in ("backlog_packets", "backlog_bytes", *_COUNTS)]),
    _PKT64: np.dtype([("sent_packets", "<u8")]),
}
_ROOT, _INGRESS = 0xFFFFFFFF, 0xFFFFFFF1
_MARKS = {kind: qdisc.marks for kind, qdisc in KINDS.items() if qdisc.marks is not None}

_NO_MARKS = 1 << 20  # beyond any attribute
_HEAD = ["phase", "ns", "time_ns", "index", "handle", "parent", "kind"]
_LOAD = ["sent_bytes", "sent_packets", "backlog_packets", "backlog_bytes"]
_TROUBLE = [*_COUNTS, "marks"]
_NAMES = [*_HEAD, *_LOAD, *_TROUBLE]


def qdiscs(raw: Raw, phase: int | None = None) -> pd.DataFrame:
    """One row per qdisc and dump, in the order of time. Raises RawFormatError."""
    found = messages(raw, NEWQDISC, phase)
    damaged(found.size < BODY, found.offset, _CUT)
    columns: dict[str, Any] = {"phase": found.phase, "ns": found.ns, "time_ns": found.at_ns}
    head = take(raw.data, found.offset + 16, TCMSG)
    for name in ("index", "handle", "parent"):
        columns[name] = head[name].astype(np.int64)
    top = nested(raw.data, found.offset + BODY, found.offset + found.size, (KIND, STATS2))
    kind = kinds(raw.data, *top[KIND])
    columns["kind"] = kind.astype("str")
    columns |= _stats(raw.data, found.offset, kind, *top[STATS2])
    table = pd.DataFrame(columns, columns=_NAMES)
    table["root"] = table["parent"] == _ROOT
    group = table.groupby(["phase", "time_ns", "ns", "index"], sort=False).ngroup().to_numpy()
    own = group << 16 | table["handle"].to_numpy() >> 16
    above = group << 16 | table["parent"].to_numpy() >> 16
    inner = above[~table["parent"].isin([_ROOT, _INGRESS]).to_numpy()]
    table["leaf"] = ~np.isin(own, inner) & (table["parent"] != _INGRESS)
    table.insert(0, "time_s", table.pop("time_ns") / 1e9)
    return table


def kinds(data: Bytes, at: Ints, size: Ints) -> pd.Categorical[Any]:
    """The text of each attribute; "" where there is none."""
    texts = np.zeros(len(at), "S16")
    for width in np.unique(size[size > 0]):
        mine = size == width
        texts[mine] = take(data, at[mine], np.dtype(f"S{width}"))
    return each(texts, lambda text: bytes(text).rstrip(b"\0").decode(errors="replace"))


def _stats(data: Bytes, message: Ints, kind: pd.Categorical[Any], at: Ints, size: Ints) -> dict[str, Ints]:
    """The numbers in TCA_STATS2; 0 where the kernel gives none. message: where each one begins."""
    parts = nested(data, at, at + size, (_BASIC, _QUEUE, APP, _PKT64))
    columns = {name: np.zeros(len(at), np.int64) for name in (*_LOAD, *_TROUBLE)}
    for number, dtype in _STRUCTS.items():
        place, room = parts[number]
        there = room > 0
        damaged(there & (room < dtype.itemsize), message, _CUT)
        values = take(data, place[there], dtype)
        for name in dtype.names or ():
            columns[name][there] = values[name].astype(np.int64)
    place, room = parts[APP]
    offset = np.array([_MARKS.get(name, _NO_MARKS) for name in kind.categories], np.int64)[kind.codes]
    there = room >= offset + 4
    columns["marks"][there] = take(data, (place + offset)[there], np.dtype("<u4"))
    return columns


def sampled(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table with phases that are of the run: the samples, and after them the devices' last
    state."""
    during = table[table["phase"] == PHASE_SAMPLE]
    devices = pd.MultiIndex.from_frame(during[["ns", "index"]])
    ends = table[table["phase"] != PHASE_SAMPLE]
    last = ends[pd.MultiIndex.from_frame(ends[["ns", "index"]]).isin(devices)]
    last = last[(last["phase"] == PHASE_AFTER) & (last["time_s"] > during["time_s"].max())]
    whole: pd.DataFrame = pd.concat([during, last])
    return whole


def _holding(table: pd.DataFrame, keys: list[str]) -> pd.Series[bool]:
    """The qdiscs whose counters are those of the whole queue: leaves, or what has classes."""
    trees = table["kind"].isin(CLASSFUL) & ~table["leaf"]
    if not trees.any():
        return table["leaf"]
    devices = pd.MultiIndex.from_frame(table[keys])
    below = devices.isin(devices[trees])
    return (table["leaf"] & ~below) | trees


def backlog(table: pd.DataFrame, names: Mapping[tuple[int, int], tuple[str, str, str]]) -> pd.DataFrame:
    """The queues in `table` (from `qdiscs`) over time: one row per device and sample.

    What waits and what is dropped is the leaf's: the pfifo under a tbf. Of a queue with classes it is the
    qdisc's that has them, which counts also what is in no class, or just taken out of one. names: (namespace,
    interface index) -> (host, interface, peer); other devices are left out.
    """
    mine = pd.MultiIndex.from_frame(table[["ns", "index"]]).isin(list(names)) & (table["kind"] != "noqueue")
    table = table[mine]
    keys = ["time_s", "ns", "index"]
    sums = ["backlog_bytes", "backlog_packets", "drops", "marks", "sent_bytes", "sent_packets"]
    grouped = table[_holding(table, keys)].groupby(keys)
    found = grouped[sums].sum().join(grouped["kind"].first())
    if (table["kind"].isin(CLASSFUL) & ~table["leaf"]).any():  # marks are told by the leaves alone
        found["marks"] = table[table["leaf"]].groupby(keys)["marks"].sum()
    found = found.join(table[table["root"]].groupby(keys)["overlimits"].first())
    found = found.reset_index()
    places = found["ns"].to_numpy() << 32 | found["index"].to_numpy()
    distinct, codes = np.unique(places, return_inverse=True)
    named = [names[int(place) >> 32, int(place) & 0xFFFFFFFF] for place in distinct]
    for i, column in enumerate(("host", "interface", "peer")):
        texts = sorted({name[i] for name in named})
        found[column] = categorical(
            np.array([texts.index(name[i]) for name in named], np.int64)[codes], texts
        )
    return found[list(UNITS)].sort_values(["host", "peer", "time_s"], ignore_index=True)
