"""A file as it was when it was opened, whatever becomes of its name: mapped into memory, a small one read.

A mapped file needs no memory of its own: the system reads pages of it as they are looked at, and forgets them
when it needs the room.
"""

from __future__ import annotations

import hashlib
import mmap
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from labkit.schema.foreign_files import opened

_Bytes = npt.NDArray[np.uint8]

_SMALL = 256 << 10  # bytes: reading them is cheaper than a descriptor for as long as a result is held
_PIECE = 64 << 20  # bytes


class MappedFile:
    """data: the bytes of the file, read-only."""

    def __init__(self, source: Path | BinaryIO) -> None:
        """source: is read from its start; if it is open, it stays so. Raises FileNotFoundError, OSError,
        ForeignFileError."""
        with opened(source) if isinstance(source, Path) else nullcontext(source) as file:
            if file.seek(0, 2) <= _SMALL:
                file.seek(0)
                self.data: _Bytes = np.frombuffer(file.read(), np.uint8)
                return
            if sys.platform != "win32" and sys.version_info >= (3, 13):  # else a mapping keeps a descriptor
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ, trackfd=False)
            else:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.data = np.frombuffer(mapped, np.uint8)

    def parts(self) -> Iterator[memoryview]:
        """All of it, a piece after the other."""
        view = self.data.data
        for start in range(0, len(view), _PIECE):
            yield view[start : start + _PIECE]
            forget(self.data)

    def sha256(self) -> str:
        """In hex."""
        found = hashlib.sha256()
        for part in self.parts():
            found.update(part)
        return found.hexdigest()


def forget(data: _Bytes) -> None:
    """Give back the memory of a mapped file's pages looked at so far: they are read again when they
    are looked at. Of anything else nothing."""
    below: object = data
    while isinstance(below, np.ndarray | memoryview):
        below = below.base if isinstance(below, np.ndarray) else below.obj
    if isinstance(below, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        below.madvise(mmap.MADV_DONTNEED)
