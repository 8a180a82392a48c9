"""Packets inside packets of captures made elsewhere: where an inner packet begins. What an ICMP error quotes
is none: it is not on its way.

Sources: RFC 2003 and 4213 (IP in IP), 2784 and 2890 (GRE), 7348 (VXLAN).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from labkit.decode.headers import IP_HEADER, NONE, UDP, UDP_HEADER
from labkit.decode.link_layers import ETHERNET_LINK, IPV4_TYPE, IPV6_TYPE, network_headers, not_understood
from labkit.decode.raw import Bytes, Ints, take

IPV6_HEADER = 40
_IP_IN_IP, _IPV6_IN_IP, _GRE = 4, 41, 47
PROTOCOLS = (_IP_IN_IP, _IPV6_IN_IP, _GRE, UDP)
"""Of packets that may hold another one."""
_CHECKSUM, _KEY, _SEQUENCE = 0x8000, 0x2000, 0x1000  # flags of GRE: four bytes more for each
_PLAIN_GRE = _CHECKSUM | _KEY | _SEQUENCE
_BRIDGED = 0x6558  # GRE's type of a whole Ethernet frame
_VXLAN_PORT, _VXLAN, _VXLAN_HEADER = 4789, 0x08, 8  # the flag that all of VXLAN's headers bear; bytes
_U2 = np.dtype(">u2")


def inner(data: Bytes, protocol: Ints, segment: Ints, end: Ints) -> tuple[Ints, Ints, Counter[str]]:
    """Of each packet the offset and the EtherType of the packet inside, -1: none, or its header was not
    captured as a whole; and how many hold what is not understood. segment: offset of what follows the IP
    header; end: of what was captured."""
    at, kind = segment.copy(), np.full(len(segment), NONE, np.int64)
    kind[protocol == _IP_IN_IP] = IPV4_TYPE
    kind[protocol == _IPV6_IN_IP] = IPV6_TYPE
    strange = _gre(data, at, kind, end, np.flatnonzero((protocol == _GRE) & (segment + 4 <= end)))
    strange += _vxlan(data, at, kind, end, np.flatnonzero((protocol == UDP) & (segment + UDP_HEADER <= end)))
    for number, version, header in ((IPV4_TYPE, 4, IP_HEADER), (IPV6_TYPE, 6, IPV6_HEADER)):
        row = np.flatnonzero(kind == number)
        there = at[row] + header <= end[row]
        there[there] = data[at[row[there]]] >> 4 == version
        kind[row[~there]] = NONE
    kind[~np.isin(kind, (IPV4_TYPE, IPV6_TYPE))] = NONE
    return at, kind, strange


def _gre(data: Bytes, at: Ints, kind: Ints, end: Ints, row: Ints) -> Counter[str]:
    flags, found = take(data, at[row], _U2).astype(np.int64), take(data, at[row] + 2, _U2).astype(np.int64)
    plain = flags & ~_PLAIN_GRE == 0
    strange = Counter({"with GRE of another version": int((~plain).sum())})
    row, flags, found = row[plain], flags[plain], found[plain]
    at[row] += 4 * (1 + sum(((flags & flag) > 0).astype(np.int64) for flag in (_CHECKSUM, _KEY, _SEQUENCE)))
    kind[row] = found
    bridged = found == _BRIDGED
    strange += _frames(data, at, kind, end, row[bridged])
    for number in np.unique(found[~bridged & ~np.isin(found, (IPV4_TYPE, IPV6_TYPE))]).tolist():
        strange[f"with GRE of type {number:#06x}"] += int((found == number).sum())
    return +strange


def _vxlan(data: Bytes, at: Ints, kind: Ints, end: Ints, row: Ints) -> Counter[str]:
    row = row[take(data, at[row] + 2, _U2) == _VXLAN_PORT]
    row = row[at[row] + UDP_HEADER + _VXLAN_HEADER <= end[row]]
    row = row[(data[at[row] + UDP_HEADER] & _VXLAN) > 0]
    at[row] += UDP_HEADER + _VXLAN_HEADER
    return _frames(data, at, kind, end, row)


def _frames(data: Bytes, at: Ints, kind: Ints, end: Ints, row: Ints) -> Counter[str]:
    """Whole Ethernet frames at `at`."""
    link = np.full(len(row), ETHERNET_LINK)
    at[row], kind[row] = network_headers(data, at[row], end[row] - at[row], link)
    return not_understood(link, kind[row])
