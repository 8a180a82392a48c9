"""Capture files: written with nanoseconds and named interfaces, read as frames.

scapy reads them; its writer says nothing of time stamps finer than microseconds.
Format: draft-ietf-opsawg-pcapng, sections 4.1 to 4.3 (blocks) and 3.5 (options).
"""

from __future__ import annotations

import struct
import warnings
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np
from scapy.error import Scapy_Exception
from scapy.utils import RawPcapNgReader, RawPcapReader

from labkit.decode.frames import Frames
from labkit.errors import LabkitError
from labkit.schema import foreign_files

MOST_BYTES = 8 << 30
"""Of a capture: more would not be read in an hour."""
ETHERNET = 1  # LINKTYPE_ETHERNET
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6  # types of block
_END, _IF_NAME, _IF_TSRESOL, _EPB_FLAGS = 0, 2, 9, 2  # types of option; if_tsresol 9: 10^-9 s
_IN, _OUT = 1, 2  # epb_flags, direction
_LOW = 0xFFFFFFFF
_PCAPNG, _ORDER, _GZIP = b"\x0a\x0d\x0d\x0a", b"\x4d\x3c\x2b\x1a", b"\x1f\x8b"
_PCAP = {
    b"\xd4\xc3\xb2\xa1": "<",
    b"\x4d\x3c\xb2\xa1": "<",
    b"\xa1\xb2\xc3\xd4": ">",
    b"\xa1\xb2\x3c\x4d": ">",
}
_NANO = (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")


class CaptureFileError(LabkitError):
    """A file that is no capture, or one of a kind that is not read here; names the file."""


def write(path: str | Path, frames: Frames, names: dict[int, str]) -> None:
    """frames as pcapng; time 0 is the start of the run. names: interface index -> name. Raises OSError."""
    number = {index: i for i, index in enumerate(names)}
    rows = zip(
        frames.at_ns.tolist(),
        frames.interface.tolist(),
        frames.outgoing.tolist(),
        frames.length.tolist(),
        strict=True,
    )
    with Path(path).open("wb") as file:
        file.write(_block(_SECTION, _ORDER + struct.pack("<HHq", 1, 0, -1)))  # version 1.0, of unknown length
        for name in names.values():
            options = _option(_IF_NAME, name.encode()) + _option(_IF_TSRESOL, b"\x09") + _option(_END)
            file.write(_block(_INTERFACE, struct.pack("<HHI", ETHERNET, 0, 0) + options))
        for i, (at_ns, interface, outgoing, length) in enumerate(rows):
            data = frames.bytes_of(i)
            where = struct.pack("<IIIII", number[interface], at_ns >> 32, at_ns & _LOW, len(data), length)
            options = _option(_EPB_FLAGS, struct.pack("<I", _OUT if outgoing else _IN)) + _option(_END)
            file.write(_block(_PACKET, where + _padded(data) + options))


def _block(kind: int, body: bytes) -> bytes:
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


def _option(code: int, value: bytes = b"") -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def read(path: str | Path) -> Frames:
    """The frames of a pcap or pcapng file, times counted from the first one's. All of one interface, 0.

    Warns of a file that stops in the middle of a frame; what is before that is read. Raises
    FileNotFoundError, CaptureFileError.
    """
    file = Path(path)
    with _opened(file) as opened:
        magic, _, order = (opened.read(4) for _ in range(3))
        if magic == _PCAPNG:
            cut = _stops(opened, 0, "<" if order == _ORDER else ">", 4, 0)
        elif magic in _PCAP:
            cut = _stops(opened, 24, _PCAP[magic], 8, 16)
        elif magic[:2] == _GZIP:
            raise CaptureFileError(f"{file}: compressed: unpack it first: gunzip {file.name}")
        else:
            raise CaptureFileError(f"{file}: neither pcap nor pcapng: write it with tcpdump -w, or Wireshark")
    if cut:
        warnings.warn(f"{file}: stops in the middle of a frame: read up to there", stacklevel=3)
    reader_of = RawPcapNgReader if magic == _PCAPNG else RawPcapReader
    kept: list[bytes] = []
    stamps: list[int] = []
    lengths: list[int] = []
    try:
        with _opened(file) as opened, reader_of(opened) as reader:  # type: ignore[arg-type]  # it takes both
            for data, meta in reader:
                link = getattr(meta, "linktype", None) or reader.linktype
                if link != ETHERNET:
                    what = f"frames of link type {link}, only Ethernet (1) is read"
                    raise CaptureFileError(f"{file}: {what}: capture on an Ethernet interface, not on 'any'")
                if len(data) < (getattr(meta, "caplen", None) or len(data)):
                    break
                kept.append(data)
                stamps.append(_nanoseconds(meta, magic))
                lengths.append(getattr(meta, "wirelen", None) or len(data))
    except Scapy_Exception as error:
        raise CaptureFileError(f"{file}: {error}") from None
    return _frames(kept, stamps, lengths)


def _opened(file: Path) -> BinaryIO:
    return foreign_files.opened(file, MOST_BYTES, refused=CaptureFileError)


def _nanoseconds(meta: object, magic: bytes) -> int:
    if magic == _PCAPNG:
        ticks = int(meta.tshigh) << 32 | int(meta.tslow)  # type: ignore[attr-defined]
        return ticks * 10**9 // int(meta.tsresol)  # type: ignore[attr-defined]
    fraction = int(meta.usec) * (1 if magic in _NANO else 1000)  # type: ignore[attr-defined]
    return int(meta.sec) * 10**9 + fraction  # type: ignore[attr-defined]


def _stops(file: IO[bytes], at: int, order: str, size_at: int, head: int) -> bool:
    """Does a chain of blocks, each telling its own size, end in the middle of one?"""
    end = file.seek(0, 2)
    while at + max(head, 12) <= end:
        file.seek(at + size_at)
        (size,) = struct.unpack(order + "I", file.read(4))
        if head + size < 12:
            return True
        at += head + size
    return at != end


def _frames(kept: list[bytes], stamps: list[int], lengths: list[int]) -> Frames:
    captured = np.array([len(data) for data in kept], np.int64)
    padded = (captured + 3) & ~3
    data = np.frombuffer(b"".join(frame + b"\0" * (-len(frame) % 4) for frame in kept), np.uint8)
    at_ns = np.array(stamps, np.int64) - (min(stamps) if stamps else 0)
    order = np.argsort(at_ns, kind="stable")
    none = np.zeros(len(kept), np.int64)
    return Frames(
        data, at_ns, none, none != 0, np.cumsum(padded) - padded, captured, np.array(lengths, np.int64)
    ).at(order)
