"""Background: many short transfers that share the network with what is looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictStr, model_validator

from labkit import units
from labkit.decode import plain_tables as plain
from labkit.errors import SpecError
from labkit.program.records import Record
from labkit.program.structs import BACKGROUND_OP, TRANSFER_OP, Kind, Op
from labkit.schema.base import read_by
from labkit.traffic.arrivals import Arrivals, Poisson, as_arrivals, instants
from labkit.traffic.flow import READ_MAX, flow_op
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Surroundings, Traffic
from labkit.traffic.sizes import Pareto, Sizes, as_sizes
from labkit.units import BitRate, Duration

KIND = "background"
MOST = 1_000_000
"""Transfers of one background."""
_ETHERNET, _HEADERS = 14, 52  # bytes: IP, TCP and its time stamps
TRANSFERS = plain.RecordTable(
    "One row per transfer of every Background, with its completion time.",
    {
        "flow": plain.flow("name of the background"),
        "number": plain.whole("number", "of the transfer in its background: counts from 1"),
        "size_bytes": plain.whole("size", "bytes of payload that it has to carry"),
        "received_bytes": plain.whole("received", "bytes that the server read"),
        "start_s": plain.instant("start_ns", "s since the start of the run: when its client connected"),
        "established_s": plain.instant("established_ns", "s: when the connection was there; NaN: never"),
        "first_byte_s": plain.instant("first_ns", "s: when the server read the first of it; NaN: never"),
        "done_s": plain.instant("done_ns", "s: when the server had read all of it; NaN: not before the end"),
        "duration_s": plain.between("start_ns", "done_ns", "s: done_s - start_s, its completion time"),
        "complete": plain.reached("done_ns", "all of it came"),
        "error": plain.error("error", "errno's name, ETIME: cut by the end of the run; empty if complete"),
    },
    Kind.TRANSFER,
    flows=KIND,
    order=("flow", "number"),
)


class Background(Traffic, init=False):
    """Transfers of many sizes from host src to host dst, each over a TCP connection of its own, that begin at
    random instants from `start` (s) on, for `duration` (s). One that is under way then goes on to its end.

    load: which share of the slowest link of the way they offer in the mean, counted in bytes on the wire with
    the headers of full segments, without handshakes and what is sent again. Or rate: the same in bit/s.
    A network that is full carries less than it is offered.

    arrivals: Poisson() or OnOff(on=, off=). sizes: Pareto(mean, shape=, most=), Exponential(mean), or one
    size for all (bytes). profile: factors of the load, as of the hours of a day, which together last `period`
    (s) and are repeated; 1 is the load itself. cc: congestion control of all; mss in bytes. name: as of a
    Flow.

    When they begin and how large they are follows from the experiment's seed, the hosts and its place among
    the flows, and from nothing that happens in the run. `result.transfers` has a row for each; in `flows`
    they are one row together. Probes of TCP senders do not show them, packet tables name them all by the
    background's name.
    """

    one_connection: ClassVar[bool] = False
    kind: Literal["background"] = "background"
    load: Annotated[float, Field(gt=0, le=10)] | None = None
    rate: BitRate | None = None
    duration: Annotated[Duration, Field(gt=0)]
    arrivals: Annotated[Arrivals, read_by(as_arrivals)] = Poisson()
    sizes: Annotated[Sizes, read_by(as_sizes)] = Pareto("30kB", most="3MB")
    profile: tuple[Annotated[float, Field(ge=0, le=1000)], ...] = ()
    period: Annotated[Duration, Field(gt=0)] = 86400.0
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr = "cubic"
    mss: SegmentSize | None = None

    @model_validator(mode="after")
    def _check(self) -> Background:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if (self.load is None) == (self.rate is None):
            both = "both" if self.rate else "neither"
            yield (), f'load, rate: {both} given: write load=0.5 (of the slowest link) or rate="5mbit"'
        if self.profile and not any(self.profile):
            yield ("profile",), ": only zeros: nothing would ever begin: raise one"

    def misfits(self, around: Surroundings) -> Iterator[Fault]:
        if self.load is not None and around.slowest(self.src, self.dst) is None:
            text = f"={self.load}: no link from {self.src!r} to {self.dst!r} has a rate: write rate="
            yield ("load",), f'{text}"5mbit", or give a link one'
        yield from super().misfits(around)

    def sockets(self) -> Sockets:
        return Sockets("tcp", self.cc)

    def lasts(self) -> float:
        return self.duration or 0.0

    def record(self, context: Context) -> Record:
        """struct background_op and a transfer_op each. Raises SpecError: too many, or none."""
        due = self.transfers(context)
        if not 1 <= len(due) <= MOST:
            raise SpecError(f"{self.name}: {self._number(len(due))}")
        flow = flow_op(
            context,
            sport=0,
            mss=self.mss or 0,
            size=sum(size for _, size in due),
            duration_ns=units.ns(self.lasts()),
            read_bytes=READ_MAX,
            cc=self.cc.encode(),
        )
        head = BACKGROUND_OP.pack(flow=flow, count=len(due))
        each = TRANSFER_OP.pack_all(
            after_ns=(units.ns(at_s) for at_s, _ in due), size=(size for _, size in due)
        )
        return Record(Op.BACKGROUND, head + each, context.src_ns, units.ns(self.start))

    def transfers(self, context: Context) -> list[tuple[float, int]]:
        """When each begins (s after the start) and its size (bytes), as drawn: at most one more than MOST."""
        offered = self.rate if self.rate is not None else (self.load or 0) * (context.slowest or 0)
        on_the_wire = (context.mtu + _ETHERNET) / (context.mtu - _HEADERS)
        per_s = offered / 8 / (self.sizes.mean * on_the_wire)
        when, how_large = (random.Random(f"{context.seed}/{what}") for what in ("arrivals", "sizes"))
        begin = instants(self.arrivals, per_s, self.lasts(), self.profile, self.period, when.random)
        return [(at_s, self.sizes.draw(how_large.random)) for at_s in islice(begin, MOST + 1)]

    def _number(self, found: int) -> str:
        if not found:
            return "no transfer begins within its duration: raise load or duration, or take smaller sizes"
        return f"more than {MOST:,} transfers: lower load or duration, or take larger sizes"

    def facts(self, context: Context) -> dict[str, Any]:
        """Its clients have ports of the kernel's choice: 0 stands for any."""
        return self.describe(context) | {"kind": KIND, "sport": 0}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        return {"transfers": TRANSFERS}
