"""A flow: one TCP connection or one UDP stream from one host to another, which sends all it can or may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from labkit import units
from labkit.program.records import Record
from labkit.program.structs import FLOW_NODELAY, FLOW_OP, FLOW_POISSON, FLOW_SERVED, Op
from labkit.schema.base import ADDED
from labkit.traffic.kind import (
    Context,
    Ended,
    Fault,
    Label,
    SegmentSize,
    Sockets,
    Surroundings,
    Traffic,
    network_order,
)
from labkit.traffic.server import Port
from labkit.units import BitRate, Duration, Size

UDP_PAYLOAD = 1472  # fills an MTU of 1500
_ONLY_TCP = ("cc", "mss", "nodelay", "port")
_ONLY_UDP = ("rate", "packet", "pattern")

READ_MAX = 1 << 20  # bytes that a receiver lets gather at most, before it reads
_LINGER_MS = 500  # least silence after which a UDP receiver ends
_TCP, _UDP = 6, 17


class Flow(Traffic, init=False):
    """Data from host src to host dst, of a size (bytes) or for a duration (s), from `start` (s) on.
    With both, it ends with whichever is reached first: what may never arrive need not be waited for.

    TCP: cc names the congestion control ("cubic" unless given); mss in bytes; nodelay switches
    Nagle's algorithm off. UDP: rate in bit/s of payload, packet bytes of payload per packet (1472
    unless given), pattern "constant" or "poisson". sndbuf, rcvbuf: socket buffers in bytes; None
    leaves them to the kernel. name: "src-dst" unless given, filled in by the Experiment.

    The receiving application reads what comes at once, unless read_rate says at how many bit/s of
    payload it works (what it is too slow for fills its buffer) or read_after for how long (s) after
    the start it reads nothing. port (TCP): connect to the Server there, not to a listener of its own.
    """

    amount: ClassVar[str] = "size"
    protocol: Literal["tcp", "udp"] = "tcp"
    cc: StrictStr | None = None
    size: Size | None = None
    duration: Duration | None = None
    start: Duration = 0.0
    name: Label | None = None
    sndbuf: Annotated[Size, Field(le=2**30)] | None = None
    rcvbuf: Annotated[Size, Field(le=2**30)] | None = None
    mss: SegmentSize | None = None
    nodelay: StrictBool = False
    rate: BitRate | None = None
    packet: Annotated[Size, Field(le=65507)] | None = None
    pattern: Literal["constant", "poisson"] | None = None
    read_rate: Annotated[BitRate | None, ADDED] = None
    read_after: Annotated[Duration, ADDED] = 0.0
    port: Annotated[Port | None, ADDED] = None

    @model_validator(mode="after")
    def _check(self) -> Flow:
        self.check()
        self._fill()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.size is None and self.duration is None:
            yield (), 'size, duration: neither given: write size="25MB" or duration="30s"'
        if self.duration == 0:
            yield ("duration",), "=0: nothing would be sent: write what it should last"
        for name in _ONLY_UDP if self.protocol == "tcp" else _ONLY_TCP:
            if getattr(self, name):
                other = "udp" if self.protocol == "tcp" else "tcp"
                yield (name,), f': only with protocol="{other}": leave it out'
        if self.port is not None and self.rcvbuf is not None:
            yield ("rcvbuf",), ": a Server's connections have the host's: set net.ipv4.tcp_rmem"
        if self.protocol == "udp" and self.rate is None:
            yield ("rate",), ': missing: a UDP flow needs it: write rate="5mbit"'

    def misfits(self, around: Surroundings) -> Iterator[Fault]:
        if self.port is not None and (self.dst, self.port) not in around.servers:
            fix = f"write servers=[Server({self.dst!r}, {self.port})]"
            yield ("port",), f"={self.port}: {self.dst} has no server there: {fix}"
        yield from super().misfits(around)

    def sockets(self) -> Sockets:
        return Sockets(self.protocol, self.cc, self.packet, self.sndbuf, self.rcvbuf)

    def lasts(self) -> float:
        return self.duration or 0.0

    def until(self, ended: Ended, run_s: float) -> float:
        """UDP: when its sender was done, or its last datagram's arrival if that was later."""
        if self.protocol == "tcp":
            return super().until(ended, run_s)
        lasts = [self.duration] if self.duration else []
        if self.size and self.rate:
            lasts.append(8 * self.size / self.rate)
        sent_s = min(ended.start_s + min(lasts), run_s)
        return max(sent_s, ended.last_byte_s) if ended.last_byte_s == ended.last_byte_s else sent_s

    def carries(self) -> int | None:
        return self.size

    def record(self, context: Context) -> Record:
        udp = self.protocol == "udp"
        interval = units.ns((self.packet or 0) * 8 / self.rate) if udp and self.rate else 0
        flags = FLOW_NODELAY * self.nodelay | FLOW_POISSON * (self.pattern == "poisson")
        body = flow_op(
            context,
            protocol=_UDP if udp else _TCP,
            flags=flags | FLOW_SERVED * (self.port is not None),
            dport=context.dport if self.port is None else self.port,
            mss=self.mss or 0,
            size=self.size or 0,
            duration_ns=units.ns(self.duration or 0),
            sndbuf=self.sndbuf or 0,
            rcvbuf=self.rcvbuf or 0,
            read_bytes=_linger_ms(context.longest_s) if udp else 1 if self.rcvbuf else READ_MAX,
            packet=self.packet or 0,
            interval_ns=max(interval, 1) if udp else 0,
            cc=b"" if udp else str(self.cc).encode(),
            read_after_ns=units.ns(self.read_after),
            read_rate=self.read_rate or 0,
        )
        return Record(Op.FLOW, body, context.src_ns, units.ns(self.start))

    def facts(self, context: Context) -> dict[str, Any]:
        described = self.describe(context)
        return described if self.port is None else described | {"dport": self.port}

    def _fill(self) -> None:
        """The defaults that depend on the protocol."""
        defaults: dict[str, Any] = {"cc": "cubic"}
        if self.protocol == "udp":
            defaults = {"packet": UDP_PAYLOAD, "pattern": "constant"}
        for name, value in defaults.items():
            if getattr(self, name) is None:
                self._default(name, value)


def flow_op(context: Context, **fields: Any) -> bytes:
    """struct flow_op: of TCP from port to port, zero in all that is not given."""
    where = {
        "id": context.number,
        "dst_ns": context.dst_ns,
        "protocol": _TCP,
        "saddr": network_order(context.saddr),
        "daddr": network_order(context.daddr),
        "sport": context.sport,
        "dport": context.dport,
        "seed": context.seed,
        "cc": b"",
    }
    return FLOW_OP.pack(**dict.fromkeys(FLOW_OP.names, 0) | where | fields)


def _linger_ms(longest_s: float) -> int:
    """How long a UDP receiver waits: a datagram can be under way for so long."""
    return min(max(_LINGER_MS, _LINGER_MS // 5 + round(1000 * longest_s)), 2**32 - 1)
