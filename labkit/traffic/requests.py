"""Requests: a client asks, a server answers, the client thinks and asks again, over one TCP connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from labkit import units
from labkit.program.records import Record
from labkit.program.structs import FLOW_NODELAY, FLOW_POISSON, REQUEST_OP, Kind, Op
from labkit.traffic.flow import READ_MAX, flow_op
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import Duration, Integer, Size

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.raw import Raw

UNITS: dict[str, str] = {
    "flow": "name of the flow",
    "number": "of the request in its flow: counts from 1",
    "sent_s": "s since the start of the run: when the client handed it to its kernel",
    "first_byte_s": "s: when the client had the first of the response; NaN: none came",
    "done_s": "s: when it had all of it; NaN: not before the end",
    "latency_s": "s: done_s - sent_s",
    "think_s": "s that the client thought before it; 0 for the first",
    "complete": "the whole response came",
}
KIND = "requests"
_LARGEST = 2**30
_LONGEST_THINK_S = 10 * 86400

_TIMES = ("sent", "first", "done")


class Requests(Traffic, init=False):
    """A client on host src and a server on host dst, over one TCP connection from `start` (s) on: as soon as
    it is there, the client sends a request (bytes); the server, when it has all of it, works on it for
    `service` (s) and sends a response (bytes); the client, when it has all of that, thinks for `think` (s)
    and sends the next: `count` of them, or until `duration` (s) is over, whichever comes first.

    pattern: of think times, "constant" or "exponential" (then think is their mean). cc: congestion control
    of both ends. nodelay: both switch Nagle's algorithm off. mss in bytes. sndbuf: the server's socket buffer
    in bytes, rcvbuf: the client's; None leaves them to the kernel. name: as of a Flow.

    `result.requests` has a row for each. What a result says of the flow as a whole is of the responses: in
    `flows` bytes are theirs, in `tcp_info`, `tcp_probe` and charts of windows the sender is the server. In
    tables of packets requests go the way "data", responses the way "ack"; `retransmits` counts both.
    """

    kind: Literal["requests"] = "requests"
    request: Annotated[Size, Field(ge=1, le=_LARGEST)]
    response: Annotated[Size, Field(ge=1, le=_LARGEST)]
    count: Annotated[Integer, Field(ge=1, le=2**32 - 1)] | None = None
    duration: Annotated[Duration, Field(gt=0)] | None = None
    think: Annotated[Duration, Field(le=_LONGEST_THINK_S)] = 0.0
    pattern: Literal["constant", "exponential"] = "constant"
    service: Duration = 0.0
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr = "cubic"
    mss: SegmentSize | None = None
    nodelay: StrictBool = False
    sndbuf: Annotated[Size, Field(le=2**30)] | None = None
    rcvbuf: Annotated[Size, Field(le=2**30)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Requests:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.count is None and self.duration is None:
            yield (), 'count, duration: neither given: write count=100 or duration="30s"'
        if self.pattern == "exponential" and not self.think:
            yield ("think",), ': missing: exponential times need a mean: write think="100ms"'

    def sockets(self) -> Sockets:
        return Sockets("tcp", self.cc, min(self.request, self.response), self.sndbuf, self.rcvbuf)

    def lasts(self) -> float:
        return self.duration or (self.count or 0) * (self.think + self.service)

    def sized(self) -> bool:
        return self.count is not None

    def carries(self) -> int | None:
        return None if self.count is None else self.count * (self.request + self.response)

    def record(self, context: Context) -> Record:
        """struct request_op: a flow_op that carries the responses, then what is asked."""
        count = self.count or 0
        flow = flow_op(
            _turned(context),
            flags=FLOW_NODELAY * self.nodelay | FLOW_POISSON * (self.pattern == "exponential"),
            mss=self.mss or 0,
            size=count * self.response,
            duration_ns=units.ns(self.duration or 0),
            sndbuf=self.sndbuf or 0,
            rcvbuf=self.rcvbuf or 0,
            read_bytes=1 if self.rcvbuf else READ_MAX,
            cc=self.cc.encode(),
        )
        body = REQUEST_OP.pack(
            flow=flow,
            request=self.request,
            response=self.response,
            count=count,
            service_ns=units.ns(self.service),
            think_ns=units.ns(self.think),
        )
        return Record(Op.REQUEST, body, context.src_ns, units.ns(self.start))

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(_turned(context)) | {"kind": KIND, "both_send": True}


def _turned(context: Context) -> Context:
    """The server has the port that senders have, which is how those who trace find them."""
    return replace(context, sport=context.dport, dport=context.sport)


def requests(raw: Raw, layout: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per request that was sent, of each flow of requests in the layout, in their order. One that was
    not answered before the end has NaN and is not complete. Raises RawFormatError."""
    import numpy as np
    import pandas as pd

    rows = raw.heads(raw.records(Kind.REQUEST))
    names = {flow["id"]: flow["name"] for flow in layout if flow.get("kind") == KIND}
    rows = rows[np.lexsort((rows["number"], rows["flow"]))]
    times = {name: np.where(rows[f"{name}_ns"] < 0, np.nan, rows[f"{name}_ns"] / 1e9) for name in _TIMES}
    return pd.DataFrame(
        {
            "flow": pd.Categorical(
                [names.get(number) for number in rows["flow"].tolist()], list(names.values())
            ),
            "number": rows["number"].astype(np.int64),
            "sent_s": times["sent"],
            "first_byte_s": times["first"],
            "done_s": times["done"],
            "latency_s": np.where(rows["done_ns"] < 0, np.nan, (rows["done_ns"] - rows["sent_ns"]) / 1e9),
            "think_s": rows["think_ns"] / 1e9,
            "complete": rows["done_ns"] >= 0,
        }
    )
