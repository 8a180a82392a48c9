"""The raw file of a run: its records, found by type. What is in them, the other modules know.

agent/FORMAT.md describes it; its structs are in program/structs.py.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from labkit.decode.mapped_file import MappedFile, forget
from labkit.errors import LabkitError
from labkit.program.structs import END_REASONS, HEADS, LAB_AT_SETUP, RECORD, Kind

_LARGEST = 1 << 20  # the agent's own buffers end at 64 KiB
_AT_ONCE = 1 << 12  # records: at the most 256 MiB of the file
_KINDS = range(64, 128)  # those above the last one known are a newer agent's: left alone

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]


class RawFormatError(LabkitError):
    """The raw file is not what an agent writes: what is wrong, at which byte, and what to do."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(f"raw file damaged at byte {offset}: {what}: delete this result and run again")
        self.offset = offset


@dataclass(frozen=True)
class Records:
    """All records of one type, in the order of the file: arrays of one length.

    offset, size: of the payload, in bytes of the file. at_ns: since the epoch; -1: before it.
    """

    kind: Kind
    offset: Ints
    size: Ints
    ns: Ints
    at_ns: Ints

    def __len__(self) -> int:
        return len(self.offset)


@dataclass(frozen=True)
class KeptFile:
    """A text of the kernel's, with the namespace it was read in. offset: of the record's payload."""

    phase: int
    ns: int
    path: str
    text: str
    offset: int


@contextmanager
def damage(what: str, offset: int) -> Iterator[None]:
    """Bytes that make no sense are damage at that place."""
    try:
        yield
    except (ValueError, struct.error, LookupError, TypeError, OverflowError) as error:
        raise RawFormatError(f"{what} ({error})", offset) from None


class Raw:
    """A raw file with the places of its records. `truncated`: it stops in the middle of a run."""

    def __init__(self, source: MappedFile | Bytes | bytes) -> None:
        """source: a whole file, or the bytes of one."""
        data = source.data if isinstance(source, MappedFile) else source
        self.data: Bytes = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        table, self.truncated = _index(self.data)
        self._table = table
        self.truncated = self.truncated or not len(self.records(Kind.END))

    @classmethod
    def open(cls, file: Path | BinaryIO) -> Raw:
        """Maps a file into memory. Raises OSError, RawFormatError."""
        return cls(MappedFile(file))

    def records(self, kind: Kind) -> Records:
        """Every record of one type; none is no error."""
        table = self._table[self._table[:, 0] == kind]
        return Records(kind, table[:, 2], table[:, 3], table[:, 1], table[:, 4])

    def first(self, kind: Kind) -> int:
        """Where the payload of the first record of a type begins; 0 if there is none."""
        return int(self.records(kind).offset[0]) if len(self.records(kind)) else 0

    def heads(self, records: Records, dtype: np.dtype[Any] | None = None) -> Rows:
        """The struct that each payload begins with: the one of its type, or another one. Raises
        RawFormatError if one is too short."""
        dtype = HEADS[records.kind].dtype if dtype is None else dtype
        short = np.flatnonzero(records.size < dtype.itemsize)
        if short.size:
            what = f"a record of type {records.kind.name} has {records.size[short[0]]} bytes of payload"
            raise RawFormatError(f"{what}, needs {dtype.itemsize}", int(records.offset[short[0]]))
        found = np.empty(len(records), dtype)
        for start in range(0, len(found), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            found[part] = take(self.data, records.offset[part], dtype)
            forget(self.data)
        return found

    def bodies(self, records: Records, skip: int = 0) -> Iterator[memoryview]:
        """The payload of each record behind its first `skip` bytes."""
        view = self.data.data
        for at, size in zip(records.offset.tolist(), records.size.tolist(), strict=True):
            yield view[at + skip : at + size]

    def behind(self, records: Records) -> Iterator[memoryview]:
        """The payload of each record behind its struct."""
        return self.bodies(records, HEADS[records.kind].size)

    def texts(self, records: Records) -> list[str]:
        """What stands behind each record's struct as text, up to its zero byte."""
        return [bytes(body).split(b"\0")[0].decode(errors="replace") for body in self.behind(records)]

    def files(self) -> Iterator[KeptFile]:
        """The kernel's files that the agent kept."""
        records = self.records(Kind.FILE)
        phases, spaces = self.heads(records)["phase"].tolist(), records.ns.tolist()
        for i, body in enumerate(self.behind(records)):
            path, _, contents = bytes(body).decode(errors="replace").partition("\0")
            yield KeptFile(phases[i], spaces[i], path, contents, int(records.offset[i]))

    @cached_property
    def monotonic_ns(self) -> int:
        """CLOCK_MONOTONIC at the epoch, which is 0 of all times."""
        epochs = self.heads(self.records(Kind.EPOCH))
        return int(epochs["monotonic_ns"][0]) if len(epochs) else 0

    @property
    def lost_trace_events(self) -> int:
        """How many events the trace buffer had no room for, as the agent was told at the end."""
        ends = self.heads(self.records(Kind.END))
        return int(ends["lost_trace_events"].max(initial=0))

    @property
    def last_ns(self) -> int:
        """The last instant (ns since the epoch) that a record's header names; 0 if there is none."""
        return max(int(self.records(kind).at_ns.max(initial=0)) for kind in Kind)

    @property
    def end_reason(self) -> str | None:
        """Why the (last) program ended; None if the file stops before."""
        ends = self.heads(self.records(Kind.END))
        if not len(ends):
            return None
        code = int(ends["reason"][-1])
        return END_REASONS[code] if code < len(END_REASONS) else f"unknown ({code})"


def _index(file: Bytes) -> tuple[Ints, bool]:
    """Rows of (type, ns, payload offset, payload size, at_ns), and whether the tail is missing."""
    data = file.data
    found: list[tuple[int, int, int, int, int]] = []
    unpack, head, at, end = RECORD.unpack_from, RECORD.size, 0, len(data)
    truncated = False
    while at < end:
        if end - at < head:
            truncated = True
            break
        kind, ns, size, at_ns = unpack(data, at)
        if kind not in _KINDS or not head <= size <= _LARGEST or at_ns < LAB_AT_SETUP:
            what = f"no record starts here (type {kind}, {size} bytes, time {at_ns})"
            raise RawFormatError(what, at)
        if size > end - at:
            truncated = True
            break
        found.append((kind, ns, at + head, size - head, at_ns))
        at += (size + 7) & ~7
        if not len(found) % _AT_ONCE:
            forget(file)
    return np.array(found, np.int64).reshape(-1, 5), truncated


def take(data: Bytes, offsets: Ints, dtype: np.dtype[Any]) -> Rows:
    """A copy of the struct at each byte offset, which need not be aligned; all must lie within data."""
    if not len(offsets):
        return np.empty(0, dtype)
    room, size = len(data) - dtype.itemsize + 1, dtype.itemsize
    if dtype.kind in "iu":
        return np.lib.stride_tricks.as_strided(data[:size].view(dtype), (room,), (1,), writeable=False)[
            offsets
        ]
    windows = np.lib.stride_tricks.as_strided(data, (room, size), (1, 1), writeable=False)
    return windows[offsets].view(dtype)[:, 0]
