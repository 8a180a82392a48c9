"""What the transcripts of an examination say, tool by tool. It reads what was printed and nothing else."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from labkit.mysteries import typed as asked
from labkit.mysteries.examination import Examination
from labkit.mysteries.readings import (
    ethtool_text,
    ip_text,
    nstat_text,
    ping_text,
    ss_text,
    tc_text,
    tcpdump_text,
    tracepath_text,
)
from labkit.mysteries.readings.ip_text import Interface
from labkit.mysteries.readings.ping_text import Pinged
from labkit.mysteries.readings.ss_text import Socket
from labkit.mysteries.readings.tc_text import Qdisc
from labkit.mysteries.readings.tcpdump_text import Segment
from labkit.mysteries.readings.tracepath_text import Traced

LINE = {"r1": "eth1", "r2": "eth0"}
"""The routers' interfaces to the line between them."""


@dataclass(frozen=True)
class Evidence:
    """An examination, read."""

    examination: Examination

    def card(self, host: str, option: str = "", when: str = "before") -> str:
        """What ethtool printed of a host's card."""
        return self.examination[when, host, asked.ethtool(option, asked.WITH_PORTS[host])]

    def card_counters(self, host: str) -> dict[str, int]:
        """ethtool -S, when all was over."""
        return ethtool_text.counters(self.card(host, "-S ", "after"))

    @cached_property
    def ping(self) -> Pinged:
        """300 small packets while nobody else sent."""
        return ping_text.read(self.examination["before", "left", asked.PING])

    @cached_property
    def large_ping(self) -> Pinged:
        """Packets that fill an MTU of 1500 and must not be cut."""
        return ping_text.read(self.examination["before", "left", asked.LARGE_PING])

    @cached_property
    def loaded_ping(self) -> Pinged:
        """Small packets beside the transfer."""
        return ping_text.read(self.examination["during", "left", asked.LOADED_PING])

    def next_hop(self, host: str) -> Pinged:
        """From an end to its router."""
        hop = asked.NEXT_HOPS[host]
        return ping_text.read(self.examination["rest", host, asked.round_trip(hop)])

    @cached_property
    def trace(self) -> Traced:
        """The way there."""
        return tracepath_text.read(self.examination["before", "left", asked.TRACE])

    def interface(self, host: str, name: str) -> Interface:
        """ip -s link, when all was over."""
        return ip_text.interfaces(self.examination["after", host, asked.LINKS])[name]

    def line(self, host: str) -> Interface:
        """A router's interface to the line."""
        return self.interface(host, LINE[host])

    def queues(self, host: str, when: str = "after") -> list[Qdisc]:
        """tc -s qdisc of a router."""
        return tc_text.qdiscs(self.examination[when, host, asked.QUEUES])

    def waiting(self, host: str, when: str = "after") -> list[Qdisc]:
        """Of these the ones in which packets for the line wait."""
        return [one for one in self.queues(host, when) if one.device == LINE[host] and one.kind != "tbf"]

    def counters(self, host: str) -> defaultdict[str, int]:
        """nstat of an end, when all was over."""
        return nstat_text.counters(self.examination["after", host, asked.COUNTERS])

    def sockets(self, host: str, when: str = "during") -> list[Socket]:
        """ss of an end; when: "during" the transfer, or the "check"."""
        return ss_text.sockets(self.examination[when, host, asked.SOCKETS])

    def transfer(self, host: str, when: str = "during") -> Socket | None:
        """Of these the newest of those between left and right; None: there is none."""
        peer = {"left": "10.0.5.2", "right": "10.0.1.1"}[host]
        found = [one for one in self.sockets(host, when) if one.peer == peer]
        return max(found, key=lambda one: -one.values.get("busy", 0), default=None)

    def seen(self, host: str, interface: str) -> list[Segment]:
        """The first packets of the transfer, both ways, at an interface."""
        return tcpdump_text.segments(self.examination["handshake", host, asked.capture(interface)])
