"""Trace events as tables, by each event's own `format` text. What an event means, others know."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.pages import Events, read_events
from labkit.decode.raw import Ints, Kind, Raw, RawFormatError, Rows, take

UNITS: dict[str, str] = {"time_s": "s since the start of the run; the other columns are the kernel's own"}

_FIELD = re.compile(r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);")
_ARRAY = re.compile(r"(.*?)(\w+)\[[^]]*\]$")
_SYMBOLIC = re.compile(r"__print_symbolic\(REC->(\w+),((?:\s*\{[^{}]*\},?)+)\)")
_SYMBOL = re.compile(r'\{\s*(\w+),\s*"([^"]*)"\s*\}')
_DYNAMIC = ("__data_loc", "__rel_loc")
_INET, _PORT, _ADDRESS = 2, slice(2, 4), slice(4, 8)  # struct sockaddr_in


@dataclass(frozen=True)
class EventFormat:
    """What the kernel says of one event. dynamic: the fields that point at text; symbols: their names."""

    name: str  # group/name
    id: int
    dtype: np.dtype[Any]
    dynamic: dict[str, str]
    symbols: dict[str, dict[int, str]]


def parse_format(path: str, text: str) -> EventFormat:
    """path: "events/GROUP/NAME/format". Raises RawFormatError if the text is none."""
    name = "/".join(path.split("/")[1:-1])
    number = re.search(r"^ID: (\d+)$", text, re.M)
    names: list[str] = []
    formats: list[Any] = []
    offsets: list[int] = []
    dynamic: dict[str, str] = {}
    for declared, offset, size, signed in _FIELD.findall(text):
        field, dtype, kind = _field(declared, int(size), signed == "1")
        names.append(field)
        formats.append(dtype)
        offsets.append(int(offset))
        if kind:
            dynamic[field] = kind
    if number is None or not names:
        raise RawFormatError(f"{path} is no event format", 0)
    end = max(at + np.dtype(f).itemsize for at, f in zip(offsets, formats, strict=True))
    dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": end})
    symbols = {
        field: {int(value, 0): label for value, label in _SYMBOL.findall(pairs) if value[0].isdigit()}
        for field, pairs in _SYMBOLIC.findall(text)
    }
    return EventFormat(name, int(number[1]), dtype, dynamic, symbols)


def _field(declared: str, size: int, signed: bool) -> tuple[str, Any, str]:
    """(name, dtype, "" or the kind of pointer) of "__u8 saddr[28]" and the like."""
    for kind in _DYNAMIC:
        if declared.startswith(kind):
            return declared.split()[-1].split("[")[0], "<u4", kind
    array = _ARRAY.match(declared.strip())
    if array:
        text = array[1].split()[-1:] == ["char"]
        return array[2], f"S{size}" if text else ("u1", (size,)), ""
    name = declared.split()[-1].lstrip("*")
    if size not in (1, 2, 4, 8):
        return name, ("u1", (size,)), ""
    return name, f"<{'i' if signed else 'u'}{size}", ""


class Trace:
    """The trace of a run. Raises RawFormatError where the bytes are not what the kernel writes."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.formats: dict[str, EventFormat] = {}
        self._header = ""
        for _, _, path, contents in raw.files():
            text = contents.decode(errors="replace")
            if path == "events/header_page":
                self._header = text
            elif path.startswith("events/"):
                found = parse_format(path, text)
                self.formats[found.name] = found

    @cached_property
    def events(self) -> Events:
        """Where every event is."""
        if not len(self.raw.records(Kind.TRACE)):
            none = np.empty(0, np.int64)
            return Events(none, none, none, none, 0)
        return read_events(self.raw, self._header)

    @property
    def lost(self) -> int:
        """Events that the buffer had no room for."""
        return max(self.raw.lost_trace_events, self.events.lost)

    def rows(self, name: str) -> tuple[Ints, Ints, Rows]:
        """(ns since the epoch, byte offsets, structs) of all events of one name; KeyError if not traced."""
        wanted = self.formats[name]
        events = self.events
        mine = np.flatnonzero(events.id == wanted.id)
        offset, size = events.offset[mine], events.size[mine]
        short = np.flatnonzero(size < wanted.dtype.itemsize)
        if short.size:
            raise RawFormatError(f"a {name} event shorter than its format", int(offset[short[0]]))
        return events.at_ns[mine] - self.raw.monotonic_ns, offset, take(self.raw.data, offset, wanted.dtype)

    def table(self, name: str) -> pd.DataFrame:
        """time_s and the event's fields; numbers with a name have it in FIELD_name."""
        at_ns, offset, rows = self.rows(name)
        known = self.formats[name]
        columns: dict[str, Any] = {"time_s": at_ns / 1e9}
        for field in rows.dtype.names or ():
            if field.startswith("common_"):
                continue
            values = rows[field]
            if field in known.dynamic:
                columns[field] = self._texts(values, offset, known, field)
            elif values.ndim > 1:
                columns[field] = _addresses(field, values)
            elif values.dtype.kind == "S":
                columns[field] = _each(values, lambda b: b.split(b"\0")[0].decode(errors="replace"))
            else:
                columns[field] = np.ascontiguousarray(values)
            if field in known.symbols:
                names = known.symbols[field]
                columns[f"{field}_name"] = _each(values, lambda n, names=names: names.get(int(n), str(n)))
        return pd.DataFrame(columns)

    def _texts(self, values: Rows, offset: Ints, known: EventFormat, field: str) -> pd.Categorical:
        """Text at the end of an event, which the field points at: offset | length << 16."""
        start = offset + (values & 0xFFFF)
        if known.dynamic[field] == "__rel_loc":
            assert known.dtype.fields
            start = start + known.dtype.fields[field][1] + 4
        length = values >> 16
        widest = int(length.max(initial=1))
        if len(start) and int((start + widest).max()) > len(self.raw.data):
            widest = int((len(self.raw.data) - start).min())
        texts = take(self.raw.data, start, np.dtype(f"S{max(widest, 1)}"))
        return _each(texts, lambda b: b.split(b"\0")[0].decode(errors="replace"))


def _each(values: Rows, read: Any) -> pd.Categorical:
    """read(value), called once for each different value."""
    distinct, codes = np.unique(values, return_inverse=True)
    names = [read(value) for value in distinct]
    order = sorted(set(names))
    place = np.array([order.index(name) for name in names], np.int64)
    return pd.Categorical.from_codes(place[codes] if len(place) else codes, order)


def _addresses(field: str, values: Rows) -> Any:
    """IPv4 addresses as text; other bytes as bytes."""
    width = values.shape[1]
    rows = np.ascontiguousarray(values).view(f"V{width}")[:, 0]
    if field in ("saddr", "daddr") and width in (4, 28):
        packed = rows.view(np.uint8).reshape(-1, width)
        return _each(packed.view(f"V{width}")[:, 0], lambda b: address_text(bytes(b)))
    return rows.tolist()


def address_text(packed: bytes) -> str:
    """ "10.0.0.1" for 4 bytes, "10.0.0.1:80" for a struct sockaddr_in, hex for anything else."""
    if len(packed) == 4:
        return ".".join(map(str, packed))
    if int.from_bytes(packed[:2], "little") == _INET:
        port = int.from_bytes(packed[_PORT], "big")
        return f"{'.'.join(map(str, packed[_ADDRESS]))}:{port}"
    return packed.hex()
