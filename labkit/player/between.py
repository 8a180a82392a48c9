"""What lies between two captures of a frame: when it left a queue inside a wire, and a port's ring.

Where a queue stands in front of a captured device, two captures tell how long a frame waited there. Behind
one they do not. A queue inside a wire (of a sending host: see compile.layout.DirectedPath) is known from its
own events. Of the ports of the teaching NIC the speed is known, and so is when each frame's last bit was
through: what came after that is the wait in the receiver's ring. Whatever contradicts the captures is left
out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit import units
from labkit.compile.layout import DirectedPath
from labkit.decode.raw import Ints
from labkit.player.journeys import Journeys
from labkit.spec import Nic

DEQUEUED, STARTED, CAME_IN = 2, 3, 4
"""Beside 0, captured as it left a host, and 1, as it came in: it left a queue inside the wire; its first bit
went onto the cable; its last bit was there."""
_PREAMBLE, _FCS, _SHORTEST, _GAP_BITS = 8, 4, 60, 96  # IEEE 802.3: 3.2.1, 3.2.9, 3.2.8, 4.4.2
_SETS_A_PORT = r"\bethtool\s+(?:-s|--change|-A|--pause)\b"  # its speed, or flow control
_SLACK_NS = 10_000  # timers of the guest are late by less; from capture to queue nothing takes time


@dataclass(frozen=True)
class Instants:
    """Arrays of one length. frame: which one it is about; kind: DEQUEUED, STARTED or CAME_IN; at_ns."""

    frame: Ints
    kind: Ints
    at_ns: Ints


def instants(found: Journeys) -> Instants:
    """All that is known of what captures do not show."""
    parts = []
    network = found.accounts.causes.network.built
    for way in network.ways.values():
        leaving = found.frames.outgoing & (found.frames.interface == way.out.index)
        rows = np.flatnonzero(leaving)
        if not rows.size:
            continue
        if way.detach:
            parts += _dequeued(found, way, rows)
        ports = _ports(found, way)
        if ports is not None:
            parts += _crossed(found, way, rows, *ports)
    none = np.zeros(0, np.int64)
    columns = [np.concatenate([none, *(part[i] for part in parts)]) for i in range(3)]
    return Instants(*columns)


Part = tuple[Ints, Ints, Ints]


def _dequeued(found: Journeys, way: DirectedPath, rows: Ints) -> list[Part]:
    """When each frame left the queue in the wire. Its rows are in the order in which frames came. What a full
    queue refuses has one, too, as netem stands in front of it; what netem itself has no room for has none."""
    if "queue" not in found.result.experiment.probes:
        return []
    table = found.result.queue
    mine = table[(table["host"] == way.out.host) & (table["peer"] == way.into.host)]
    came = (mine["enqueued_s"].to_numpy() * 1e9).round().astype(np.int64)
    gone = mine["dequeued_s"].to_numpy()
    let_in = rows if len(rows) == len(came) else rows[~_refused(found, way, rows)]
    if len(let_in) != len(came):
        return []
    late = came - found.frames.at_ns[let_in]
    if ((late < 0) | (late > _SLACK_NS)).any():
        return []
    known = np.flatnonzero(~np.isnan(gone))
    at_ns = (gone[known] * 1e9).round().astype(np.int64)
    return [(let_in[known], np.full(len(known), DEQUEUED), at_ns)]


def _refused(found: Journeys, way: DirectedPath, rows: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the frames that left were lost in front of the queue at once."""
    entry = found.entry[found.packet[rows]]
    losses = found.losses
    here = (losses["place"] == "queue") & (losses["host"] == way.out.host) & (losses["peer"] == way.into.host)
    lost_ns = (losses["lost_s"].to_numpy() * 1e9).round().astype(np.int64)
    early = np.zeros(len(rows), bool)
    hit = np.flatnonzero(entry >= 0)
    soon = lost_ns[entry[hit]] - found.frames.at_ns[rows[hit]] <= _SLACK_NS
    early[hit] = here.to_numpy()[entry[hit]] & soon
    return early


def _ports(found: Journeys, way: DirectedPath) -> tuple[Nic, Nic, int] | None:
    """The two ports of a cable and its delay in ns, if frames leave them one after the other at line rate."""
    link = found.result.experiment.topology.link(way.out.host, way.into.host)
    near, far = link.port(way.out.host), link.port(way.into.host)
    if near is None or far is None:
        return None
    if any(port.duplex == "half" or port.pause or not port.autoneg for port in (near, far)):
        return None
    if found.result.commands["command"].astype(str).str.contains(_SETS_A_PORT).any():
        return None
    direction = link.forward if link.a == way.out.host else link.backward
    return near, far, units.ns(direction.delay)


def _crossed(
    found: Journeys, way: DirectedPath, rows: Ints, near: Nic, far: Nic, delay_ns: int
) -> list[Part]:
    """When each frame's first bit went onto the cable, and when its last one came out of it."""
    frames, speed = found.frames, min(near.speed, far.speed)
    bits = 8 * (_PREAMBLE + np.maximum(frames.length[rows].astype(np.int64), _SHORTEST) + _FCS)
    started, free_at = np.empty(len(rows), np.int64), 0
    for n, (at_ns, size) in enumerate(zip(frames.at_ns[rows].tolist(), bits.tolist(), strict=True)):
        started[n] = max(at_ns, free_at)
        free_at = int(started[n]) + (size + _GAP_BITS) * 10**9 // speed
    came = started + bits * 10**9 // speed + delay_ns
    if _contradicted(found, way, rows, came):
        return []
    kinds = (np.full(len(rows), kind) for kind in (STARTED, CAME_IN))
    there = came <= found.result.until_ns
    first, second = kinds
    return [(rows, first, started), (rows[there], second[there], came[there])]


def _contradicted(found: Journeys, way: DirectedPath, rows: Ints, came: Ints) -> bool:
    """Was a frame captured at the other end before its last bit can have been there?"""
    frames = found.frames
    place = np.full(len(frames), -1, np.int64)
    place[rows] = np.arange(len(rows))
    other = np.flatnonzero(~frames.outgoing & (frames.interface == way.into.index) & (found.before >= 0))
    sent = place[found.before[other]]
    known = sent >= 0
    return bool((frames.at_ns[other[known]] < came[sent[known]]).any())
