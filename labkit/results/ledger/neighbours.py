"""Packets that a router still holds when the run ends: it has asked for its neighbour's address (RFC 826)
and has no answer yet. They came in, did not go out, were not freed, and are in no queue that it shows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labkit.decode.frames import Frames
from labkit.decode.headers import ETHERNET
from labkit.decode.raw import Ints, take
from labkit.results.ledger.sightings import identities

_ARP, _REQUEST, _REPLY = 0x0806, 1, 2
_U2, _U4 = np.dtype(">u2"), np.dtype(">u4")
_LENGTH = 28  # bytes of a request for an IPv4 address
_OPERATION, _SENDER, _TARGET = 6, 14, 24  # where in it


def held(frames: Frames, hosts: Mapping[int, str], packets: Frames) -> int:
    """How many of `packets`, which hosts sent and nobody got, are held by a host that waits for an answer.

    frames: all that was captured until the end. hosts: interface index -> host.
    """
    asking = [hosts[index] for index in _asking(frames) if index in hosts]
    here = [index for index, host in hosts.items() if host in asking]
    part = frames.at(np.isin(frames.interface, here))
    if not len(part) or not len(packets):
        return 0
    sent, seen = identities([packets, part])
    rows: dict[int, list[int]] = {}
    for row in np.flatnonzero(np.isin(seen, sent)).tolist():
        rows.setdefault(int(seen[row]), []).append(row)
    found = 0
    for identity, at_ns in zip(sent.tolist(), packets.at_ns.tolist(), strict=True):
        mine = [row for row in rows.get(identity, []) if part.at_ns[row] >= at_ns]
        found += bool(mine) and not part.outgoing[mine[-1]]  # the last that was seen of it: it came in
    return found


def _asking(frames: Frames) -> list[int]:
    """Interfaces by which somebody's address was asked for, without an answer since."""
    whole = np.flatnonzero(frames.captured >= ETHERNET + _LENGTH)
    part = frames.at(whole[take(frames.data, frames.offset[whole] + ETHERNET - 2, _U2) == _ARP])
    start = part.offset + ETHERNET
    operation: Ints = take(part.data, start + _OPERATION, _U2)
    asked, told = (take(part.data, start + place, _U4) for place in (_TARGET, _SENDER))
    waiting: set[tuple[int, int]] = set()
    columns = (part.interface, part.outgoing, operation, asked, told)
    for interface, outgoing, what, target, sender in zip(*(one.tolist() for one in columns), strict=True):
        if what == _REQUEST and outgoing:
            waiting.add((interface, target))
        elif what == _REPLY and not outgoing:
            waiting.discard((interface, sender))
    return sorted({interface for interface, _ in waiting})
