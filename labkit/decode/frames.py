"""Captured frames: where each one is in the raw file, and when it passed which interface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from labkit.decode.headers import Flags, Headers, Ports, dissect
from labkit.decode.mapped_file import forget
from labkit.decode.raw import Bytes, Ints, Raw, Records, Rows, damage, take
from labkit.program.structs import PACKET_OUT, PACKETS_OUT, Kind

_AT_ONCE = 1 << 16  # frames that are looked at together


@dataclass(frozen=True)
class Frames:
    """Frames in the order of time: arrays of one length.

    at_ns: since the epoch; offset, captured: the bytes kept, in `data`; length: on the wire;
    interface: its index; outgoing: its own host sent it.
    """

    data: Bytes
    at_ns: Ints
    interface: Ints
    outgoing: Flags
    offset: Ints
    captured: Ints
    length: Ints

    def __len__(self) -> int:
        return len(self.at_ns)

    def at(self, which: Ints | Flags | slice) -> Self:
        """Some of them."""
        _, *columns = fields(self)
        return type(self)(self.data, *(getattr(self, column.name)[which] for column in columns))

    def parts(self) -> Iterator[slice]:
        """Some of them after the other, for who looks into the bytes of all: they then need little memory."""
        for start in range(0, len(self), _AT_ONCE):
            yield slice(start, start + _AT_ONCE)
            forget(self.data)

    def bytes_of(self, i: int) -> bytes:
        """What was kept of one frame."""
        return self.data[self.offset[i] : self.offset[i] + self.captured[i]].tobytes()


def dissected(frames: Frames) -> Iterator[tuple[slice, Headers]]:
    """The headers of some frames after the other, so that they need little memory at once."""
    ports: Ports = {}
    for part in frames.parts():
        yield part, dissect(frames.data, frames.offset[part], frames.captured[part], ports)


def frames(raw: Raw) -> Frames:
    """All frames of a run, of all interfaces. Raises RawFormatError."""
    records = raw.records(Kind.PACKETS)
    heads = raw.heads(records)
    counts = heads["count"].astype(np.int64)
    with damage("a record of frames says that it has more than it can hold", _first(records.offset)):
        if (PACKETS_OUT.size + counts * PACKET_OUT.size > records.size).any():
            raise ValueError("too many")
    first = np.cumsum(counts) - counts
    found = _room(raw, int(counts.sum()))
    for some in np.split(np.arange(len(records)), np.flatnonzero(np.diff(first // _AT_ONCE)) + 1):
        if len(some):
            _read(raw, records, heads["interface"], counts, some, found, int(first[some[0]]))
            forget(raw.data)
    return found.at(np.argsort(found.at_ns, kind="stable"))


def _room(raw: Raw, count: int) -> Frames:
    kinds: tuple[Any, ...] = (np.int64, np.int32, bool, np.int64, np.int32, np.int32)
    return Frames(raw.data, *(np.empty(count, kind) for kind in kinds))


def _read(
    raw: Raw, records: Records, interface: Rows, counts: Ints, some: Ints, found: Frames, first: int
) -> None:
    """The frames of some records, from place `first` of `found` on."""
    count, at = counts[some], records.offset[some] + PACKETS_OUT.size
    record = np.repeat(np.arange(len(some)), count)
    begun = np.cumsum(count) - count
    number = np.arange(len(record)) - begun[record]
    rows = take(raw.data, at[record] + number * PACKET_OUT.size, PACKET_OUT.dtype)
    captured = rows["captured"].astype(np.int64)
    padded = (captured + 3) & ~3
    before = np.cumsum(padded) - padded
    offset = (at + count * PACKET_OUT.size)[record] + before
    offset -= np.append(before, 0)[begun][record]
    end = (records.offset[some] + records.size[some])[record]
    with damage("a frame longer than the record that holds it", int(records.offset[some[0]])):
        if (offset + captured > end).any():
            raise ValueError("too long")
    place = slice(first, first + len(record))
    found.at_ns[place], found.interface[place] = rows["at_ns"], interface[some][record]
    found.outgoing[place], found.offset[place] = rows["outgoing"] != 0, offset
    found.captured[place], found.length[place] = captured, rows["length"]


def lost(raw: Raw) -> dict[int, int]:
    """Interface index -> frames that the agent was too late for; 0: of the drop monitor. Those above zero."""
    rows = raw.heads(raw.records(Kind.CAPTURED))
    found = {int(i): int(rows["lost"][rows["interface"] == i].sum()) for i in np.unique(rows["interface"])}
    return {interface: count for interface, count in found.items() if count}


def _first(offset: Ints) -> int:
    return int(offset[0]) if len(offset) else 0
