"""What a page holds of a film: packets with every time that was recorded of them, and what was lost.

    format     1; a script that reads another one says so
    name, caption, description, table    as in any figure; the table is the ledger of these seconds
    span       from, to in µs since the start of the run; speed: virtual by real time to begin with
    kernel, seed, trip    what it was recorded with; a typical round trip in µs
    hosts, links, queues, ports    see stage.py
    devices    [[host, peer]]: where packets were captured
    flows      [{name, text}]; senders: see senders.py
    ends       [[src, sport, dst, dport, protocol, flow (-1: none), way]]
    routes     [{nodes: [[device, kind, before]], count, steps: [column]}]: packets by where they were seen
    packets    {count, route, at, ends, ...}: columns; `at` is when the first frame was captured
    losses     {count, packet, at, ...}: columns; numbers of packets

Columns are packed (packing.py), times are whole µs. seq, ack, ip_id, window, tsval and tsecr are differences
to the packet before of the same ends. A node is a sighting: kind 0 captured as it left a host, 1 as it came
in, 2 to 4 see between.py; `before` is how many nodes back the one is from which it came. `steps` has a column
for each node but the first: the time since the node before it in the list.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.headers import SACK_BLOCKS
from labkit.decode.raw import Ints
from labkit.errors import LabkitError
from labkit.player.between import Instants
from labkit.player.journeys import NS_PER_US, Journeys
from labkit.player.packing import differences, numbers, texts

Json = dict[str, Any]
FORMAT = 1
LIMIT_BYTES = 300_000
KINDS = 5
_FIELDS = ("seq", "ack", "ip_id", "window", "tsval", "tsecr")  # change little from packet to packet


class FilmTooLargeError(LabkitError):
    """Seconds in which more happened than a page can hold; says which part of them fits."""


def size(film: Json) -> int:
    """Bytes that it takes."""
    return len(json.dumps(film, separators=(",", ":"), ensure_ascii=False).encode())


def packed(found: Journeys, more: Instants, which: Ints) -> Json:
    """The parts of a film that are about packets: devices, ends, routes, packets, losses. which: their
    numbers, in order."""
    devices = [i for i in found.result.layout("interfaces") if i["role"] == "host"]
    place = {i["index"]: n for n, i in enumerate(devices)}
    nodes = _nodes(found, more, which, place)
    names, routes, route, first_us = _routes(nodes, len(which))
    ends, of = _ends(found, which)
    table = found.table.iloc[which]
    packets = {
        "count": len(which),
        "route": numbers(route),
        "at": differences(first_us),
        "ends": numbers(of.tolist()),
        **{name: numbers(_turned(table[name].to_numpy(), of).tolist()) for name in _FIELDS},
        "payload": numbers(table["payload"].tolist()),
        "length": numbers(table["length"].tolist()),
        "transmission": numbers(table["transmission"].tolist()),
        "flags": texts(table["flags"].astype(str).tolist()),
        **_sacks(table),
    }
    return {
        "devices": [[i["host"], i["peer"]] for i in devices],
        "ends": ends,
        "routes": [{"nodes": names[n], **steps} for n, steps in enumerate(routes)],
        "packets": packets,
        "losses": losses(found, which),
    }


def _nodes(found: Journeys, more: Instants, which: Ints, place: dict[int, int]) -> pd.DataFrame:
    """One row a sighting: packet (number within the film), at_us, code, before (its row's identity), node."""
    frames = found.frames
    number = np.full(len(found), -1, np.int64)
    number[which] = np.arange(len(which))
    device = np.array([place[index] for index in frames.interface.tolist()], np.int64)
    n = len(frames)
    last = np.arange(n)  # the node of a frame that later frames come from
    before = [found.before.copy()]
    kinds, owner, at = [np.where(frames.outgoing, 0, 1)], [np.arange(n)], [frames.at_ns]
    for kind in np.unique(more.kind):
        mine = np.flatnonzero(more.kind == kind)
        frame = more.frame[mine]
        before.append(last[frame])
        last[frame] = sum(map(len, owner)) + np.arange(len(mine))
        kinds.append(np.full(len(mine), kind))
        owner.append(frame)
        at.append(more.at_ns[mine])
    rows = np.flatnonzero(found.before >= 0)
    before[0][rows] = last[found.before[rows]]
    of = np.concatenate(owner)
    table = pd.DataFrame({"before": np.concatenate(before), "at_us": _us(np.concatenate(at))})
    table["packet"], table["code"] = number[found.packet[of]], device[of] * KINDS + np.concatenate(kinds)
    table["depth"] = _depths(table["before"].to_numpy())
    table["node"] = np.arange(len(table))
    table = table[table["packet"] >= 0]
    return table.sort_values(["packet", "at_us", "depth", "node"], kind="stable", ignore_index=True)


def _us(ns: Any) -> Ints:
    found: Ints = (np.asarray(ns, np.int64) + NS_PER_US // 2) // NS_PER_US
    return found


def _depths(before: Ints) -> Ints:
    depth = np.zeros(len(before), np.int64)
    at = before.copy()
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, before[at], -1)
    return depth


def _routes(
    nodes: pd.DataFrame, count: int
) -> tuple[list[list[list[int]]], list[Json], list[int], list[int]]:
    """The distinct lists of nodes, the columns of each, the route and first time of each packet."""
    row = np.full(int(nodes["node"].max()) + 1 if len(nodes) else 0, -1, np.int64)
    row[nodes["node"].to_numpy()] = np.arange(len(nodes))
    before = nodes["before"].to_numpy()
    back = np.where(before >= 0, np.arange(len(nodes)) - row[before], 0)
    at, codes = nodes["at_us"].tolist(), nodes["code"].tolist()
    starts = np.searchsorted(nodes["packet"].to_numpy(), np.arange(count + 1)).tolist()
    known: dict[tuple[tuple[int, int, int], ...], int] = {}
    members: list[list[int]] = []
    route, first = [], []
    for n in range(count):
        rows = range(starts[n], starts[n + 1])
        key = tuple((codes[i] // KINDS, codes[i] % KINDS, int(back[i])) for i in rows)
        if key not in known:
            known[key] = len(known)
            members.append([])
        route.append(known[key])
        members[known[key]].append(starts[n])
        first.append(at[starts[n]])
    made = []
    for key, heads in zip(known, members, strict=True):
        columns = [numbers([at[i + k] - at[i + k - 1] for i in heads]) for k in range(1, len(key))]
        made.append({"count": len(heads), "steps": columns})
    return [[list(node) for node in key] for key in known], made, route, first


def _ends(found: Journeys, which: Ints) -> tuple[list[list[Any]], Ints]:
    table = found.table.iloc[which]
    names = [flow["name"] for flow in found.result.layout("flows")]
    columns = ["src", "sport", "dst", "dport", "protocol", "flow", "way"]
    text = table[columns].astype(object).where(table[columns].notna(), "")
    codes, values = pd.factorize(pd.MultiIndex.from_frame(text))
    ends = [
        [src, int(sport), dst, int(dport), protocol, names.index(flow) if flow else -1, way]
        for src, sport, dst, dport, protocol, flow, way in values
    ]
    return ends, codes.astype(np.int64)


def _turned(values: Any, of: Ints) -> Ints:
    """Differences to the packet before of the same ends, the first one whole: the same again and again for
    what goes on evenly."""
    found = np.asarray(values, np.int64).copy()
    for one in np.unique(of):
        mine = np.flatnonzero(of == one)
        found[mine[1:]] = np.diff(found[mine])
    return found


def _sacks(table: pd.DataFrame) -> Json:
    """How many blocks each packet has, and all their edges, counted from its acknowledgement."""
    count = table["sacks"].clip(0, SACK_BLOCKS)
    edges: list[int] = []
    columns = [f"sack{i}_{edge}" for i in range(1, SACK_BLOCKS + 1) for edge in ("left", "right")]
    some = table[count > 0]
    rows = zip(some["ack"], count[count > 0], some[columns].itertuples(index=False), strict=True)
    for ack, number, held in rows:
        for k in range(int(number)):
            edges += [int(held[2 * k]) - int(ack), int(held[2 * k + 1]) - int(held[2 * k])]
    return {"sacks": numbers(count.tolist()), "edges": numbers(edges)}


def losses(found: Journeys, which: Ints) -> Json:
    """What the ledger has of these packets."""
    lost = np.flatnonzero(found.entry[which] >= 0)
    rows = found.losses.iloc[found.entry[which[lost]]]
    order = np.argsort(rows["lost_s"].to_numpy(), kind="stable")
    lost, rows = lost[order], rows.iloc[order]
    named = ("host", "peer", "place", "cause", "reason", "function", "found_by")
    times = {name: rows[f"{name}_s"] for name in ("retransmitted", "recovered")}
    return {
        "count": len(lost),
        "packet": differences(lost),
        "at": differences(_us((rows["lost_s"].to_numpy() * 1e9).round())),
        **{name: texts(rows[name].astype(object).fillna("").astype(str).tolist()) for name in named},
        **{name: numbers(_some(column * 1e6)) for name, column in times.items()},
        **{name: numbers(_some(rows[name])) for name in ("cwnd_before", "cwnd_after", "burst")},
    }


def _some(column: pd.Series[Any]) -> list[int | None]:
    return [None if pd.isna(value) else round(value) for value in column.tolist()]
