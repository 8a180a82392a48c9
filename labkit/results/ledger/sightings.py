"""Where each packet was seen: handed to a device, arriving at its host, freed as lost.

A packet is known by its direction (addresses, protocol, ports), its IP identification, its place in a
fragmented datagram and four bytes of what it carries (TCP: the sequence number). Linux gives every packet of
a connected socket, retransmissions too, the next identification; it wraps after 65,536 packets, so what is
seen later belongs to the last such packet sent before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from labkit.decode.drop_monitor import Drops
from labkit.decode.frames import Frames
from labkit.decode.headers import ETHERNET, ICMP, Flags, Headers, dissect, sound
from labkit.decode.raw import Bytes, Ints, take

_ARRIVED = frozenset(
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
_OPENING = ("tcp_v4_rcv", "tcp_rcv_state_process")
_OUT_OF_ORDER = "skb_rbtree_purge"  # a socket's out-of-order queue, freed with the socket
_COMPARED = 112  # bytes from the IP header on
FEW, ANY = 3, 8 * _COMPARED  # bits in which a damaged frame may differ from the packet that it is
_SHORTEST, _FCS = 60, 4  # bytes: a port pads a frame to the first, and may pass on the second
_CHANGING = (8, 10, 11)  # of these: TTL and the header's checksum


@dataclass(frozen=True)
class Sightings:
    """Packets that hosts sent, in the order of time, and what became of each: arrays of one length.

    arrived_ns, lost_ns: since the epoch, -1: not; drop: number of the drop, -1: none. copies: how
    often it arrived. host: number of the host that sent it.
    """

    frames: Frames
    headers: Headers
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
    codes = [code for code, name in enumerate(drops.reason.categories) if name in _ARRIVED]
    again = np.asarray(drops.reason == "NOT_SPECIFIED") & np.isin(
        np.asarray(drops.function, str), (*_OPENING, _OUT_OF_ORDER)
    )
    in_queue = np.asarray(drops.function == "qdisc_reset")
    return (np.isin(drops.reason.codes, codes) & ~in_queue) | again | _echoes(drops)


def _echoes(drops: Drops) -> npt.NDArray[np.bool_]:
    """An ICMP message is given to raw sockets, which is how ping listens, and then freed for want of an
    ICMP socket."""
    rows = np.flatnonzero(np.asarray(drops.reason == "NO_SOCKET"))
    part = drops.frames.at(rows)
    found = np.zeros(len(drops.frames), bool)
    found[rows] = dissect(part.data, part.offset, part.captured).protocol == ICMP
    return found


def sightings(sent: Frames, arrived: Frames, drops: Drops, flips: Ints) -> Sightings:
    """Put together what was seen of each packet. drops: without those of packets that reached a socket.
    flips: in how many bits each of the drops may differ from what was sent."""
    parts = (sent, arrived, drops.frames)
    headers = [dissect(part.data, part.offset, part.captured) for part in parts]
    keys = [_keys(part, header) for part, header in zip(parts, headers, strict=True)]
    arrival, drop = (_match(sent, keys[0], parts[k], keys[k], _trusted(parts[k], headers[k])) for k in (1, 2))
    exact = arrival.copy()  # a damaged packet that arrives is thrown away there: it is seen twice
    _mend(sent, arrived, arrival, drop, np.full(len(arrived), FEW))
    _mend(sent, drops.frames, drop, exact, flips)
    at_ns = np.concatenate([arrived.at_ns, drops.frames.at_ns])
    arrival, drop = np.split(_shared(keys[0], at_ns, np.concatenate([arrival, drop])), [len(arrival)])
    n = len(sent)
    arrived_ns, dropped, copies = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros(n, np.int64)
    good = np.flatnonzero(arrival >= 0)[::-1]  # the first of several stays
    arrived_ns[arrival[good]] = arrived.at_ns[good]
    np.add.at(copies, arrival[good], 1)
    good = np.flatnonzero(drop >= 0)[::-1]
    dropped[drop[good]] = good
    return Sightings(sent, headers[0], arrived_ns, copies, dropped)


Keys = npt.NDArray[Any]


def _keys(frames: Frames, headers: Headers) -> Keys:
    """The identity of each frame as 24 bytes."""
    carried = np.zeros(len(frames), np.int64)
    there = headers.segment - frames.offset + 8 <= frames.captured
    known = np.flatnonzero((headers.protocol >= 0) & there)
    carried[known] = take(frames.data, headers.segment[known] + 4, np.dtype(">u4"))
    ports = np.where(headers.fragment > 0, 0, (headers.sport + 1) << 18 | (headers.dport + 1))
    parts = [
        headers.src << 32 | headers.dst & 0xFFFFFFFF,
        ports << 9 | headers.protocol + 1,
        np.maximum(headers.fragment, 0) << 48 | headers.ip_id << 32 | carried,
    ]
    return np.ascontiguousarray(np.stack(parts, axis=1)).view("V24")[:, 0]


def _trusted(frames: Frames, headers: Headers) -> Flags:
    """Which frames are what their header says: one bit flipped, and it may be another packet's."""
    return sound(frames.data, headers, frames.offset, frames.captured)


def _match(sent: Frames, sent_keys: Keys, seen: Frames, seen_keys: Keys, trusted: Flags) -> Ints:
    """For each frame seen the number of the packet sent, the last of its identity before it; -1: none."""
    if not len(seen) or not len(sent):
        return np.full(len(seen), -1, np.int64)
    _, key = np.unique(np.concatenate([sent_keys, seen_keys]), return_inverse=True)
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


def _shared(sent: Keys, at_ns: Ints, match: Ints) -> Ints:
    """`match` for packets of one identity that were under way together (SYN-ACKs all have identification 0):
    of several sightings of the last one, the first are of those before it that were seen nowhere."""
    match = match.copy()
    twice = np.flatnonzero(np.bincount(match[match >= 0], minlength=len(sent)) > 1)
    missing = np.setdiff1d(np.arange(len(sent)), match)
    if not twice.size or not missing.size:
        return match
    unseen: dict[bytes, list[int]] = {}
    for i in missing.tolist():
        unseen.setdefault(sent[i].tobytes(), []).append(i)
    for j in twice.tolist():
        mine = unseen.get(sent[j].tobytes(), [])
        rows = np.flatnonzero(match == j)
        rows = rows[np.argsort(at_ns[rows], kind="stable")][:-1]
        before = [i for i in mine if i < j][-len(rows) :]
        match[rows[: len(before)]] = before
        unseen[sent[j].tobytes()] = [i for i in mine if i not in before]
    return match


def _mend(sent: Frames, seen: Frames, match: Ints, other: Ints, most: Ints) -> None:
    """A bit flipped in a header changes a packet's identity: such a frame is the packet, sent before and seen
    nowhere, from which it differs least, in no more than `most` bits of its own. It may be shorter: UDP
    cuts off what its header does not count. Fills `match` in place."""
    strangers = np.flatnonzero(match < 0)
    if not strangers.size:
        return
    missing = np.setdiff1d(np.arange(len(sent)), np.concatenate([match, other]))
    room = np.maximum(sent.length, _SHORTEST) + _FCS
    for i in strangers.tolist():
        before = missing[: np.searchsorted(sent.at_ns[missing], seen.at_ns[i], "right")]
        before = before[room[before] >= seen.length[i]]
        mine, none = _bytes(seen, i), (ANY + 1, 0)
        flips, last = min(((_distance(_bytes(sent, j), mine), -j) for j in before.tolist()), default=none)
        if flips <= most[i]:
            match[i] = -last
            missing = missing[missing != -last]


def _bytes(frames: Frames, i: int) -> Bytes:
    start = int(frames.offset[i]) + ETHERNET
    kept = frames.data[start : min(start + _COMPARED, int(frames.offset[i] + frames.captured[i]))].copy()
    kept[[at for at in _CHANGING if at < len(kept)]] = 0
    return kept


def _distance(one: Bytes, other: Bytes) -> int:
    """Bits in which two stretches differ, as far as both go."""
    size = min(len(one), len(other))
    return int(np.bitwise_count(one[:size] ^ other[:size]).sum())
