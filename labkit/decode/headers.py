"""Ethernet, IPv4, TCP and UDP headers of many frames at once: arrays of one length.

Sources: RFC 791, 9293 (TCP and its options), 7323 (window scale, timestamps), 2018 (SACK), 768, 792.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from labkit.decode.raw import Bytes, Ints, take

ETHERNET = 14
ICMP, TCP, UDP, ICMPV6 = 1, 6, 17, 58
SACK_BLOCKS = 4
NONE, CUT = -1, -2  # what is not there, and what is but was not captured: of foreign captures alone
IPV6 = 1 << 32  # addresses from here on are numbers that their capture gives (foreign_headers.Seen)
_IPV4 = 0x0800
IP_HEADER, TCP_HEADER, UDP_HEADER = 20, 20, 8
_MORE, _PLACE = 0x2000, 0x1FFF  # of the fragment field
_U2, _U4 = np.dtype(">u2"), np.dtype(">u4")
_NOP, _SCALE, _SACK, _STAMPS = 1, 3, 5, 8
Flags = npt.NDArray[np.bool_]


def _none(count: int) -> Ints:
    return np.full(count, NONE, np.int64)


def _edges(count: int) -> list[Ints]:
    return [_none(count) for _ in range(SACK_BLOCKS)]


@dataclass
class Headers:
    """One entry per frame; what a frame does not have is -1.

    protocol: of IPv4; -1: not IPv4, or cut off before the end of its headers. fragment: where in
    its datagram a fragment begins, in bytes; -1: a whole datagram. A later fragment has the ports of its
    first one, if that came before. network, segment: offset of the IP header, and of what follows it, in the
    data. payload: bytes behind the headers, by the IP header's length, whether captured or not. seq, ack:
    modulo 2^32 as on the wire; scale: the window scale option; left, right: edges of the SACK blocks.
    """

    network: Ints
    protocol: Ints
    src: Ints
    dst: Ints
    ip_id: Ints
    fragment: Ints
    sport: Ints
    dport: Ints
    seq: Ints
    ack: Ints
    flags: Ints
    window: Ints
    payload: Ints
    segment: Ints
    segment_size: Ints
    scale: Ints
    tsval: Ints
    tsecr: Ints
    sacks: Ints
    left: list[Ints]
    right: list[Ints]


Ports = dict[tuple[int, ...], tuple[int, int]]
"""Of datagrams in fragments, as their first ones told."""


def dissect(data: Bytes, offset: Ints, captured: Ints, ports: Ports | None = None) -> Headers:
    """The headers of the frames that begin at `offset` of `data` and have `captured` bytes there. ports: what
    frames before these told, and to which these add."""
    found = empty(len(offset))
    row = np.flatnonzero(captured >= ETHERNET)
    row = row[take(data, offset[row] + 12, _U2) == _IPV4]
    row = _enough(found, row, captured, np.full(len(row), ETHERNET + IP_HEADER))
    row = ipv4(data, found, row, offset[row] + ETHERNET)
    begins = row[found.fragment[row] <= 0]
    _udp(data, found, begins[found.protocol[begins] == UDP], captured, offset)
    _tcp(data, found, begins[found.protocol[begins] == TCP], captured, offset)
    later_ports(found, found.ip_id, {} if ports is None else ports)
    return found


def empty(count: int) -> Headers:
    """Of frames without any."""
    numbers = {column.name: _none(count) for column in fields(Headers) if column.type == "Ints"}
    found = Headers(**numbers, left=_edges(count), right=_edges(count))
    found.sacks[:] = 0
    return found


def ipv4(data: Bytes, found: Headers, row: Ints, ip: Ints) -> Ints:
    """IPv4's of frames that have 20 bytes of it at `ip`. Those of `row` whose header is one."""
    header = (data[ip] & 15).astype(np.int64) * 4
    good = (header >= IP_HEADER) & (data[ip] >> 4 == 4)
    row, ip, header = row[good], ip[good], header[good]
    found.network[row] = ip
    found.protocol[row] = data[ip + 9]
    found.src[row], found.dst[row] = take(data, ip + 12, _U4), take(data, ip + 16, _U4)
    found.ip_id[row] = take(data, ip + 4, _U2)
    place = take(data, ip + 6, _U2).astype(np.int64)
    found.fragment[row] = np.where(place & (_MORE | _PLACE), (place & _PLACE) * 8, -1)
    found.segment[row] = ip + header
    found.segment_size[row] = take(data, ip + 2, _U2).astype(np.int64) - header
    found.payload[row] = found.segment_size[row]
    return row


def later_ports(found: Headers, datagram_id: Ints, ports: Ports) -> None:
    """Ports of later fragments: those of the first one of the same datagram, the last before."""
    rows = np.flatnonzero(found.fragment >= 0)
    datagram = (found.src, found.dst, found.protocol, datagram_id)
    keys = zip(*(column[rows].tolist() for column in datagram), strict=True)
    for i, key in zip(rows.tolist(), keys, strict=True):
        if found.fragment[i] == 0:
            ports[key] = int(found.sport[i]), int(found.dport[i])
        else:
            found.sport[i], found.dport[i] = ports.get(key, (-1, -1))


def _enough(found: Headers, row: Ints, captured: Ints, wanted: Ints) -> Ints:
    """Those of `row` whose headers were captured to their end; the others are of no known protocol."""
    enough = captured[row] >= wanted
    found.protocol[row[~enough]] = -1
    return row[enough]


def _udp(data: Bytes, found: Headers, row: Ints, captured: Ints, offset: Ints) -> None:
    row = _enough(found, row, captured, found.segment[row] - offset[row] + UDP_HEADER)
    at = found.segment[row]
    found.sport[row], found.dport[row] = take(data, at, _U2), take(data, at + 2, _U2)
    found.payload[row] -= UDP_HEADER


def _tcp(data: Bytes, found: Headers, row: Ints, captured: Ints, offset: Ints) -> None:
    row = _enough(found, row, captured, found.segment[row] - offset[row] + TCP_HEADER)
    at = found.segment[row]
    size = (data[at + 12] >> 4).astype(np.int64) * 4
    row = _enough(found, row, captured, at - offset[row] + size)
    at = found.segment[row]
    tcp_fields(data, found, row)
    size = (data[at + 12] >> 4).astype(np.int64) * 4
    options(data, found, row, at + TCP_HEADER, at + size)


def tcp_fields(data: Bytes, found: Headers, row: Ints) -> None:
    """All of TCP but its options. row: frames of which the 20 bytes were captured."""
    at = found.segment[row]
    found.sport[row], found.dport[row] = take(data, at, _U2), take(data, at + 2, _U2)
    found.seq[row], found.ack[row] = take(data, at + 4, _U4), take(data, at + 8, _U4)
    found.flags[row] = take(data, at + 12, _U2) & 0x1FF
    found.window[row] = take(data, at + 14, _U2)
    found.payload[row] -= (data[at + 12] >> 4).astype(np.int64) * 4


def options(data: Bytes, found: Headers, row: Ints, at: Ints, end: Ints, kept: Ints | None = None) -> None:
    """All frames' first option together, then all second ones, and so on. end: of the header; kept: of what
    was captured of it, if that is less."""
    kept = end if kept is None else kept
    while (more := at < kept).any():
        if not more.all():
            row, at, end, kept = row[more], at[more], end[more], kept[more]
        kind = data[at]
        single = kind <= _NOP
        alone = single | (at + 1 >= kept)
        size = np.where(alone, 1, data[np.minimum(at + 1, len(data) - 1)]).astype(np.int64)
        whole = (size >= np.where(single, 1, 2)) & (at + size <= end)
        _number(data, found.tsval, row, at + 2, kept, (kind == _STAMPS) & whole & (size == 10))
        _number(data, found.tsecr, row, at + 6, kept, (kind == _STAMPS) & whole & (size == 10))
        scale = np.flatnonzero((kind == _SCALE) & whole & (size == 3) & (at + 3 <= kept))
        found.scale[row[scale]] = data[at[scale] + 2]
        sack = np.flatnonzero((kind == _SACK) & whole)
        blocks = (size[sack] - 2) // 8
        found.sacks[row[sack]] = np.minimum(blocks, SACK_BLOCKS)
        for i in range(SACK_BLOCKS):
            mine = sack[blocks > i]
            for edges, place in (found.left[i], 2 + 8 * i), (found.right[i], 6 + 8 * i):
                _number(data, edges, row[mine], at[mine] + place, kept[mine])
        at = np.where(whole & (kind != 0), at + size, kept)


def _number(data: Bytes, column: Ints, row: Ints, at: Ints, kept: Ints, which: Flags | None = None) -> None:
    """The four bytes at `at`, where they were captured."""
    there = at + 4 <= kept if which is None else which & (at + 4 <= kept)
    column[row[there]] = take(data, at[there], _U4)


def checksums(data: Bytes, headers: Headers, offset: Ints, captured: Ints) -> npt.NDArray[np.int8]:
    """1: the IPv4 header's and the TCP or UDP checksum are right, 0: one is wrong, -1: not to be known.
    IPv6 has none of its own.

    Not to be known is that of a frame of which not all was captured, or of a fragment. A UDP checksum of
    0 means none (RFC 768). An ICMP message's own checksum is looked at, other protocols have only the
    header's.
    """
    state = np.full(len(offset), -1, np.int8)
    end = headers.segment + headers.segment_size
    whole = (headers.fragment < 0) & (end - offset <= captured) & (headers.segment_size >= 0)
    row = np.flatnonzero((headers.protocol >= 0) & whole)
    ip, segment, size = headers.network[row], headers.segment[row], headers.segment_size[row]
    six = headers.src[row] >= IPV6
    good = (folded(_sums(data, ip, segment - ip)) == 0xFFFF) | six
    protocol = headers.protocol[row]
    checked = np.isin(protocol, (TCP, UDP)) | (protocol == np.where(six, ICMPV6, ICMP))
    total = _sums(data, segment[checked], size[checked])
    total += (protocol[checked] != ICMP) * pseudo_sums(data, headers, row[checked])
    right = folded(total) == 0xFFFF
    bare = np.flatnonzero(protocol[checked] == UDP)
    right[bare] |= take(data, segment[checked][bare] + 6, _U2) == 0
    good[checked] &= right
    state[row] = good
    return state


def pseudo_sums(data: Bytes, headers: Headers, row: Ints) -> Ints:
    """What TCP's and UDP's checksums cover beside the segment (RFC 9293, 3.1; RFC 8200, 8.1): ends, protocol,
    length."""
    src, dst, size = headers.src[row], headers.dst[row], headers.segment_size[row]
    total = (src >> 16) + (src & 0xFFFF) + (dst >> 16) + (dst & 0xFFFF)
    six = np.flatnonzero(src >= IPV6)
    total[six] = _sums(data, headers.network[row[six]] + 8, np.full(len(six), 32))
    sums: Ints = total + headers.protocol[row] + (size >> 16) + (size & 0xFFFF)
    return sums


def sound(data: Bytes, headers: Headers, offset: Ints, captured: Ints) -> Flags:
    """Is the checksum of the IPv4 header right? False for what has none."""
    good = np.zeros(len(offset), bool)
    row = np.flatnonzero((headers.segment >= 0) & (headers.segment - offset <= captured))
    ip, end = offset[row] + ETHERNET, headers.segment[row]
    total = np.zeros(len(row), np.int64)
    for at in range(0, int((end - ip).max(initial=0)), 2):
        there = ip + at < end
        total[there] += take(data, ip[there] + at, _U2)
    good[row] = folded(total) == 0xFFFF
    return good


_AT_ONCE = 1 << 23  # bytes: so that what is being added up stays in little memory


def _sums(data: Bytes, start: Ints, size: Ints) -> Ints:
    """The ones' complement sum of the big-endian 16-bit words of each stretch (RFC 1071); an odd last
    byte counts as its upper half."""
    total = np.zeros(len(start), np.int64)
    order = np.argsort(start, kind="stable")
    for align in range(4):
        mine = order[(start[order] & 3 == align) & (size[order] >= 4)]
        chunk = start[mine] // _AT_ONCE
        for part in np.split(mine, np.flatnonzero(np.diff(chunk)) + 1) if mine.size else []:
            total[part] = _whole_words(data, start[part], size[part] & ~3)
    rest = start + (size & ~3)
    pairs = np.flatnonzero((size & 3) >= 2)
    total[pairs] += take(data, rest[pairs], _U2)
    tail = np.flatnonzero(size & 1)
    total[tail] += data[start[tail] + size[tail] - 1].astype(np.int64) << 8
    return total


def _whole_words(data: Bytes, start: Ints, size: Ints) -> Ints:
    """The same of stretches that begin at the same remainder of 4 and are multiples of 4 bytes long:
    32-bit words added up in the machine's order, and swapped at the end."""
    low, high = int(start[0]), int((start + size).max())
    words = np.ascontiguousarray(data[low:high]).view("<u4")
    upto = np.zeros(len(words) + 1, np.uint64)
    np.cumsum(words, dtype=np.uint64, out=upto[1:])
    sums = folded((upto[(start + size - low) // 4] - upto[(start - low) // 4]).astype(np.int64))
    return (sums & 0xFF) << 8 | sums >> 8


def folded(sums: Ints) -> Ints:
    while (sums >> 16).any():
        sums = (sums & 0xFFFF) + (sums >> 16)
    return sums
