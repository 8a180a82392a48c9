"""A tunnel: packets of other flows, carried between two hosts over one TCP connection or as datagrams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from labkit import units
from labkit.program.records import Record
from labkit.program.structs import FLOW_NODELAY, TUNNEL_OP, Op
from labkit.traffic.flow import flow_op
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import Duration, Integer, Packets, Size

KIND = "tunnel"
SMALLEST_MTU, LARGEST_MTU = 68, 65535
"""Bytes: what every IPv4 host must take (RFC 791), and what a packet's length has room for."""
_HEADERS = {"tcp": 20 + 32 + 2, "udp": 20 + 8}
"""Bytes around each packet: IP, TCP with its time stamps and the packet's length; or IP and UDP."""
_FIRST_INDEX = 1 << 24  # of their devices: more than any number of links takes
_TCP, _UDP = 6, 17
_ONLY_TCP = ("cc", "mss", "nodelay")


class Tunnel(Traffic, init=False):
    """A tunnel between host src and host dst: a TUN device at each end, and between them relays that send a
    packet on `over` one TCP connection (behind its length, as OpenVPN does) or as a datagram of UDP, both
    ways. Flows of the two hosts name it: Flow("a", "b", size="1MB", through="vpn").

    src connects at `start` (s); packets wait until the connection is there. cc ("cubic" unless given), mss,
    nodelay (Nagle's algorithm off), sndbuf and rcvbuf (bytes; None: the kernel's own) are of the sockets at
    both ends. queue: how many packets wait in a TUN device while its relay cannot send; what comes then is
    lost. routed: src and dst are gateways, and what hosts behind one send to hosts behind the other goes
    through as well, with their own addresses. mtu: of the TUN devices, in bytes; None: so that a packet with
    all headers around it fits the path's MTU.

    A run does not wait for a tunnel, which ends with it. If its connection dies, its devices lose their
    carrier: what is sent into them is lost. In `flows` its sent and received bytes are those from src to dst,
    lengths included, and its packets those from src to dst; `interfaces` has what its devices dropped
    (tx_dropped).
    """

    endless: ClassVar[bool] = True
    kind: Literal["tunnel"] = "tunnel"
    over: Literal["tcp", "udp"] = "tcp"
    cc: StrictStr | None = None
    mss: SegmentSize | None = None
    nodelay: StrictBool = False
    sndbuf: Annotated[Size, Field(le=2**30)] | None = None
    rcvbuf: Annotated[Size, Field(le=2**30)] | None = None
    queue: Annotated[Packets, Field(ge=1, le=1_000_000)] = 500
    routed: StrictBool = False
    mtu: Annotated[Integer, Field(ge=SMALLEST_MTU, le=LARGEST_MTU)] | None = None
    start: Duration = 0.0
    name: Label | None = None

    @model_validator(mode="after")
    def _check(self) -> Tunnel:
        self.check()
        if self.over == "tcp" and self.cc is None:
            self._default("cc", "cubic")
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.through is not None:
            yield ("through",), f"={self.through!r}: a tunnel cannot go through another one: leave it out"
        if self.over == "udp":
            for name in _ONLY_TCP:
                if getattr(self, name):
                    yield (name,), ': over="udp" has none: leave it out, or write over="tcp"'

    def sockets(self) -> Sockets:
        return Sockets(self.over, self.cc, None, self.sndbuf, self.rcvbuf)

    def lasts(self) -> float:
        return 0.0

    def awaited(self) -> bool:
        return False

    def inner_mtu(self, mtu: int) -> int:
        """The MTU (bytes) of its devices on a path with that MTU."""
        return self.mtu or max(mtu - _HEADERS[self.over], SMALLEST_MTU)

    def record(self, context: Context) -> Record:
        """struct tunnel_op."""
        flow = flow_op(
            context,
            protocol=_TCP if self.over == "tcp" else _UDP,
            flags=FLOW_NODELAY * self.nodelay,
            mss=self.mss or 0,
            sndbuf=self.sndbuf or 0,
            rcvbuf=self.rcvbuf or 0,
            cc=(self.cc or "").encode(),
        )
        ends = {"src": device(context.number, 0), "dst": device(context.number, 1)}
        return Record(Op.TUNNEL, TUNNEL_OP.pack(flow=flow, **ends), context.src_ns, units.ns(self.start))

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(context) | {
            "kind": KIND,
            "routed": self.routed,
            "devices": self._devices(context),
        }

    def _devices(self, context: Context) -> list[dict[str, Any]]:
        """Those at src and at dst: as a layout has devices, and their addresses."""
        ends = ((self.src, self.dst, context.src_ns), (self.dst, self.src, context.dst_ns))
        return [
            {
                "index": device(context.number, end),
                "ns": ns,
                "name": device_name(context.number),
                "host": host,
                "peer": peer,
                "role": "tunnel",
                "address": inner_address(context.number, end),
            }
            for end, (host, peer, ns) in enumerate(ends)
        ]


def device(number: int, end: int) -> int:
    """The index of a TUN device. number: of its tunnel among the flows; end: 0 at src, 1 at dst."""
    return _FIRST_INDEX + 2 * number + end


def device_name(number: int) -> str:
    """Of both devices of a tunnel."""
    return f"tun{number}"


def inner_address(number: int, end: int) -> str:
    """The address of a TUN device, in a subnet 172.x.y.0/24 of its tunnel's."""
    return f"172.{16 + number // 250}.{number % 250 + 1}.{end + 1}"


def devices(layout: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those of every tunnel among the flows of a result's layout."""
    return [each for flow in layout if flow.get("kind") == KIND for each in flow["devices"]]
