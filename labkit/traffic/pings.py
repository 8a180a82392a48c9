"""Pings: ICMP echo requests, and how long each answer took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import Kind
from labkit.traffic.kind import Context, Fault, Label, Sockets, Traffic
from labkit.traffic.trains import LONGEST_WAIT_S, MOST, ORDER, train_record
from labkit.units import Duration, Integer

KIND = "pings"
_ICMP = 1
PINGS = plain.RecordTable(
    "One row per echo request of all Pings, with its round-trip time.",
    {
        "flow": plain.flow("name of the pings"),
        "number": plain.whole("train", "of the request: counts from 1", plus=1),
        "sent_s": plain.seconds("sent_ns", "s since the start of the run: when it was handed to the kernel"),
        "rtt_s": plain.between("sent_ns", "received_ns", "s until its answer was there; NaN: none came"),
    },
    Kind.TRAIN,
    flows=KIND,
    order=ORDER,
)


class Pings(Traffic, init=False):
    """ICMP echo requests (RFC 792) from host src to host dst, which answers them: `count` of them, one every
    `every` (s), from `start` (s) on.

    size: bytes of payload, as ping's -s has it. wait: for how long (s) after the last request answers may
    still come. name: as of a Flow. `result.pings` has a row for each request.
    """

    schedule: ClassVar[tuple[str, ...]] = ("count", "every")
    kind: Literal["pings"] = "pings"
    count: Annotated[Integer, Field(ge=1, le=MOST)]
    every: Annotated[Duration, Field(gt=0)] = 1.0
    size: Annotated[Integer, Field(ge=0, le=65507)] = 56
    wait: Annotated[Duration, Field(le=LONGEST_WAIT_S)] = 10.0
    start: Duration = 0.0
    name: Label | None = None

    @model_validator(mode="after")
    def _check(self) -> Pings:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.wait / self.every > 2**16:  # the sequence number has 16 bits
            yield ("every",), f"={self.every}: over 65,536 requests within `wait`: their numbers would repeat"

    def sockets(self) -> Sockets:
        return Sockets("icmp", packet=self.size)

    def lasts(self) -> float:
        return self.count * self.every + self.wait

    def carries(self) -> int:
        return self.count * self.size

    def record(self, context: Context) -> Record:
        times = self.start, self.every, self.wait
        return train_record(context, _ICMP, *times, packets=1, count=self.count, size=self.size)

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(context) | {"kind": KIND}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        return {"pings": PINGS}
