"""Pages of the kernel's ring buffer: where each event is and when it was. What is in it, trace.py knows.

Source: kernel/trace/ring_buffer.c (enum ring_buffer_type, rb_update_read_stamp). All pages are walked
side by side, so that numpy does the work of a million events: one event of each at a time or, where those
behind it are as large, as they are in a trace of one kind of event, dozens. Not more than some thousand pages
at once, so that it takes little memory.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from labkit.decode.mapped_file import forget
from labkit.decode.raw import Bytes, Ints, Raw, RawFormatError, Rows, take
from labkit.program.structs import EVENT_OUT, Kind

Bools = npt.NDArray[np.bool_]

_MISSED_STORED = 1 << 30
_SIZE = (1 << 30) - 1
_LONG_DATA, _PADDING, _EXTEND, _STAMP = 0, 29, 30, 31
_TOP = np.int64(31) << np.int64(59)  # the bits that an absolute stamp leaves out
_COLUMNS = ("id", "at_ns", "offset", "size")
_AT_ONCE = 1 << 12  # pages that are walked together
_MOST_AHEAD, _TRIED = (
    64,
    8,
)  # events of a page that are looked at together, and that are to see whether it pays
_FIELD = re.compile(r"field:[^;]*?(\w+);\s*offset:(\d+);\s*size:(\d+);")


@dataclass(frozen=True)
class Events:
    """Every event in the order of the pages: arrays of one length.

    id: of its format. at_ns: the trace clock, which in a lab kernel is CLOCK_MONOTONIC.
    offset, size: of its bytes in the raw file, beginning with common_type. lost: what pages admit.
    """

    id: Ints
    at_ns: Ints
    offset: Ints
    size: Ints
    lost: int


def read_events(raw: Raw, header_page: str) -> Events:
    """header_page: the text of events/header_page. Raises RawFormatError."""
    records = raw.records(Kind.TRACE)
    fields = {name: (int(at), int(size)) for name, at, size in _FIELD.findall(header_page)}
    if not {"timestamp", "commit", "data"} <= fields.keys():
        raise RawFormatError("events/header_page has no timestamp, commit and data", 0)
    data_at = fields["data"][0]
    commit_at, commit_size = fields["commit"]
    head = np.dtype(
        {
            "names": ["time", "commit"],
            "formats": ["<i8", f"<u{commit_size}"],
            "offsets": [fields["timestamp"][0], commit_at],
            "itemsize": data_at,
        }
    )
    heads = raw.heads(records, head)
    used = (heads["commit"] & _SIZE).astype(np.int64)
    start = records.offset + data_at
    _check(used > records.size - data_at, start, "a trace page that says it is longer than it is")
    found = []
    for at in range(0, max(len(start), 1), _AT_ONCE):
        some = slice(at, at + _AT_ONCE)
        end = start[some] + used[some]
        walk = _Walk(raw.data, start[some], end, heads["time"][some].astype(np.int64))
        found.append(walk.events(_lost(raw.data, heads[some], end, commit_size)))
        forget(raw.data)
    columns = {name: np.concatenate([getattr(part, name) for part in found]) for name in _COLUMNS}
    return Events(**columns, lost=sum(part.lost for part in found))


def _lost(data: Bytes, heads: Rows, end: Ints, long_size: int) -> int:
    stored = (heads["commit"] & _MISSED_STORED) != 0
    stored &= end + long_size <= len(data)
    counts = take(data, end[stored], np.dtype(f"<u{long_size}"))
    return int(counts.sum())


def _check(wrong: Bools, offset: Ints, what: str) -> None:
    if wrong.any():
        raise RawFormatError(what, int(offset[wrong][0]))


class _Walk:
    """Steps through all pages at once. Positions count words of 4 bytes."""

    def __init__(self, data: Bytes, start: Ints, end: Ints, time: Ints) -> None:
        self.words = data[: len(data) // 4 * 4].view("<u4")
        self.pages = len(start)
        self.count = np.zeros(self.pages, np.int64)  # events of each page so far
        self.ahead = _TRIED
        self.found: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []
        page, at, stop = np.arange(self.pages), start // 4, end // 4
        for step in itertools.count():
            alive = at < stop
            if not alive.all():
                page, at, stop, time = page[alive], at[alive], stop[alive], time[alive]
            if not page.size:
                break
            if step % 32 == 0 and self.ahead == 1:
                self.ahead = _TRIED
            at, time = self._step(page, at, stop, time)

    def _step(self, page: Ints, at: Ints, stop: Ints, time: Ints) -> tuple[Ints, Ints]:
        kind, size, delta = self._here(at, stop, time)
        special, long = kind >= _PADDING, kind == _LONG_DATA
        time, next_at = time + delta, at + 1 + size
        _check((next_at > stop) | (size < ~special), at * 4, "a trace event without end")
        self._keep(page[~special], at[~special], time[~special], size[~special], long[~special])
        if self.ahead > 1:
            return self._alike(page, next_at, stop, time, size, kind)
        return next_at, time

    def _alike(
        self, page: Ints, at: Ints, stop: Ints, time: Ints, size: Ints, kind: Ints
    ) -> tuple[Ints, Ints]:
        """The events at `at` and behind it that are of the kind and size of the one before."""
        place = at[:, None] + (1 + size)[:, None] * np.arange(self.ahead)
        inside = place + (1 + size)[:, None] <= stop[:, None]
        place = np.where(inside, place, at[:, None] - 1)
        words = self.words[place]
        alike = inside & (words & 31 == kind[:, None]) & (kind < _PADDING)[:, None]
        if (kind == _LONG_DATA).any():
            behind = np.minimum(place + 1, len(self.words) - 1)  # of one that is not inside nothing is taken
            alike &= (kind != _LONG_DATA)[:, None] | (self.words[behind] // 4 == size[:, None])
        alike = np.logical_and.accumulate(alike, axis=1)
        times = time[:, None] + np.cumsum(np.where(alike, words >> 5, 0), axis=1, dtype=np.int64)
        row, _ = np.nonzero(alike)
        self._keep(page[row], place[alike], times[alike], size[row], (kind == _LONG_DATA)[row])
        number = alike.sum(axis=1)
        mean = number.mean()
        self.ahead = int(min(2 * mean, _MOST_AHEAD)) if mean >= 2 else 1
        return at + (1 + size) * number, times[:, -1]

    def _keep(self, page: Ints, at: Ints, time: Ints, size: Ints, long: Bools) -> None:
        """Events at `at`, each page's one after the other. long: a word of its own says its size."""
        first = np.searchsorted(page, page)  # of this page
        rank = self.count[page] + np.arange(len(page)) - first
        self.found.append((page, rank, time, (at + 1 + long) * 4, (size - long) * 4))
        self.count += np.bincount(page, minlength=self.pages)

    def _here(self, at: Ints, stop: Ints, time: Ints) -> tuple[Ints, Ints, Ints]:
        """The event at `at`: its kind, the words of its data, the time since the one before."""
        word = self.words[at]
        kind = word & 31
        delta = (word >> 5).astype(np.int64)
        special = kind >= _PADDING
        size = kind.astype(np.int64)  # of the data, in words
        first = at + 1
        has_size = (kind == _LONG_DATA) | special
        if has_size.any():
            argument = self.words[np.minimum(first, len(self.words) - 1)].astype(np.int64)
            size = np.where(has_size, argument // 4, size)
        if special.any():
            padding, stamp = kind == _PADDING, kind == _STAMP
            size = np.where(special & ~padding, 1, size)
            size = np.where(padding & (delta == 0), stop - first, size)  # the rest of the page is empty
            wide = (argument << 27) + delta
            top = time & _TOP
            absolute = wide | top
            absolute += np.where((top != 0) & (absolute < time), np.int64(1) << np.int64(59), 0)
            delta = np.where(padding, 0, np.where(kind == _EXTEND, wide, delta))
            delta = np.where(stamp, absolute - time, delta)
        return kind, size, delta

    def events(self, lost: int) -> Events:
        """Puts what was found side by side in the order of the pages."""
        start = np.cumsum(self.count) - self.count
        total = int(self.count.sum())
        time, offset = (np.empty(total, np.int64) for _ in range(2))
        size: Ints = np.empty(total, np.int32)
        for page, rank, at_ns, at, length in self.found:
            place = start[page] + rank
            time[place], offset[place], size[place] = at_ns, at, length
        _check(size < 4, offset, "a trace event without type")
        ids: Ints = np.empty(total, np.int32)
        ids[:] = self.words[offset // 4] & 0xFFFF
        return Events(ids, time, offset, size, lost)


def read_samples(raw: Raw) -> Events:
    """Events that came one by one (perf, on a machine's own kernel), put in order of time. Raises
    RawFormatError."""
    records = raw.records(Kind.EVENTS)
    found: list[tuple[int, int, int]] = []
    head = EVENT_OUT.size
    for start, size in zip(records.offset.tolist(), records.size.tolist(), strict=True):
        at = start
        while at < start + size:
            whole = at + head <= start + size
            at_ns, length, _ = EVENT_OUT.unpack_from(raw.data.data, at) if whole else (0, 0, 0)
            if length < 4 or at + head + length > start + size:
                raise RawFormatError("a sampled event without end", at)
            found.append((at_ns, at + head, length))
            at += head + (length + 7 & ~7)
    rows = np.array(sorted(found), np.int64).reshape(-1, 3)
    time, offset, length = rows.T
    return Events(take(raw.data, offset, np.dtype("<u2")).astype(np.int64), time, offset, length, 0)
