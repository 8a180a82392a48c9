"""Queueing disciplines as the kernel dumps them: backlog and counters over time, root and leaf told apart.

Parsed by hand: thousands of samples, of which only TCA_STATS2 is of interest.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.counters import Message, attributes, dumped
from labkit.decode.raw import Raw, damage

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

_NEWQDISC = 36
_TCMSG = struct.Struct("<B3xiIII")
_KIND, _STATS2 = 1, 7
_BASIC, _QUEUE, _APP, _PKT64 = 1, 3, 4, 8
_ROOT, _INGRESS = 0xFFFFFFFF, 0xFFFFFFF1
# Where the kind's xstats (uapi linux/pkt_sched.h) count the packets marked instead of dropped.
_MARKS = {"red": 12, "choke": 12, "codel": 24, "fq_codel": 12, "pie": 36, "fq_pie": 16, "sfb": 20}

_HEAD = ["phase", "ns", "time_ns", "index", "handle", "parent", "kind"]
_LOAD = ["sent_bytes", "sent_packets", "backlog_packets", "backlog_bytes"]
_NAMES = [*_HEAD, *_LOAD, "drops", "requeues", "overlimits", "marks"]


def qdiscs(raw: Raw, phase: int | None = None) -> pd.DataFrame:
    """One row per qdisc and dump, in the order of time. Raises RawFormatError."""
    rows = [_row(message) for message in dumped(raw, _NEWQDISC, phase)]
    table = pd.DataFrame(rows, columns=_NAMES)
    table = table.astype({name: "int64" for name in _NAMES if name != "kind"})
    table["root"] = table["parent"] == _ROOT
    group = table.groupby(["phase", "time_ns", "ns", "index"], sort=False).ngroup().to_numpy()
    own = group << 16 | table["handle"].to_numpy() >> 16
    above = group << 16 | table["parent"].to_numpy() >> 16
    inner = above[~table["parent"].isin([_ROOT, _INGRESS]).to_numpy()]
    table["leaf"] = ~np.isin(own, inner) & (table["parent"] != _INGRESS)
    table.insert(0, "time_s", table.pop("time_ns") / 1e9)
    return table


def _row(message: Message) -> tuple[Any, ...]:
    with damage("a qdisc's message is cut short", message.offset):
        _, index, handle, parent, _ = _TCMSG.unpack_from(message.data, 16)
        kind, stats = "", memoryview(b"")
        for number, value in attributes(message.data[16 + _TCMSG.size :]):
            if number == _KIND:
                kind = bytes(value).rstrip(b"\0").decode(errors="replace")
            elif number == _STATS2:
                stats = value
        where = (message.phase, message.ns, message.at_ns, index, handle, parent, kind)
        return where + _stats(kind, stats)


def _stats(kind: str, stats: memoryview) -> tuple[int, ...]:
    size = packets = qlen = backlog = drops = requeues = overlimits = marks = 0
    for number, value in attributes(stats):
        if number == _BASIC:
            size, packets = struct.unpack_from("<QI", value)
        elif number == _QUEUE:
            qlen, backlog, drops, requeues, overlimits = struct.unpack_from("<5I", value)
        elif number == _PKT64:
            packets = int.from_bytes(value[:8], "little")
        elif number == _APP and kind in _MARKS:
            marks = int.from_bytes(value[_MARKS[kind] : _MARKS[kind] + 4], "little")
    return size, packets, qlen, backlog, drops, requeues, overlimits, marks


def queue(table: pd.DataFrame, names: Mapping[tuple[int, int], tuple[str, str, str]]) -> pd.DataFrame:
    """The queues in `table` (from `qdiscs`) over time: one row per device and sample.

    What waits and what is dropped is the leaf's (the sum, if there are several): the pfifo under a
    tbf. names: (namespace, interface index) -> (host, interface, peer); other devices are left out.
    """
    mine = pd.MultiIndex.from_frame(table[["ns", "index"]]).isin(list(names)) & (table["kind"] != "noqueue")
    table = table[mine]
    keys = ["time_s", "ns", "index"]
    sums = ["backlog_bytes", "backlog_packets", "drops", "marks", "sent_bytes", "sent_packets"]
    grouped = table[table["leaf"]].groupby(keys)
    found = grouped[sums].sum().join(grouped["kind"].first())
    found = found.join(table[table["root"]].groupby(keys)["overlimits"].first())
    found = found.reset_index()
    for i, column in enumerate(("host", "interface", "peer")):
        places = zip(found["ns"], found["index"], strict=True)
        found[column] = pd.Categorical([names[place][i] for place in places])
    return found[list(UNITS)].sort_values(["host", "peer", "time_s"], ignore_index=True)
