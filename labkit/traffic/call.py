"""A call, or a game: a small packet every so many milliseconds, which is of no use when it comes late."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictStr, model_validator

from labkit import units
from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import Kind
from labkit.schema.base import read_by
from labkit.traffic import exchanges, trains
from labkit.traffic.exchanges import Exchange, Pool, exchanges_record, turned
from labkit.traffic.fec import Fec, as_fec, usable
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.traffic.trains import MOST, train_record
from labkit.units import Duration, Size

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from labkit.decode.recorded import Recorded

UNITS: dict[str, str] = {
    "flow": "name of the call",
    "number": "of the packet: counts from 1",
    "sent_s": "s since the start of the run: when it was due",
    "received_s": "s: when it came by itself; NaN: never",
    "usable_s": "s: when it was there, by itself or repaired by forward error correction; NaN: never",
    "delay_s": "s: usable_s - sent_s",
}
KIND = "call"
_UDP = 17
RTP = 172
"""Bytes: 20 ms of speech at 64 kbit/s (G.711) behind an RTP header of 12 bytes (RFC 3551, 3550)."""


class Call(Traffic, init=False):
    """Packets from host src to host dst, one every `every` (s) from `start` (s) on, for `duration` (s): one
    direction of a call, or what a game's client says. size: bytes of payload of each (8 at least over UDP).

    transport: "udp"; or "tcp": one connection, without Nagle's algorithm, on which a packet is received
    when it and all before it are there. fec: forward error correction, over UDP: Repetition(2), Parity(4)
    or ReedSolomon(6, 4); what it adds is sent for real, what it repairs follows from what arrived. wait:
    for how long (s) after the last packet one may still come, over UDP. cc, mss: of a TCP connection. name:
    as of a Flow.

    `result.calls` has a row for each packet. Late is what somebody cannot wait for: compare `delay_s`, whose
    differences are the jitter, with 150 ms for a conversation (ITU-T G.114).
    """

    one_connection: ClassVar[bool] = False
    kind: Literal["call"] = "call"
    duration: Annotated[Duration, Field(gt=0)]
    every: Annotated[Duration, Field(ge=1e-6)] = 0.02
    size: Annotated[Size, Field(ge=1, le=65507)] = RTP
    transport: Literal["udp", "tcp"] = "udp"
    fec: Annotated[Fec | None, read_by(as_fec)] = None
    wait: Annotated[Duration, Field(le=600)] = 1.0
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr | None = None
    mss: SegmentSize | None = None

    @model_validator(mode="after")
    def _check(self) -> Call:
        self.check()
        if self.transport == "tcp" and self.cc is None:
            self._default("cc", "cubic")
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.transport == "tcp" and self.fec is not None:
            yield ("fec",), ': TCP repairs by itself: only with transport="udp"'
        for name in ("cc", "mss"):
            if self.transport == "udp" and getattr(self, name) is not None:
                yield (name,), ': only with transport="tcp": leave it out'
        if self.transport == "udp" and self.size < 8:
            yield ("size",), f"={self.size}: a datagram carries its number: at least 8 bytes"
        if self.datagrams() > MOST:
            yield (
                ("duration",),
                f"={self.duration}: {self.datagrams():,.0f} packets: at most {MOST:,} are possible",
            )

    def sockets(self) -> Sockets:
        return Sockets(self.transport, self.cc, self.size)

    def lasts(self) -> float:
        return (self.duration or 0.0) + self.wait * (self.transport == "udp")

    def packets(self) -> int:
        """Without what forward error correction adds."""
        return math.ceil(round((self.duration or 0.0) / self.every, 9))

    def datagrams(self) -> float:
        """About how many are sent."""
        return self.packets() * (1 + (self.fec.overhead() if self.fec else 0.0))

    def carries(self) -> int:
        return math.ceil(self.datagrams()) * self.size

    def record(self, context: Context) -> Record:
        if self.transport == "tcp":
            pool = Pool(str(self.cc), frame=self.size, mss=self.mss, nodelay=True)
            due = [Exchange(self.size, wait=i * self.every) for i in range(self.packets())]
            return exchanges_record(context, pool, due, self.start)
        plan = self.fec.sent(self.packets()) if self.fec else ()
        due_ns = [units.ns(one.at * self.every) for one in plan]
        count = len(due_ns) or self.packets()
        times = self.start, self.every, self.wait
        return train_record(context, _UDP, *times, packets=1, count=count, size=self.size, due_ns=due_ns)

    def facts(self, context: Context) -> dict[str, Any]:
        own = {"kind": KIND, "packets": self.packets(), "every_s": self.every}
        if self.transport == "tcp":
            return self.describe(turned(context)) | own | {"sport": 0}
        return self.describe(context) | own | {"fec": self.fec and self.fec.model_dump()}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        what = "One row per packet of every Call: when it was sent, when it could be used."
        return {"calls": plain.ComputedTable(what, UNITS, calls)}


def calls(run: Recorded) -> pd.DataFrame:
    """One row per packet of each call that was due before the end. Raises RawFormatError."""
    import pandas as pd

    mine = [flow for flow in run.part("flows") if flow.get("kind") == KIND]
    tables = [(_over_tcp if flow["protocol"] == "tcp" else _over_udp)(run, flow) for flow in mine]
    names = [flow["name"] for flow in mine]
    if not tables:
        return pd.DataFrame({name: pd.Series(dtype="float64") for name in UNITS})
    table = pd.concat(tables, ignore_index=True)
    return table.assign(flow=pd.Categorical(table["flow"], names))


def _over_tcp(run: Recorded, flow: Mapping[str, Any]) -> pd.DataFrame:
    import numpy as np

    from labkit.decode.plain_columns import rows_of

    rows, _ = rows_of(run, [flow], Kind.EXCHANGE, exchanges.ORDER)
    rows = rows[rows["ready_ns"] >= 0]
    came = np.where(rows["asked_ns"] < 0, np.nan, rows["asked_ns"] / 1e9)
    return _table(flow, rows["ready_ns"] / 1e9, came, came)


def _over_udp(run: Recorded, flow: Mapping[str, Any]) -> pd.DataFrame:
    import numpy as np

    from labkit.decode.plain_columns import rows_of
    from labkit.decode.raw import damage

    rows, _ = rows_of(run, [flow], Kind.TRAIN, trains.ORDER)
    code, packets = as_fec(flow["fec"]), flow["packets"]
    number = packets if code is None else sum(1 for _ in code.sent(packets))
    arrived, sent = np.full(number, np.nan), np.full(number, np.nan)
    with damage("a packet that its call has not", run.raw.first(Kind.TRAIN)):
        arrived[rows["train"]] = np.where(rows["received_ns"] < 0, np.nan, rows["received_ns"] / 1e9)
        sent[rows["train"]] = rows["sent_ns"] / 1e9
    first = np.arange(number)
    if code is not None:
        which = np.array([one.packet for one in code.sent(packets)])
        _, first = np.unique(which, return_index=True)
        first = first[-packets:]  # -1 stands for those that repair
    came, used = usable(code, packets, arrived)
    due = ~np.isnan(sent[first])
    return _table(flow, sent[first][due], came[due], used[due])


def _table(
    flow: Mapping[str, Any], sent: npt.NDArray[Any], came: npt.NDArray[Any], used: npt.NDArray[Any]
) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    return pd.DataFrame(
        {
            "flow": flow["name"],
            "number": np.arange(len(sent)) + 1,
            "sent_s": sent,
            "received_s": came,
            "usable_s": used,
            "delay_s": used - sent,
        }
    )
