"""A web page: its objects, what each has to wait for, and the protocol over which they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictStr, TypeAdapter, model_validator

from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import Kind
from labkit.schema import files
from labkit.schema.base import Spec, read_by
from labkit.traffic.exchanges import (
    LARGEST,
    ORDER,
    Exchange,
    Pool,
    Tls,
    exchanges_record,
    turned,
)
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import Duration, Integer, Size

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

PAGE_UNITS: dict[str, str] = {
    "flow": "name of the page",
    "start_s": "s since the start of the run: when the client began",
    "first_object_s": "s from there until the first object was complete; NaN: none was",
    "load_s": "s from there until all were, the page load time; NaN: not before the end",
    "objects": "how many were complete",
    "connections": "how many carried objects",
    "complete": "all objects came",
}
KIND = "web_page"
MOST = 10_000
"""Objects of a page."""
HTTP_1_CONNECTIONS = 6
FRAME = 16_384
"""Bytes after which responses take turns on one connection: the largest frame that HTTP/2 has unless both
ends agree on another (RFC 9113, section 4.2)."""
OBJECTS = plain.RecordTable(
    "One row per object of every WebPage: when it was wanted, asked for and there.",
    {
        "flow": plain.flow("name of the page"),
        "object": plain.listed_text("number", "objects", "its name", first=1),
        "connection": plain.whole("connection", "over which it came: counts from 1; 0: it never had one"),
        "size_bytes": plain.listed("number", "sizes", "bytes of payload of its response", first=1),
        "ready_s": plain.instant(
            "ready_ns", "s since the start of the run: when the client knew that it wants it; NaN: never"
        ),
        "sent_s": plain.instant(
            "sent_ns", "s: when a connection was free and the request went to the kernel; NaN: never"
        ),
        "first_byte_s": plain.instant("first_ns", "s: when the client had the first of it; NaN: never"),
        "done_s": plain.instant("done_ns", "s: when it had all of it; NaN: not before the end"),
        "complete": plain.reached("done_ns", "all of it came"),
    },
    Kind.EXCHANGE,
    flows=KIND,
    order=ORDER,
)


class WebObject(Spec, init=False):
    """Something that a page is made of. size: bytes of its response, with its headers. after: names of
    objects that must be complete before the client knows of it; () if it is known from the start. wait: how
    long (s) the client works on these first."""

    _positional: ClassVar = ("name", "size")
    name: Label
    size: Annotated[Size, Field(ge=1, le=LARGEST)]
    after: tuple[StrictStr, ...] = ()
    wait: Duration = 0.0


_OBJECTS: TypeAdapter[tuple[WebObject, ...]] = TypeAdapter(tuple[WebObject, ...])


def as_objects(value: object) -> tuple[WebObject, ...]:
    """Objects from a list, or from a .json or .yaml file that holds one. Raises SpecError, OSError."""
    found = files.plain(value) if isinstance(value, str | Path) else value
    return _OBJECTS.validate_python(tuple(found) if isinstance(found, list) else found)


class WebPage(Traffic, init=False):
    """A page that the client, host src, loads from the server, host dst, from `start` (s) on.

    objects: a list of WebObjects, or the path of a JSON or YAML file with one: objects with name, size, after
    and wait. Of those that are ready at one instant the first in the list is asked for first.

    http: "1.1": over up to `connections` (6 unless given), each of which has one request at a time; another
    one is opened when all are busy. "2": all over one, whose responses take turns in frames of 16 kB, as
    SPDY and HTTP/2 have it. tls: "1.2" or "1.3": each connection begins with the round trips of its
    handshake. request: bytes of each request. service: how long (s) the server works on each. cc:
    congestion control of both ends. mss in bytes. name: as of a Flow.

    `result.objects` has a row for each object, `result.pages` one for each page. In `flows` bytes are those
    of requests and responses together. Probes of TCP senders do not show its connections.
    """

    amount: ClassVar[str] = "objects"
    one_connection: ClassVar[bool] = False
    kind: Literal["web_page"] = "web_page"
    objects: Annotated[tuple[WebObject, ...], read_by(as_objects), Field(min_length=1, max_length=MOST)]
    http: Literal["1.1", "2"] = "1.1"
    connections: Annotated[Integer, Field(ge=1, le=256)] | None = None
    tls: Tls | None = None
    request: Annotated[Size, Field(ge=1, le=LARGEST)] = 400
    service: Duration = 0.0
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr = "cubic"
    mss: SegmentSize | None = None

    @model_validator(mode="after")
    def _check(self) -> WebPage:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.http == "2" and self.connections is not None:
            yield ("connections",), ': HTTP/2 has one: leave it out, or write http="1.1"'
        before: set[str] = set()
        for i, thing in enumerate(self.objects):
            if thing.name in before:
                yield ("objects", i, "name"), f"={thing.name!r}: two objects have this name"
            for needed in thing.after:
                if needed not in before:
                    yield (
                        ("objects", i, "after"),
                        f"={needed!r}: must name an object that stands before {thing.name!r} in the list",
                    )
            before.add(thing.name)

    def sockets(self) -> Sockets:
        return Sockets("tcp", self.cc, self.request)

    def lasts(self) -> float:
        return 0.0

    def carries(self) -> int:
        return sum(thing.size + self.request for thing in self.objects)

    def record(self, context: Context) -> Record:
        return exchanges_record(
            context, self._pool(), [self._exchange(thing) for thing in self._ordered()], self.start
        )

    def _pool(self) -> Pool:
        one = self.http == "2"
        connections = 1 if one else self.connections or HTTP_1_CONNECTIONS
        return Pool(self.cc, connections, FRAME * one, self.tls, self.mss, nodelay=True)

    def _ordered(self) -> list[WebObject]:
        """Those that wait for none by when they are due; no object before what it waits for."""
        known = sorted((thing for thing in self.objects if not thing.after), key=lambda thing: thing.wait)
        return known + [thing for thing in self.objects if thing.after]

    def _exchange(self, thing: WebObject) -> Exchange:
        places = {other.name: place for place, other in enumerate(self._ordered())}
        after = [places[name] for name in dict.fromkeys(thing.after)]
        return Exchange(self.request, thing.size, after, thing.wait, self.service)

    def facts(self, context: Context) -> dict[str, Any]:
        ordered = self._ordered()
        own = {"kind": KIND, "sport": 0}
        names, sizes = [thing.name for thing in ordered], [thing.size for thing in ordered]
        return self.describe(turned(context)) | own | {"objects": names, "sizes": sizes}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        what = "One row per WebPage, with its load time."
        return {"objects": OBJECTS, "pages": plain.ComputedTable(what, PAGE_UNITS, pages)}


def pages(run: Recorded) -> pd.DataFrame:
    """One row per page. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.plain_columns import made

    found = made(OBJECTS, run)
    rows = []
    for flow in run.part("flows"):
        if flow.get("kind") != KIND:
            continue
        mine = found[found["flow"] == flow["name"]]
        done, start = mine["done_s"].dropna(), float(flow["start_s"])
        whole = len(done) == len(flow["objects"])
        rows.append(
            {
                "flow": flow["name"],
                "start_s": start,
                "first_object_s": done.min() - start,
                "load_s": done.max() - start if whole else float("nan"),
                "objects": len(done),
                "connections": mine.loc[mine["connection"] > 0, "connection"].nunique(),
                "complete": whole,
            }
        )
    return pd.DataFrame(rows, columns=list(PAGE_UNITS))
