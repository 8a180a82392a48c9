"""Which class of a queue a dropped packet was in, from its headers: as the filters that compile/classes.py
makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

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


class ClassSamples:
    """The table `classes`, to be asked for what was in a class at a time."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._of = {
            key: (rows["time_s"].to_numpy(), rows["backlog_packets"].to_numpy(), rows["drops"].to_numpy())
            for key, rows in table.groupby(["host", "peer", "class"], observed=True)
        }

    def held(self, ends: tuple[str, str], name: str, time_s: float) -> int:
        """Packets in a class at its last sample. ends: from which host to which."""
        times, backlog, _ = self._of[(*ends, name)]
        before = int(np.searchsorted(times, time_s, "right")) - 1
        return int(backlog[before]) if before >= 0 else 0

    def dropped(self, ends: tuple[str, str], name: str, time_s: float) -> bool:
        """Did a class drop any packet between the samples around that time?"""
        times, _, drops = self._of[(*ends, name)]
        after = int(np.searchsorted(times, time_s))
        before = int(drops[after - 1]) if after else 0
        return after < len(drops) and int(drops[after]) > before


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
