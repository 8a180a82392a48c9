"""What every kind of traffic shares: between whom it is, and what it tells those who compile and run it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, StrictStr

from labkit.decode.plain_tables import Table
from labkit.errors import SpecError
from labkit.program.records import Record
from labkit.schema.base import ADDED, FaultsError, Loc, Spec, did_you_mean
from labkit.units import Integer

LAB_CONGESTION_CONTROLS: tuple[str, ...] = (
    *("bbr", "bic", "cdg", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois"),
    *("lp", "nv", "reno", "scalable", "vegas", "veno", "westwood", "yeah"),
)
"""The congestion controls of the lab kernel, by the names that TCP_CONGESTION takes."""

Fault = tuple[Loc, str]


def _label(name: str) -> str:
    if not (1 <= len(name) <= 80 and name.isprintable() and name == name.strip() and "/" not in name):
        raise SpecError("a flow's name is 1 to 80 printable characters without '/'")
    return name


Label = Annotated[StrictStr, AfterValidator(_label)]
SegmentSize = Annotated[Integer, Field(ge=88, le=32767)]
"""Bytes, as TCP_MAXSEG takes them (do_tcp_setsockopt() in net/ipv4/tcp.c)."""


@dataclass(frozen=True)
class Context:
    """Where a flow is in a compiled network: its number, its namespaces (by index), addresses and ports,
    the seed of its own random numbers, the longest that a packet can be under way (s), and of its way as the
    run begins the lowest rate (bit/s; None: no limit) and the smallest MTU (bytes)."""

    number: int
    src_ns: int
    dst_ns: int
    saddr: str
    daddr: str
    sport: int
    dport: int
    seed: int
    longest_s: float
    slowest: int | None = None
    mtu: int = 1500


@dataclass(frozen=True)
class Sockets:
    """What a kind of traffic asks of both ends. packet: payload in bytes of its smallest packet, None for
    full segments; sndbuf, rcvbuf: socket buffers in bytes, None for the kernel's own."""

    protocol: Literal["tcp", "udp", "icmp"]
    cc: str | None = None
    packet: int | None = None
    sndbuf: int | None = None
    rcvbuf: int | None = None


@dataclass(frozen=True)
class Surroundings:
    """What a flow may refer to: congestion controls by name, servers as (host, port), the lowest rate (bit/s)
    on the way from one host to another (None: no limit), tunnels by name, with the two hosts of each."""

    ccs: Sequence[str]
    servers: Collection[tuple[str, int]]
    slowest: Callable[[str, str], int | None]
    tunnels: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ended:
    """How a flow ended: its row of the table `flows`, as far as `Traffic.until` asks."""

    complete: bool
    start_s: float
    last_byte_s: float
    end_s: float


class Traffic(Spec, init=False):
    """What goes on between host src and host dst, from `start` (s) on: the base of each kind of traffic.
    through: the name of the Tunnel between the two that its packets take."""

    _positional: ClassVar = ("src", "dst")
    amount: ClassVar[str] = ""
    """The field that says, if it is given, how much must arrive: then it is over."""
    schedule: ClassVar[tuple[str, ...]] = ()
    """Fields whose product is for how long (s) it goes on, whatever arrives."""
    endless: ClassVar[bool] = False
    """It goes on to the end of the run."""
    one_connection: ClassVar[bool] = True
    """Over TCP it is a single connection."""

    src: StrictStr
    dst: StrictStr
    through: Annotated[StrictStr | None, ADDED] = None
    if TYPE_CHECKING:  # fields of each kind, where they stand in its JSON and its repr
        start: float
        name: str | None

    def sockets(self) -> Sockets:
        """What it asks of the kernel at both ends."""
        raise NotImplementedError

    def lasts(self) -> float:
        """For how long (s) it is meant to go on; 0.0 if only the network says."""
        raise NotImplementedError

    def until(self, ended: Ended, run_s: float) -> float:
        """When the time was over (s) for which it was to go on: what its goodput is divided by counts from
        `start` to then. run_s: when the run ended; it may have been cut."""
        if self.endless:
            return run_s
        if self.schedule:
            lasts: float = math.prod(getattr(self, name) for name in self.schedule)
            return min(ended.start_s + lasts, run_s)
        if ended.complete and self.amount and getattr(self, self.amount) is not None:
            return ended.last_byte_s
        duration: float | None = getattr(self, "duration", None)
        return min(ended.start_s + duration, run_s) if duration else ended.end_s

    def connected(self) -> bool:
        """Is it one TCP connection, which TCP_INFO and its tracepoints tell of?"""
        return self.one_connection and self.sockets().protocol == "tcp"

    def awaited(self) -> bool:
        """Does a run without a duration go on until it has ended?"""
        return True

    def carries(self) -> int | None:
        """Bytes of payload that it sends at the most, in both directions together; None: only time says."""
        return None

    def record(self, context: Context) -> Record:
        """Its record in a lab program."""
        raise NotImplementedError

    def facts(self, context: Context) -> dict[str, Any]:
        """What a result's layout says of it: `describe` and what else its decoder needs."""
        return self.describe(context)

    @classmethod
    def tables(cls) -> Mapping[str, Table]:
        """The tables that a result has of such traffic beside `flows`, by name."""
        return {}

    def describe(self, context: Context) -> dict[str, Any]:
        """Names and numbers of any kind of traffic, as plain values."""
        used = self.sockets()
        return {
            "id": context.number,
            "name": self.name,
            "src": self.src,
            "dst": self.dst,
            "protocol": used.protocol,
            "cc": used.cc,
            "sport": context.sport,
            "dport": context.dport,
            "saddr": context.saddr,
            "daddr": context.daddr,
            "start_s": self.start,
        }

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it by itself; kinds add to these."""
        if self.src == self.dst:
            yield ("dst",), f"={self.dst!r}: the same host as src: name another one"

    def misfits(self, around: Surroundings) -> Iterator[Fault]:
        """What is wrong with it in an experiment; kinds add to these."""
        cc = self.sockets().cc
        if cc is not None and cc not in around.ccs:
            text = f"={cc!r}: no such congestion control{did_you_mean(cc, list(around.ccs))}"
            yield ("cc",), f"{text}: there are {', '.join(around.ccs)}"
        if self.through is not None and around.tunnels.get(self.through) != frozenset((self.src, self.dst)):
            yield ("through",), f"={self.through!r}: {self._no_tunnel(around)}"

    def _no_tunnel(self, around: Surroundings) -> str:
        name = self.through or ""
        if ends := around.tunnels.get(name):
            joined = " and ".join(sorted(map(repr, ends)))
            return f"that tunnel joins {joined}, not {self.src!r} and {self.dst!r}: name another one"
        hint = did_you_mean(name, list(around.tunnels))
        return (
            f"no such tunnel{hint}: write a Tunnel({self.src!r}, {self.dst!r}, name={name!r}) among the flows"
        )

    def check(self) -> None:
        """Raises FaultsError with all `faults`."""
        if found := list(self.faults()):
            raise FaultsError(found)


def network_order(address: str) -> int:
    """An IPv4 address as an integer whose little-endian bytes are in network order."""
    return int.from_bytes(bytes(map(int, address.split("."))), "little")
