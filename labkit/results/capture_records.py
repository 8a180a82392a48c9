"""The records of pcap and pcapng files: their chain is walked, what is in them is read all at once.

Formats: draft-ietf-opsawg-pcap; draft-ietf-opsawg-pcapng, section 4 (blocks).
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from labkit.decode.headers import NONE
from labkit.decode.raw import Bytes, Ints, take

PCAP: Mapping[bytes, tuple[str, int]] = MappingProxyType(
    {
        b"\xd4\xc3\xb2\xa1": ("<", 1000),
        b"\x4d\x3c\xb2\xa1": ("<", 1),
        b"\xa1\xb2\xc3\xd4": (">", 1000),
        b"\xa1\xb2\x3c\x4d": (">", 1),
    }
)
"""By a file's first four bytes: its byte order, and how many nanoseconds its fractions of a second count."""
PCAPNG = b"\x0a\x0d\x0d\x0a"
LARGEST = 1 << 20  # bytes of a frame: Linux makes none above 524,280 (GSO_MAX_SIZE)

_FILE_HEADER, _RECORD_HEADER = 24, 16
_SECTION, _INTERFACE, _OLD_PACKET, _SIMPLE, _PACKET = 0x0A0D0D0A, 1, 2, 3, 6  # types of block
_SHORTEST = {_SECTION: 28, _INTERFACE: 20, _OLD_PACKET: 32, _SIMPLE: 16, _PACKET: 32}
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_END, _TSRESOL, _TSOFFSET = 0, 9, 14  # types of an interface's options
_MICROSECONDS = 6  # 10^-6 s: where none is told
_SECOND = 10**9

CUT = "stops in the middle of a frame: read up to there"


@dataclass(frozen=True)
class CaptureRecords:
    """Frames in the order of the file. offset, captured: where they are; length: on the wire; at_ns: since
    the epoch, modulo 2^64; link: LINKTYPE_ number, -1: the file
    does not describe the frame's interface. fault: why it was not read to its end; None: it was."""

    offset: Ints
    captured: Ints
    length: Ints
    at_ns: Ints
    link: Ints
    fault: str | None


def _damaged(at: int) -> str:
    return f"damaged at byte {at}: read up to there"


def pcap(data: Bytes) -> CaptureRecords:
    """Raises ValueError: less than the file's own header."""
    order, unit = PCAP[data[:4].tobytes()]
    if len(data) < _FILE_HEADER:
        raise ValueError("ends within its own header")
    (link,) = struct.unpack_from(order + "I", data.data, 20)
    size_of = struct.Struct(order + "I").unpack_from
    starts, at, end, fault = array("q"), _FILE_HEADER, len(data), None
    view = data.data
    while at < end:
        size = size_of(view, at + 8)[0] if at + _RECORD_HEADER <= end else end
        after = at + _RECORD_HEADER + size
        if size > LARGEST or after > end:
            fault = CUT if after > end else _damaged(at)
            break
        starts.append(at)
        at = after
    u4 = order + "u4"
    kind = np.dtype([("seconds", u4), ("fraction", u4), ("captured", u4), ("length", u4)])
    start = np.frombuffer(starts, np.int64)
    rows = take(data, start, kind)
    at_ns = rows["seconds"].astype(np.int64) * _SECOND + rows["fraction"].astype(np.int64) * unit
    captured, length = rows["captured"].astype(np.int64), rows["length"].astype(np.int64)
    links = np.full(len(start), link & 0xFFFF)  # above: of the frame check sequence
    return CaptureRecords(start + _RECORD_HEADER, captured, length, at_ns, links, fault)


class _Interface(NamedTuple):
    link: int
    snap: int
    resolution: int
    offset_s: int


@dataclass
class _Section:
    """packets: where its packets' blocks are, by type of block."""

    order: str
    interfaces: list[_Interface] = field(default_factory=list)
    packets: dict[int, array[int]] = field(default_factory=dict)


class _Fault(Exception):
    """Why the chain of blocks cannot be followed to its end."""


def pcapng(data: Bytes) -> CaptureRecords:
    """Raises ValueError: its first block is not whole."""
    sections: list[_Section] = []
    fault = None
    try:
        for kind, at, size, order in _blocks(data):
            if kind == _SECTION:
                if sections and not sections[-1].packets:
                    sections.pop()
                sections.append(_Section(order))
            elif kind == _INTERFACE:
                sections[-1].interfaces.append(_interface(data, at, size, order))
            elif kind in _SHORTEST:
                sections[-1].packets.setdefault(kind, array("q")).append(at)
    except _Fault as error:
        fault = str(error)
    if not sections:
        raise ValueError("ends within its own header, or that is damaged")
    parts = [_packets(data, section, kind) for section in sections for kind in section.packets]
    found = np.concatenate(parts, axis=1) if parts else np.empty((7, 0), np.int64)
    found = found[:, np.argsort(found[0], kind="stable")]
    at, room, offset, captured, length, at_ns, link = found
    wrong = np.flatnonzero(captured > room)
    if wrong.size:
        fault = _damaged(int(at[wrong[0]]))
        _, _, offset, captured, length, at_ns, link = found[:, : wrong[0]]
    return CaptureRecords(offset, captured, length, at_ns, link, fault)


def _blocks(data: Bytes) -> Iterator[tuple[int, int, int, str]]:
    """Type, offset, size and byte order of each. Raises _Fault."""
    view, at, end, order = data.data, 0, len(data), "<"
    head, tail = struct.Struct("<II"), struct.Struct("<I")
    while at < end:
        if at + 12 > end:
            raise _Fault(CUT)
        kind, size = head.unpack_from(view, at)
        if kind == _SECTION:
            order = _ORDERS.get(bytes(view[at + 8 : at + 12]), "")
            head, tail = struct.Struct(f"{order}II"), struct.Struct(f"{order}I")
            size = head.unpack_from(view, at)[1]
        if not order or size < _SHORTEST.get(kind, 12) or size % 4:
            raise _Fault(_damaged(at))
        if at + size > end:
            raise _Fault(CUT)
        if tail.unpack_from(view, at + size - 4)[0] != size:
            raise _Fault(_damaged(at))
        yield kind, at, size, order
        at += size


def _interface(data: Bytes, at: int, size: int, order: str) -> _Interface:
    link, _, snap = struct.unpack_from(order + "HHI", data.data, at + 8)
    resolution, offset_s, place, end = _MICROSECONDS, 0, at + 16, at + size - 4
    while place + 4 <= end:
        code, length = struct.unpack_from(order + "HH", data.data, place)
        place += 4
        if code == _END or place + length > end:
            break
        if code == _TSRESOL and length == 1:
            resolution = int(data[place])
        elif code == _TSOFFSET and length == 8:
            (offset_s,) = struct.unpack_from(order + "q", data.data, place)
        place += length + -length % 4
    return _Interface(link, snap, resolution, offset_s)


def _packets(data: Bytes, section: _Section, kind: int) -> Ints:
    """Rows of one section's packets: where the block is, how many bytes of a frame it has room for, and what
    CaptureRecords has."""
    at = np.frombuffer(section.packets[kind], np.int64)
    u2, u4 = section.order + "u2", section.order + "u4"
    size = take(data, at + 4, np.dtype(u4)).astype(np.int64)
    if kind == _SIMPLE:
        length = take(data, at + 8, np.dtype(u4)).astype(np.int64)
        snap = section.interfaces[0].snap if section.interfaces else 0
        captured = np.minimum(np.minimum(length, size - 16), snap or LARGEST)
        interface, ticks, place = np.zeros(len(at), np.int64), np.zeros(len(at), np.uint64), at + 12
    else:
        names = ("interface", "high", "low", "captured", "length")
        offsets = [0, 4, 8, 12, 16]
        kinds = [u2 if kind == _OLD_PACKET else u4, u4, u4, u4, u4]
        rows = take(data, at + 8, np.dtype({"names": names, "formats": kinds, "offsets": offsets}))
        captured, length = rows["captured"].astype(np.int64), rows["length"].astype(np.int64)
        ticks = rows["high"].astype(np.uint64) << np.uint64(32) | rows["low"]
        interface, place = rows["interface"].astype(np.int64), at + 28
    at_ns, link = np.zeros(len(at), np.int64), np.full(len(at), NONE, np.int64)
    for number in np.unique(interface).tolist():
        if number < len(section.interfaces):
            mine, one = interface == number, section.interfaces[number]
            link[mine], at_ns[mine] = one.link, _nanoseconds(ticks[mine], one)
    room = size - (16 if kind == _SIMPLE else 32)
    return np.stack((at, np.minimum(room, LARGEST), place, captured, length, at_ns, link))


def _nanoseconds(ticks: npt.NDArray[np.uint64], interface: _Interface) -> Ints:
    """Since the epoch. if_tsresol: ticks of 10^-n s, with its upper bit of 2^-n s."""
    n = np.uint64(interface.resolution & 0x7F)
    if interface.resolution & 0x80:
        n = np.minimum(n, np.uint64(63))  # finer than that is no clock
        seconds, part = ticks >> n, ticks & ((np.uint64(1) << n) - np.uint64(1))
        finer = np.uint64(max(int(n) - 33, 0))
        ns = seconds * np.uint64(_SECOND) + ((part >> finer) * np.uint64(_SECOND) >> (n - finer))
    elif n <= 9:
        ns = ticks * np.uint64(10 ** int(9 - n))
    else:
        ns = ticks // np.uint64(10 ** int(n - 9)) if n <= 28 else 0 * ticks
    at_ns: Ints = (ns + np.uint64(interface.offset_s * _SECOND % (1 << 64))).astype(np.int64)
    return at_ns
