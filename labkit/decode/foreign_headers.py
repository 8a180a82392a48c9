"""Headers of frames that were captured elsewhere: other links than Ethernet, tags, IPv6, frames larger than
IP can say, and frames of which little was kept. What is cut off is missing: never guessed, never wrong.

The lab's own frames have none of these: headers.dissect reads them, and so does its twin in JavaScript.
Sources: RFC 8200 (IPv6), 2675 (jumbograms), 4302 (AH); Linux's BIG TCP: include/net/ipv6.h (hop_jumbo_hdr).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv6Address

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode import encapsulations
from labkit.decode.encapsulations import IPV6_HEADER
from labkit.decode.frames import Frames
from labkit.decode.headers import (
    CUT,
    IP_HEADER,
    IPV6,
    NONE,
    TCP,
    TCP_HEADER,
    UDP,
    UDP_HEADER,
    Headers,
    Ports,
    empty,
    folded,
    ipv4,
    later_ports,
    options,
    pseudo_sums,
    tcp_fields,
)
from labkit.decode.link_layers import IPV4_TYPE, IPV6_TYPE, network_headers, not_understood
from labkit.decode.raw import Ints, take

_IPV6_SRC = 24  # bytes of it, with the source's address
_TCP_TOLD = 16  # bytes of TCP's header: all but its checksum and urgent pointer
_HOP_BY_HOP, _ROUTING, _FRAGMENT, _AH, _DESTINATION = 0, 43, 44, 51, 60
_MOBILITY, _HIP, _SHIM6 = 135, 139, 140
_EXTENSIONS = (_HOP_BY_HOP, _ROUTING, _FRAGMENT, _AH, _DESTINATION, _MOBILITY, _HIP, _SHIM6)
_MOST = 16  # extension headers that are followed: more than any packet has
_JUMBO = 0xC204  # a jumbogram's option: type and length
_LARGEST = (1 << 31) - 1  # bytes: what a column holds
_U2, _U4, _U8 = np.dtype(">u2"), np.dtype(">u4"), np.dtype(">u8")
_ADDRESS = 16


@dataclass(frozen=True)
class ForeignFrames(Frames):
    """link: LINKTYPE_ number of each frame. The order is that of the file."""

    link: Ints


@dataclass
class Seen:
    """What frames before told: ports of fragments, IPv6 addresses by their numbers (from IPV6 on), and how
    many were of which kind that is not understood."""

    ports: Ports = field(default_factory=dict)
    addresses: dict[bytes, int] = field(default_factory=dict)
    strange: Counter[str] = field(default_factory=Counter)

    def text(self) -> dict[int, str]:
        """Number -> address as RFC 5952 writes it."""
        return {number: str(IPv6Address(raw)) for raw, number in self.addresses.items()}


def dissected(frames: ForeignFrames, seen: Seen) -> Iterator[tuple[slice, Headers]]:
    """The headers of some frames after the other; adds to what was seen."""
    for part in frames.parts():
        yield part, dissect(frames.at(part), seen)


def dissect(frames: ForeignFrames, seen: Seen) -> Headers:
    """As headers.dissect; CUT: there, but not captured."""
    data = frames.data
    at, kind = network_headers(data, frames.offset, frames.captured, frames.link)
    seen.strange += not_understood(frames.link, kind)
    found, datagram_id = empty(len(frames)), np.full(len(frames), -1, np.int64)
    _ipv4(frames, found, at, np.flatnonzero(kind == IPV4_TYPE), datagram_id)
    _ipv6(frames, found, at, np.flatnonzero(kind == IPV6_TYPE), datagram_id, seen)
    _inside(frames, found, at, datagram_id, seen)
    found.payload[:] = found.segment_size
    begins = (found.fragment <= 0) & (found.segment_size >= 0) & (found.segment >= 0)
    _udp(frames, found, np.flatnonzero(begins & (found.protocol == UDP)))
    _tcp(frames, found, np.flatnonzero(begins & (found.protocol == TCP)))
    later_ports(found, datagram_id, seen.ports)
    return found


def _inside(frames: Frames, found: Headers, at: Ints, datagram_id: Ints, seen: Seen) -> None:
    """Goes into tunnels, all frames' first one together, and so on: a row is of the innermost packet whose
    header was captured."""
    row = np.arange(len(at))
    for _ in range(_MOST):
        row = row[np.isin(found.protocol[row], encapsulations.PROTOCOLS) & (found.fragment[row] <= 0)]
        if not row.size:
            return
        end = frames.offset[row] + frames.captured[row]
        place, kind, strange = encapsulations.inner(frames.data, found.protocol[row], found.segment[row], end)
        seen.strange += strange
        there = kind != NONE
        row, kind = row[there], kind[there]
        at[row] = place[there]
        found.ip_id[row] = found.fragment[row] = datagram_id[row] = NONE
        _ipv4(frames, found, at, row[kind == IPV4_TYPE], datagram_id)
        _ipv6(frames, found, at, row[kind == IPV6_TYPE], datagram_id, seen)


def _kept(frames: Frames, row: Ints, at: Ints) -> Ints:
    """How many bytes from `at` on were captured."""
    kept: Ints = frames.offset[row] + frames.captured[row] - at
    return kept


def _wire(frames: Frames, row: Ints, at: Ints) -> Ints:
    """How many bytes from `at` on the frame had. A packet that says 0 is larger than its header can say."""
    size: Ints = np.minimum(frames.offset[row] + frames.length[row] - at, _LARGEST)
    return size


def _ipv4(frames: Frames, found: Headers, at: Ints, row: Ints, datagram_id: Ints) -> None:
    row = row[_kept(frames, row, at[row]) >= IP_HEADER]
    row = ipv4(frames.data, found, row, at[row])
    datagram_id[row] = found.ip_id[row]
    large = row[take(frames.data, found.network[row] + 2, _U2) == 0]
    found.segment_size[large] = _wire(frames, large, found.segment[large])


def _ipv6(frames: Frames, found: Headers, at: Ints, row: Ints, datagram_id: Ints, seen: Seen) -> None:
    data = frames.data
    row = row[_kept(frames, row, at[row]) >= _IPV6_SRC]
    row = row[data[at[row]] >> 4 == 6]
    found.src[row] = _numbers(frames, seen, at[row] + 8)
    row = row[_kept(frames, row, at[row]) >= IPV6_HEADER]
    ip = at[row]
    found.network[row], found.dst[row] = ip, _numbers(frames, seen, ip + 24)
    size = take(data, ip + 4, _U2).astype(np.int64)
    large = np.flatnonzero(size == 0)
    size[large] = _jumbo(frames, row[large], ip[large])
    found.protocol[row], found.segment[row] = data[ip + 6], ip + IPV6_HEADER
    _extensions(frames, found, row, datagram_id)
    found.segment_size[row] = ip + IPV6_HEADER + size - found.segment[row]


def _jumbo(frames: Frames, row: Ints, ip: Ints) -> Ints:
    """The length of what follows a header that says 0: a jumbogram's own, or all of the frame."""
    size, behind = _wire(frames, row, ip + IPV6_HEADER), ip + IPV6_HEADER
    told = np.flatnonzero((frames.data[ip + 6] == _HOP_BY_HOP) & (_kept(frames, row, behind) >= 8))
    told = told[take(frames.data, behind[told] + 2, _U2) == _JUMBO]
    size[told] = np.minimum(take(frames.data, behind[told] + 4, _U4), _LARGEST)
    return size


def _extensions(frames: Frames, found: Headers, row: Ints, datagram_id: Ints) -> None:
    """Goes past IPv6's extension headers, all frames' first one together, and so on."""
    data = frames.data
    for _ in range(_MOST):
        row = row[np.isin(found.protocol[row], _EXTENSIONS)]
        there = _kept(frames, row, found.segment[row]) >= 8
        found.protocol[row[~there]] = -1
        row = row[there]
        row = row[found.fragment[row] <= 0]  # what is in a later fragment is no header
        if not row.size:
            return
        at, kind = found.segment[row], found.protocol[row]
        units = data[at + 1].astype(np.int64)
        size = np.where(kind == _FRAGMENT, 8, np.where(kind == _AH, (units + 2) * 4, (units + 1) * 8))
        parts = np.flatnonzero(kind == _FRAGMENT)
        place = take(data, at[parts] + 2, _U2).astype(np.int64)
        found.fragment[row[parts]] = np.where(place & 0xFFF9, place & 0xFFF8, -1)
        datagram_id[row[parts]] = take(data, at[parts] + 4, _U4)
        found.protocol[row], found.segment[row] = data[at], at + size


def _numbers(frames: Frames, seen: Seen, at: Ints) -> Ints:
    """A number for the IPv6 address at each offset, the same for the same one."""
    high, low = (take(frames.data, at + half, _U8).astype(np.uint64) for half in (0, 8))
    first, _ = pd.factorize(high)
    second, _ = pd.factorize(low)
    here, pairs = pd.factorize(first.astype(np.int64) << 32 | second)
    where = np.zeros(len(pairs), np.int64)
    where[here[::-1]] = np.arange(len(here))[::-1]
    halves = zip(high[where].tolist(), low[where].tolist(), strict=True)
    raw = [(a << 64 | b).to_bytes(_ADDRESS, "big") for a, b in halves]
    known = [seen.addresses.setdefault(address, IPV6 + len(seen.addresses)) for address in raw]
    return np.array(known, np.int64)[here]


def _ports(frames: Frames, found: Headers, row: Ints) -> None:
    row = row[_kept(frames, row, found.segment[row]) >= 4]
    at = found.segment[row]
    found.sport[row], found.dport[row] = take(frames.data, at, _U2), take(frames.data, at + 2, _U2)


def _udp(frames: Frames, found: Headers, row: Ints) -> None:
    _ports(frames, found, row)
    found.payload[row] -= UDP_HEADER


def _tcp(frames: Frames, found: Headers, row: Ints) -> None:
    _ports(frames, found, row)
    there = _kept(frames, row, found.segment[row]) >= _TCP_TOLD
    for column in (found.seq, found.ack, found.flags, found.window, found.payload):
        column[row[~there]] = CUT
    found.sacks[row[~there]] = NONE
    row = row[there]
    tcp_fields(frames.data, found, row)
    at = found.segment[row]
    size = (frames.data[at + 12] >> 4).astype(np.int64) * 4
    kept = np.minimum(size, _kept(frames, row, at))
    options(frames.data, found, row, at + TCP_HEADER, at + size, at + kept)
    cut = row[kept < size]
    found.sacks[cut[found.sacks[cut] == 0]] = NONE
    found.scale[cut[found.scale[cut] == NONE]] = CUT


def offloaded(frames: Frames, headers: Headers, row: Ints) -> npt.NDArray[np.bool_]:
    """Of packets whose checksum is wrong: had it not been made yet? A sender that leaves it to its network
    card puts in there the sum of the pseudo-header (Linux: CHECKSUM_PARTIAL), and for the IPv4 header's 0."""
    place = headers.segment[row] + np.where(headers.protocol[row] == TCP, 16, 6)
    known = np.isin(headers.protocol[row], (TCP, UDP)) & (_kept(frames, row, place) >= 2)
    found = np.zeros(len(row), bool)
    some = row[known]
    there = take(frames.data, place[known], _U2)
    found[known] = there == folded(pseudo_sums(frames.data, headers, some))
    four = np.flatnonzero(headers.src[row] < IPV6)
    found[four] |= take(frames.data, headers.network[row[four]] + 10, _U2) == 0
    return found
