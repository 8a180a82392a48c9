"""Requests: a client asks, a server answers, the client thinks and asks again, over one TCP connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from labkit import units
from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import FLOW_NODELAY, FLOW_POISSON, REQUEST_OP, Kind, Op
from labkit.traffic.exchanges import turned
from labkit.traffic.flow import READ_MAX, flow_op
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import Duration, Integer, Size

KIND = "requests"
_LARGEST = 2**30
_LONGEST_THINK_S = 10 * 86400

REQUESTS = plain.RecordTable(
    "One row per request of every flow of Requests, with its latency.",
    {
        "flow": plain.flow("name of the flow"),
        "number": plain.whole("number", "of the request in its flow: counts from 1"),
        "sent_s": plain.instant(
            "sent_ns", "s since the start of the run: when the client handed it to its kernel"
        ),
        "first_byte_s": plain.instant(
            "first_ns", "s: when the client had the first of the response; NaN: none came"
        ),
        "done_s": plain.instant("done_ns", "s: when it had all of it; NaN: not before the end"),
        "latency_s": plain.between("sent_ns", "done_ns", "s: done_s - sent_s"),
        "think_s": plain.seconds("think_ns", "s that the client thought before it; 0 for the first"),
        "complete": plain.reached("done_ns", "the whole response came"),
    },
    Kind.REQUEST,
    flows=KIND,
    order=("flow", "number"),
)


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

    amount: ClassVar[str] = "count"
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

    def carries(self) -> int | None:
        return None if self.count is None else self.count * (self.request + self.response)

    def record(self, context: Context) -> Record:
        """struct request_op: a flow_op that carries the responses, then what is asked."""
        count = self.count or 0
        flow = flow_op(
            turned(context),
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
        return self.describe(turned(context)) | {"kind": KIND, "both_send": True}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        return {"requests": REQUESTS}
