"""Capture files, written: with nanoseconds and named interfaces. scapy's writer has no finer time stamps than
microseconds. capture_files.py reads them.

Format: draft-ietf-opsawg-pcapng, sections 4.1 to 4.3 (blocks) and 3.5 (options).
"""

from __future__ import annotations

import struct
from pathlib import Path

from labkit.decode.frames import Frames
from labkit.errors import LabkitError

ETHERNET = 1  # LINKTYPE_ETHERNET
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6  # types of block
_END, _IF_NAME, _IF_TSRESOL, _EPB_FLAGS = 0, 2, 9, 2  # types of option; if_tsresol 9: 10^-9 s
_IN, _OUT = 1, 2  # epb_flags, direction
_LOW = 0xFFFFFFFF
_ORDER = b"\x4d\x3c\x2b\x1a"


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
