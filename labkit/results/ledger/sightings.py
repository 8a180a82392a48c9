"""Where each packet was seen: handed to a device, arriving at its host, freed as lost.

A packet is known by its direction (addresses, protocol, ports), its IP identification, its place in a
fragmented datagram and four bytes of what it carries (TCP: the sequence number). Linux gives every packet of
a connected socket, retransmissions too, the next identification; it wraps after 65,536 packets, so what is
seen later belongs to the last such packet sent before.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode.drop_monitor import Drops
from labkit.decode.frames import Frames, dissected
from labkit.decode.headers import ICMP, Flags, dissect, sound
from labkit.decode.raw import Ints, take
from labkit.results.ledger.damaged import FEW, again, mend
from labkit.results.ledger.flow_over import NO_SOCKET

ARRIVED = frozenset(
    {
        *("QUEUE_PURGE", "TCP_OLD_DATA", "TCP_OFOMERGE", "TCP_OLD_SEQUENCE", "TCP_RFC7323_PAWS"),
        *("TCP_RFC7323_TSECR", "TCP_OLD_ACK", "TCP_TOO_OLD_ACK", "TCP_ACK_UNSENT_DATA", "TCP_RESET"),
        *(
            "TCP_CLOSE",
            "TCP_INVALID_SYN",
            "TCP_ABORT_ON_DATA",
            "TCP_FLAGS",
        ),
    }
)
"""Reasons for which a TCP socket throws away what reached it and was of no use: duplicates, old ACKs."""
OPENING = ("tcp_v4_rcv", "tcp_rcv_state_process")
UNREAD = "udp_destruct_common"  # what a socket held that was closed, as all are when the run ends
OUT_OF_ORDER = "skb_rbtree_purge"  # a socket's out-of-order queue, freed with the socket
IN_QUEUE = "qdisc_reset"  # what a queue had taken out of itself when it was replaced


@dataclass(frozen=True)
class Sightings:
    """Packets that hosts sent, in the order of time, and what became of each: arrays of one length.

    arrived_ns, lost_ns: since the epoch, -1: not; drop: number of the drop, -1: none. copies: how
    often it arrived. host: number of the host that sent it.
    """

    frames: Frames
    arrived_ns: Ints
    copies: Ints
    drop: Ints

    def __len__(self) -> int:
        return len(self.arrived_ns)


def useless(drops: Drops) -> npt.NDArray[np.bool_]:
    """Which drops are of packets that had reached their socket. Some of TCP's functions free without
    a reason what comes for a connection being opened or closed and changes nothing: a SYN once more. What a
    queue had taken out of itself when it was replaced is purged like a socket's queue, but had not
    arrived."""
    codes = [code for code, name in enumerate(drops.reason.categories) if name in ARRIVED]
    again = np.asarray(drops.reason == "NOT_SPECIFIED") & np.isin(
        np.asarray(drops.function, str), (*OPENING, OUT_OF_ORDER, UNREAD)
    )
    in_queue = np.asarray(drops.function == IN_QUEUE)
    return (np.isin(drops.reason.codes, codes) & ~in_queue) | again | _echoes(drops)


def _echoes(drops: Drops) -> npt.NDArray[np.bool_]:
    """An ICMP message is given to raw sockets, which is how ping listens, and then freed for want of an
    ICMP socket."""
    rows = np.flatnonzero(np.asarray(drops.reason == NO_SOCKET))
    part = drops.frames.at(rows)
    found = np.zeros(len(drops.frames), bool)
    found[rows] = dissect(part.data, part.offset, part.captured).protocol == ICMP
    return found


def sightings(sent: Frames, arrived: Frames, drops: Drops, flips: Ints) -> Sightings:
    """Put together what was seen of each packet. drops: without those of packets that reached a socket.
    flips: in how many bits each of the drops may differ from what was sent."""
    arrival, drop = belonging(sent, arrived, drops, flips)
    n = len(sent)
    arrived_ns, dropped, copies = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.int64)
    good = np.flatnonzero(arrival >= 0)[::-1]  # the first of several stays
    arrived_ns[arrival[good]] = arrived.at_ns[good]
    np.add.at(copies, arrival[good], 1)
    good = np.flatnonzero(drop >= 0)[::-1]
    dropped[drop[good]] = good
    return Sightings(sent, arrived_ns, copies, dropped)


def belonging(sent: Frames, arrived: Frames, drops: Drops, flips: Ints) -> tuple[Ints, Ints]:
    """For each frame that arrived, and for each drop, the number of the packet sent that it is; -1: of none.
    Arguments as of `sightings`."""
    parts = (sent, arrived, drops.frames)
    looks = [_look(part) for part in parts]
    keys = _numbered([part for part, _ in looks])
    arrival, drop = (_match(sent, keys[0], parts[k], keys[k], looks[k][1]) for k in (1, 2))
    exact = arrival.copy()
    mend(sent, arrived, arrival, drop, np.full(len(arrived), FEW))
    again(arrived, arrival, drops.frames, drop)
    mend(sent, drops.frames, drop, exact, flips)
    at_ns = np.concatenate([arrived.at_ns, drops.frames.at_ns])
    first, second = np.split(_shared(keys[0], at_ns, np.concatenate([arrival, drop])), [len(arrival)])
    return first, second


def _look(frames: Frames) -> tuple[list[Ints], Flags]:
    """The identity of each frame in three numbers, and which frames are what their header says: one bit
    flipped, and it may be another packet's."""
    keys = [np.empty(len(frames), np.int64) for _ in range(3)]
    trusted = np.empty(len(frames), bool)
    for part, headers in dissected(frames):
        here = frames.at(part)
        carried = np.zeros(len(here), np.int64)
        there = headers.segment - here.offset + 8 <= here.captured
        known = np.flatnonzero((headers.protocol >= 0) & there)
        carried[known] = take(here.data, headers.segment[known] + 4, np.dtype(">u4"))
        ports = np.where(headers.fragment > 0, 0, (headers.sport + 1) << 18 | (headers.dport + 1))
        keys[0][part] = headers.src << 32 | headers.dst & 0xFFFFFFFF
        keys[1][part] = ports << 9 | headers.protocol + 1
        keys[2][part] = np.maximum(headers.fragment, 0) << 48 | headers.ip_id << 32 | carried
        trusted[part] = sound(here.data, headers, here.offset, here.captured)
    return keys, trusted


def identities(parts: list[Frames]) -> list[Ints]:
    """A number for the identity of each frame, the same wherever it was seen."""
    return _numbered([_look(part)[0] for part in parts])


def _numbered(parts: list[list[Ints]]) -> list[Ints]:
    """A number for each identity, the same wherever it was seen."""
    codes = np.zeros(sum(len(keys[0]) for keys in parts), np.int64)
    for column in range(len(parts[0])):
        values, names = pd.factorize(np.concatenate([keys[column] for keys in parts]))
        codes = pd.factorize(codes * max(len(names), 1) + values)[0].astype(np.int64)
    return np.split(codes, np.cumsum([len(keys[0]) for keys in parts])[:-1])


def _match(sent: Frames, sent_keys: Ints, seen: Frames, seen_keys: Ints, trusted: Flags) -> Ints:
    """For each frame seen the number of the packet sent, the last of its identity before it; -1: none."""
    if not len(seen) or not len(sent):
        return np.full(len(seen), -1, np.int64)
    key = np.concatenate([sent_keys, seen_keys])
    at_ns = np.concatenate([sent.at_ns, seen.at_ns])
    later = np.repeat([0, 1], [len(sent), len(seen)])
    order = np.lexsort((later, at_ns, key))
    number = np.where(later[order] == 0, order, -1)
    rank = np.arange(len(order))
    last = np.maximum.accumulate(np.where(number >= 0, rank, -1))
    found = np.where((last >= 0) & (key[order[last]] == key[order]), number[last], -1)
    matched = np.empty(len(order), np.int64)
    matched[order] = found
    return np.where(trusted, matched[len(sent) :], -1)


def _shared(sent: Ints, at_ns: Ints, match: Ints) -> Ints:
    """`match` for packets of one identity that were under way together (SYN-ACKs all have identification 0):
    of several sightings of the last one, the first are of those before it that were seen nowhere."""
    match = match.copy()
    counts = np.bincount(match[match >= 0], minlength=len(sent))
    twice, missing = np.flatnonzero(counts > 1), np.flatnonzero(counts == 0)
    missing = missing[np.isin(sent[missing], sent[twice])]
    if not missing.size:
        return match
    unseen: dict[int, list[int]] = {}
    for i, identity in zip(missing.tolist(), sent[missing].tolist(), strict=True):
        unseen.setdefault(identity, []).append(i)
    order = np.lexsort((at_ns, match))
    first, last = (np.searchsorted(match[order], twice, side).tolist() for side in ("left", "right"))
    identities = sent[twice].tolist()
    for j, identity, start, stop in zip(twice.tolist(), identities, first, last, strict=True):
        mine = unseen.get(identity, [])
        rows = order[start : stop - 1]
        end = bisect.bisect_left(mine, j)
        begin = max(end - len(rows), 0)
        match[rows[: end - begin]] = mine[begin:end]
        del mine[begin:end]
    return match
