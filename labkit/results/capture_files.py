"""Capture files that somebody else made: pcap and pcapng, packed with gzip or not, as frames.

scapy reads them, too, but a frame at a time, none above 65,535 bytes, and damage ends in whatever exception
it meets. Here a file is mapped into memory, and its frames stay where they are.
"""

from __future__ import annotations

import gzip
import warnings
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from labkit.decode.foreign_headers import ForeignFrames
from labkit.decode.link_layers import LINKS, unknown
from labkit.decode.mapped_file import MappedFile
from labkit.decode.raw import Bytes
from labkit.results.capture_records import CUT, PCAP, PCAPNG, pcap, pcapng
from labkit.results.pcapng import CaptureFileError
from labkit.schema import foreign_files

MOST_BYTES = 8 << 30
"""Of a capture: more would not be read in an hour."""
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20
_SMALL, _TIMES = 64 << 20, 200  # unpacked bytes: so many, and so many times as many as it was packed to
_LARGEST = (1 << 31) - 1  # bytes of a frame: what a column holds


def read(path: str | Path) -> ForeignFrames:
    """The frames of a pcap or pcapng file, times counted from the first one's. All of one interface, 0.

    Warns of a file that is damaged or cut: what is before that is read. Raises
    FileNotFoundError, CaptureFileError.
    """
    file = Path(path)
    fault = None
    with foreign_files.opened(file, MOST_BYTES, refused=CaptureFileError) as opened:
        data = MappedFile(opened).data
        if data[:2].tobytes() == _GZIP:
            opened.seek(0)
            data, fault = _unpacked(file, opened, len(data))
    magic = data[:4].tobytes()
    if magic not in PCAP and magic != PCAPNG:
        raise CaptureFileError(f"{file}: neither pcap nor pcapng: write it with tcpdump -w, or Wireshark")
    try:
        found = pcapng(data) if magic == PCAPNG else pcap(data)
    except ValueError as error:
        raise CaptureFileError(f"{file}: {error}: copy it again, or capture again") from None
    if fault or found.fault:
        warnings.warn(f"{file}: {fault or found.fault}", stacklevel=3)
    if len(found.link) and not np.isin(found.link, list(LINKS)).any():
        known = ", ".join(f"{link.name} ({number})" for number, link in LINKS.items())
        what = f"frames {unknown(int(found.link[0]))}, only {known} are read"
        raise CaptureFileError(f"{file}: {what}: capture on another interface")
    none = np.zeros(len(found.offset), np.int64)
    return ForeignFrames(
        data,
        found.at_ns - found.at_ns[:1],
        none,
        none != 0,
        found.offset,
        found.captured,
        np.minimum(found.length, _LARGEST),
        found.link,
    )


def _unpacked(file: Path, source: BinaryIO, packed: int) -> tuple[Bytes, str | None]:
    """What is in a gzip file, up to where that is damaged or cut; and the fault."""
    made, fault, most = bytearray(), None, _SMALL + _TIMES * packed
    with gzip.open(source) as opened:
        try:
            while piece := opened.read1(_PIECE):
                made += piece
                if len(made) > most:
                    what = f"unpacks to more than {most >> 20} MiB"
                    raise CaptureFileError(f"{file}: {what}: if you trust it, gunzip it first")
        except EOFError:
            fault = CUT
        except (gzip.BadGzipFile, zlib.error) as error:
            fault = f"its compression is damaged ({error}): read up to there"
    return np.frombuffer(made, np.uint8), fault
