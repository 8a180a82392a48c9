"""Trace events as tables, by each event's own `format` text. What an event means, others know."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import each
from labkit.decode.mapped_file import forget
from labkit.decode.pages import Events, read_events, read_samples
from labkit.decode.raw import Bytes, Ints, Raw, RawFormatError, Rows, damage, take
from labkit.program.structs import Kind

UNITS: dict[str, str] = {"time_s": "s since the start of the run; the other columns are the kernel's own"}

_FIELD = re.compile(r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);")
_ARRAY = re.compile(r"(.*?)(\w+)\[[^]]*\]$")
_SYMBOLIC = re.compile(r"__print_symbolic\(REC->(\w+),((?:\s*\{[^{}]*\},?)+)\)")
_SYMBOL = re.compile(r'\{\s*(\w+),\s*"([^"]*)"\s*\}')
_DYNAMIC = ("__data_loc", "__rel_loc")
_AT_ONCE = 1 << 19  # events whose field is fetched together
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
    """path: "events/GROUP/NAME/format". Raises ValueError if the text is none."""
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
        raise ValueError("it has no ID or no fields")
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
        for file in raw.files():
            if file.path == "events/header_page":
                self._header = file.text
            elif file.path.startswith("events/"):
                with damage(f"{file.path} is no event format", file.offset):
                    found = parse_format(file.path, file.text)
                self.formats[found.name] = found

    @cached_property
    def events(self) -> Events:
        """Where every event is."""
        if len(self.raw.records(Kind.TRACE)):
            return read_events(self.raw, self._header)
        return read_samples(self.raw)

    @property
    def lost(self) -> int:
        """Events that the buffer had no room for."""
        return max(self.raw.lost_trace_events, self.events.lost)

    def occurrences(self, name: str) -> Occurrences:
        """All events of one name. Raises KeyError if it was not traced."""
        wanted = self.formats[name]
        events = self.events
        mine = np.flatnonzero(events.id == wanted.id)
        offset = events.offset[mine]
        short = np.flatnonzero(events.size[mine] < wanted.dtype.itemsize)
        if short.size:
            raise RawFormatError(f"a {name} event shorter than its format", int(offset[short[0]]))
        return Occurrences(wanted, events.at_ns[mine] - self.raw.monotonic_ns, mine, offset, self.raw.data)

    def table(self, name: str) -> pd.DataFrame:
        """time_s and the event's fields; numbers with a name have it in FIELD_name."""
        found = self.occurrences(name)
        columns: dict[str, Any] = {"time_s": found.at_ns / 1e9}
        for field in found.format.dtype.names or ():
            if field.startswith("common_"):
                continue
            columns[field] = found.shown(field)
            if names := found.format.symbols.get(field):
                columns[f"{field}_name"] = each(found[field], partial(_name, names))
        return pd.DataFrame(columns, copy=False)


@dataclass(frozen=True)
class Occurrences:
    """All events of one name; a field is fetched from the file when asked for. at_ns: since the epoch;
    place: among the events of all names, in the order in which they happened."""

    format: EventFormat
    at_ns: Ints
    place: Ints
    offset: Ints
    data: Bytes

    def __contains__(self, field: str) -> bool:
        return field in (self.format.dtype.names or ())

    def __getitem__(self, field: str) -> Rows:
        """One value per event: a number, or the bytes of an array."""
        assert self.format.dtype.fields
        dtype, at, *_ = self.format.dtype.fields[field]
        base, shape = dtype.base, dtype.shape
        kind = np.dtype(f"V{shape[0]}") if shape else base
        found = np.empty(len(self.offset), kind)
        for start in range(0, len(found), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            found[part] = take(self.data, self.offset[part] + at, kind)
            forget(self.data)
        return found

    def shown(self, field: str) -> Any:
        """The same for people: text and addresses as such."""
        values = self[field]
        if field in self.format.dynamic:
            return each(self._texts(field, values), _text)
        if values.dtype.kind == "S":
            return each(values, _text)
        if values.dtype.kind == "V" and field in ("saddr", "daddr") and values.dtype.itemsize in (4, 28):
            return each(values, lambda value: address_text(bytes(value)))
        return values.tolist() if values.dtype.kind == "V" else values

    def _texts(self, field: str, values: Rows) -> Rows:
        """Text at the end of an event, which the field points at: offset | length << 16."""
        assert self.format.dtype.fields
        start = self.offset + (values & 0xFFFF)
        if self.format.dynamic[field] == "__rel_loc":
            start = start + self.format.dtype.fields[field][1] + 4
        widest = int((values >> 16).max(initial=1))
        room = len(self.data) - int(start.max(initial=0))
        if room < 1:
            raise RawFormatError(f"{self.format.name}: {field} points past the end", int(start.max()))
        return take(self.data, start, np.dtype(f"S{max(min(widest, room), 1)}"))


def _name(names: dict[int, str], value: int) -> str:
    return names.get(int(value), str(value))


def _text(value: bytes) -> str:
    return value.split(b"\0")[0].decode(errors="replace")


def address_text(packed: bytes) -> str:
    """ "10.0.0.1" for 4 bytes, "10.0.0.1:80" for a struct sockaddr_in, hex for anything else."""
    if len(packed) == 4:
        return ".".join(map(str, packed))
    if int.from_bytes(packed[:2], "little") == _INET:
        port = int.from_bytes(packed[_PORT], "big")
        return f"{'.'.join(map(str, packed[_ADDRESS]))}:{port}"
    return packed.hex()
