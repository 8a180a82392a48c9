"""Trains: packets sent back to back, each of them stamped when it leaves and when it arrives."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from labkit import units
from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import TRAIN_OP, Kind, Op
from labkit.traffic.flow import UDP_PAYLOAD, flow_op
from labkit.traffic.kind import Context, Fault, Label, Sockets, Traffic
from labkit.units import Duration, Integer, Size

KIND = "trains"
MOST = 2_000_000
"""Packets of all trains together: the agent's limit (train.c)."""
LONGEST_WAIT_S = 10 * 86400
UDP = 17
ORDER = ("flow", "train", "packet")
TRAINS = plain.RecordTable(
    "One row per packet of all Trains: when it was sent, when it arrived.",
    {
        "flow": plain.flow("name of the trains"),
        "train": plain.whole("train", "counts from 1", plus=1),
        "packet": plain.whole("packet", "of its train: counts from 1", plus=1),
        "sent_s": plain.seconds(
            "sent_ns", "s since the start of the run: when its train was handed to the kernel"
        ),
        "received_s": plain.instant("received_ns", "s: the receiving kernel's stamp; NaN: it never came"),
    },
    Kind.TRAIN,
    flows=KIND,
    order=ORDER,
)


class Trains(Traffic, init=False):
    """Datagrams (UDP) from host src to host dst in trains: `packets` of them, back to back, every so often
    (`every`, s), `count` trains from `start` (s) on. Two packets are a packet pair.

    size: bytes of payload of each, at least 8, which are its number. wait: for how long (s) after the last
    train packets may still come. name: as of a Flow.

    `result.trains` has a row for each packet. From how far apart those of a train arrive follows what the
    slowest link of the way can carry (Keshav 1991; Dovrolis, Ramanathan and Moore 2004).
    """

    schedule: ClassVar[tuple[str, ...]] = ("count", "every")
    kind: Literal["trains"] = "trains"
    packets: Annotated[Integer, Field(ge=1, le=MOST)] = 2
    count: Annotated[Integer, Field(ge=1, le=MOST)]
    every: Annotated[Duration, Field(gt=0)] = 0.1
    size: Annotated[Size, Field(ge=8, le=65507)] = UDP_PAYLOAD
    wait: Annotated[Duration, Field(le=LONGEST_WAIT_S)] = 1.0
    start: Duration = 0.0
    name: Label | None = None

    @model_validator(mode="after")
    def _check(self) -> Trains:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.packets * self.count > MOST:
            yield (), f"packets, count: {self.packets * self.count:,} packets: at most {MOST:,} are possible"

    def sockets(self) -> Sockets:
        return Sockets("udp", packet=self.size)

    def lasts(self) -> float:
        return self.count * self.every + self.wait

    def carries(self) -> int:
        return self.count * self.packets * self.size

    def record(self, context: Context) -> Record:
        times, packets = (self.start, self.every, self.wait), self.packets
        return train_record(context, UDP, *times, packets=packets, count=self.count, size=self.size)

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(context) | {"kind": KIND}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        return {"trains": TRAINS}


def train_record(
    context: Context,
    protocol: int,
    start: float,
    every: float,
    wait: float,
    *,
    packets: int,
    count: int,
    size: int,
    due_ns: Sequence[int] = (),
) -> Record:
    """struct train_op: `count` trains of `packets` packets with `size` bytes of payload each; times in s.
    due_ns: when each is sent, after the start; () for one every so often."""
    flow = flow_op(
        context,
        protocol=protocol,
        packet=size,
        interval_ns=units.ns(every),
        read_bytes=round(1000 * wait),
    )
    body = TRAIN_OP.pack(flow=flow, trains=count, packets=packets, listed=int(bool(due_ns)))
    body += struct.pack(f"<{len(due_ns)}Q", *due_ns)
    return Record(Op.TRAIN, body, context.src_ns, units.ns(start))
