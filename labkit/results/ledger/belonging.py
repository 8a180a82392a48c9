"""Which class of a queue a dropped packet was in, from its headers: as the filters that compile/classes.py
makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from labkit.decode.headers import ICMP, TCP, UDP, Headers
from labkit.decode.trace import address_text
from labkit.spec import Match, Queue, QueueClass

_PROTOCOLS = {"icmp": ICMP, "tcp": TCP, "udp": UDP}


class Packet(NamedTuple):
    """What of a packet's headers a match can look at, as numbers; -1: it has none."""

    protocol: int
    src: int
    dst: int
    sport: int
    dport: int


NO_HEADERS = Packet(-1, -1, -1, -1, -1)


def packets_of(headers: Headers) -> list[Packet]:
    """One for each frame."""
    columns = (headers.protocol, headers.src, headers.dst, headers.sport, headers.dport)
    return [Packet(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def possible_classes(queue: Queue, packet: Packet, owner: Mapping[str, str]) -> list[QueueClass]:
    """Those a packet can have been in: more than one if some match by mark, which a dropped packet no longer
    shows. owner: address -> host."""
    found: list[QueueClass] = []
    for one in queue.classes:
        if any(match.mark is None and _matches(match, packet, owner) for match in one.match):
            return [*found, one]
        if any(match.mark is not None for match in one.match):
            found.append(one)
    return [*found, *(one for one in queue.classes if one.name == queue.default and one not in found)]


def _matches(match: Match, packet: Packet, owner: Mapping[str, str]) -> bool:
    ports = (packet.sport, packet.dport) if packet.protocol in (TCP, UDP) else ()
    return all(
        (
            match.src is None or _host(packet.src, owner) == match.src,
            match.dst is None or _host(packet.dst, owner) == match.dst,
            match.protocol is None or _PROTOCOLS[match.protocol] == packet.protocol,
            match.port is None or match.port in ports,
            match.sport is None or (match.sport,) == ports[:1],
            match.dport is None or (match.dport,) == ports[1:],
        )
    )


def _host(address: int, owner: Mapping[str, str]) -> str | None:
    return owner.get(address_text(address.to_bytes(4, "big"))) if address >= 0 else None
