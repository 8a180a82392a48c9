"""Netlink messages and their attributes, all of them at once. What is in them, the other modules know.

Many thousand samples: every message's first attribute is looked at together, then every second one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from labkit.decode.raw import Bytes, Ints, Raw, RawFormatError, take
from labkit.program.structs import DUMP_OUT, Kind

_HEADER = 16  # struct nlmsghdr
_U2, _U4 = np.dtype("<u2"), np.dtype("<u4")
_TYPE = 0x3FFF  # of an attribute, without its flags


@dataclass(frozen=True)
class Messages:
    """Messages of one type in the order of the file: arrays of one length.

    offset: in the file; size: of the message with its header; at_ns: since the epoch.
    """

    phase: Ints
    ns: Ints
    at_ns: Ints
    offset: Ints
    size: Ints


def messages(raw: Raw, kind: int, phase: int | None = None) -> Messages:
    """Each netlink message of a type that the kernel gave for a dump. Raises RawFormatError."""
    records = raw.records(Kind.NETLINK)
    phases = raw.heads(records)["phase"].astype(np.int64)
    record = np.arange(len(records)) if phase is None else np.flatnonzero(phases == phase)
    at = records.offset[record] + DUMP_OUT.size
    end = records.offset[record] + records.size[record]
    found: list[tuple[Ints, Ints, Ints]] = []
    while (more := at + _HEADER <= end).any():
        record, at, end = record[more], at[more], end[more]
        size = take(raw.data, at, _U4).astype(np.int64)
        damaged((size < _HEADER) | (size > end - at), at, "a netlink message without end")
        mine = take(raw.data, at + 4, _U2) == kind
        found.append((record[mine], at[mine], size[mine]))
        at = at + ((size + 3) & ~3)
    rows = np.concatenate([np.empty((3, 0), np.int64), *(np.stack(part) for part in found)], axis=1)
    which, offset, size = rows[:, np.argsort(rows[1])]
    return Messages(phases[which], records.ns[which], records.at_ns[which], offset, size)


def nested(data: Bytes, start: Ints, end: Ints, wanted: Sequence[int]) -> dict[int, tuple[Ints, Ints]]:
    """Attribute type -> (offset, size) of its contents in each stretch from start to end; size 0: none."""
    found = {number: (np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)) for number in wanted}
    which, at = np.arange(len(start)), start
    while (more := at + 4 <= end).any():
        which, at, end = which[more], at[more], end[more]
        size = take(data, at, _U2).astype(np.int64)
        number = take(data, at + 2, _U2) & _TYPE
        whole = (size >= 4) & (size <= end - at)
        for one, (offset, length) in found.items():
            mine = whole & (number == one)
            offset[which[mine]], length[which[mine]] = at[mine] + 4, size[mine] - 4
        at = np.where(whole, at + ((size + 3) & ~3), end)
    return found


def damaged(wrong: npt.NDArray[np.bool_], offset: Ints, what: str) -> None:
    """Raises RawFormatError at the first offset that is wrong."""
    if wrong.any():
        raise RawFormatError(what, int(offset[wrong][0]))
