"""Connections of a capture made elsewhere: it may begin in the middle of one, and ports are used again.

As Wireshark's TCP dissector tells streams apart and counts their sequence numbers (packet-tcp.c): a SYN whose
number is not the one that the stream counts from begins another stream. A direction counts from its SYN; if
another packet was first, from what that says: its own sequence number is 1, or the ACK that it answers is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labkit.decode.directions import Directions
from labkit.decode.headers import CUT
from labkit.decode.kept_headers import Kept
from labkit.decode.raw import Ints

_SYN, _ACK = 2, 16
_WRAP = 1 << 32


def streams(kept: Kept, directions: Directions) -> Directions:
    """The directions of each stream, and what they count from; gives the packets in `kept` their numbers."""
    number, back = kept.number.astype(np.int64), directions.back
    said = _Said(kept, number, back)
    begins = _begins(kept, number, back, said)
    if begins.size:
        number, directions = _divided(number, directions, begins)
        kept.number[:] = number
        said = _Said(kept, number, directions.back)
    start = np.zeros(len(directions.src), np.int64)
    of, first = np.unique(said.key >> 32, return_index=True)
    start[of] = said.start[first]
    return replace(directions, start=start, unheard=CUT)


class _Said:
    """What packets say of where a direction's numbers start, in the order of directions, then of packets.
    key: direction << 32 | packet."""

    def __init__(self, kept: Kept, number: Ints, back: Ints) -> None:
        own = np.flatnonzero(kept.flags >= 0)
        answers = own[((kept.flags[own] & _ACK) != 0) & (back[number[own]] >= 0)]
        key = np.concatenate((number[own] << 32 | own, back[number[answers]] << 32 | answers))
        syn = (kept.flags[own] & _SYN) != 0
        start = np.concatenate((kept.seq[own] - np.where(syn, 0, 1), kept.ack[answers] - 1)) % _WRAP
        order = np.argsort(key, kind="stable")
        self.key, self.start = key[order], start[order]

    def before(self, packet: Ints, direction: Ints, since: Ints) -> Ints:
        """The start that the first packet since then told, if it was before this one; -1: none was."""
        place = np.searchsorted(self.key, direction << 32 | since)
        told: Ints = np.where(self.key[place] < (direction << 32 | packet), self.start[place], -1)
        return told


def _begins(kept: Kept, number: Ints, back: Ints, said: _Said) -> Ints:
    """The SYNs that begin another stream between the same ends, by pair of directions."""
    syns = np.flatnonzero((kept.flags >= 0) & ((kept.flags & (_SYN | _ACK)) == _SYN))
    told = said.before(syns, number[syns], np.zeros(len(syns), np.int64))
    pair = np.where(back >= 0, np.minimum(back, np.arange(len(back))), np.arange(len(back)))
    doubtful = np.isin(pair[number[syns]], pair[number[syns[(told >= 0) & (told != kept.seq[syns])]]])
    since: dict[int, int] = {}
    found = []
    for syn in syns[doubtful].tolist():
        ends = int(pair[number[syn]])
        begun = np.array([since.get(ends, 0)])
        told = said.before(np.array([syn]), number[[syn]], begun)
        if told[0] not in (-1, kept.seq[syn]):
            since[ends] = syn
            found.append(syn)
    return np.array(found, np.int64)


def _divided(number: Ints, directions: Directions, begins: Ints) -> tuple[Ints, Directions]:
    """Each packet's number, and the directions, where from each of `begins` on a pair's packets are of
    another stream."""
    back, own = directions.back, np.arange(len(directions.back))
    pair = np.where(back >= 0, np.minimum(back, own), own)[number]
    keys = np.sort(pair[begins] << 32 | begins)
    stream = np.searchsorted(keys, pair << 32 | np.arange(len(number)), "right")
    made, here = np.unique(number << 32 | stream, return_inverse=True)
    of = made >> 32
    there = back[of] << 32 | made & (_WRAP - 1)
    place = np.minimum(np.searchsorted(made, there), len(made) - 1)
    partner = np.where((back[of] >= 0) & (made[place] == there), place, -1)
    src, sport, dst, dport, protocol = (column[of] for column in directions.ends)
    return here, Directions(src, sport, dst, dport, protocol, partner)
