"""Captured frames: where each one is in the raw file, and when it passed which interface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.decode.headers import Flags
from labkit.decode.raw import Bytes, Ints, Kind, Raw, damage, take

PACKETS_OUT = np.dtype([("interface", "<u4"), ("count", "<u4")])
PACKET_OUT = np.dtype(
    [("at_ns", "<i8"), ("captured", "<u4"), ("length", "<u4"), ("outgoing", "<u4"), ("reserved", "<u4")]
)
CAPTURED_OUT = np.dtype([("interface", "<u4"), ("reserved", "<u4"), ("seen", "<u8"), ("lost", "<u8")])


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

    def at(self, which: Ints | Flags) -> Frames:
        """Some of them."""
        return Frames(
            self.data,
            self.at_ns[which],
            self.interface[which],
            self.outgoing[which],
            self.offset[which],
            self.captured[which],
            self.length[which],
        )

    def bytes_of(self, i: int) -> bytes:
        """What was kept of one frame."""
        return self.data[self.offset[i] : self.offset[i] + self.captured[i]].tobytes()


def frames(raw: Raw) -> Frames:
    """All frames of a run, of all interfaces. Raises RawFormatError."""
    records = raw.records(Kind.PACKETS)
    heads = raw.heads(records, PACKETS_OUT)
    counts = heads["count"].astype(np.int64)
    with damage("a record of frames says that it has more than it can hold", _first(records.offset)):
        if (PACKETS_OUT.itemsize + counts * PACKET_OUT.itemsize > records.size).any():
            raise ValueError("too many")
    record = np.repeat(np.arange(len(records)), counts)
    number = np.arange(len(record)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = take(
        raw.data, records.offset[record] + PACKETS_OUT.itemsize + number * PACKET_OUT.itemsize, PACKET_OUT
    )
    captured = rows["captured"].astype(np.int64)
    padded = (captured + 3) & ~3
    before = np.cumsum(padded) - padded
    first = (np.cumsum(counts) - counts)[record]
    bodies = records.offset[record] + PACKETS_OUT.itemsize + counts[record] * PACKET_OUT.itemsize
    offset = bodies + before - before[first] if len(record) else before
    end = records.offset[record] + records.size[record]
    with damage("a frame longer than the record that holds it", _first(records.offset)):
        if (offset + captured > end).any():
            raise ValueError("too long")
    order = np.argsort(rows["at_ns"], kind="stable")
    return Frames(
        raw.data,
        rows["at_ns"].astype(np.int64),
        heads["interface"].astype(np.int64)[record],
        rows["outgoing"] != 0,
        offset,
        captured,
        rows["length"].astype(np.int64),
    ).at(order)


def lost(raw: Raw) -> dict[int, int]:
    """Interface index -> frames that the agent was too late for; 0: of the drop monitor. Those above zero."""
    rows = raw.heads(raw.records(Kind.CAPTURED), CAPTURED_OUT)
    found = {int(i): int(rows["lost"][rows["interface"] == i].sum()) for i in np.unique(rows["interface"])}
    return {interface: count for interface, count in found.items() if count}


def _first(offset: Ints) -> int:
    return int(offset[0]) if len(offset) else 0
