"""Link layers of captures made elsewhere: where the network's header begins in a frame, and which one it is.

Sources: tcpdump.org/linktypes.html; IEEE 802.1Q (tags, 802.1ad's too).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from labkit.decode.headers import ETHERNET, NONE
from labkit.decode.raw import Bytes, Ints, take

ETHERNET_LINK = 1  # LINKTYPE_ETHERNET
IPV4_TYPE, IPV6_TYPE = 0x0800, 0x86DD
_TAGS = (0x8100, 0x88A8, 0x9100)  # 802.1Q, 802.1ad, and what was used before that
_INSIDE = {0x8847: "MPLS", 0x8848: "MPLS", 0x8864: "PPPoE"}  # IP may be in there: not looked for
_VERSIONS = {4: IPV4_TYPE, 6: IPV6_TYPE}
_TYPE = np.dtype(">u2")


class Link(NamedTuple):
    """size: of its header, in bytes; type_at: where in it the EtherType is; None: the IP header itself tells
    its version."""

    name: str
    size: int
    type_at: int | None


LINKS: Mapping[int, Link] = MappingProxyType(
    {
        ETHERNET_LINK: Link("Ethernet", ETHERNET, 12),
        113: Link("Linux cooked", 16, 14),
        276: Link("Linux cooked v2", 20, 0),
        **dict.fromkeys((101, 12, 14, 228, 229), Link("raw IP", 0, None)),
        **dict.fromkeys((0, 108), Link("BSD loopback", 4, None)),
    }
)


def network_headers(data: Bytes, offset: Ints, captured: Ints, link: Ints) -> tuple[Ints, Ints]:
    """Of each frame the offset of what follows its link header, tags included, and that's EtherType; -1:
    none, or cut off before it."""
    at, kind = offset.copy(), np.full(len(offset), NONE, np.int64)
    for number in np.unique(link).tolist():
        if number not in LINKS:
            continue
        _, size, type_at = LINKS[number]
        row = np.flatnonzero((link == number) & (captured >= size + (type_at is None)))
        at[row] += size
        if type_at is None:
            version = data[at[row]] >> 4
            kind[row] = np.select([version == v for v in _VERSIONS], list(_VERSIONS.values()), NONE)
        else:
            kind[row] = take(data, offset[row] + type_at, _TYPE)
    tagged = np.flatnonzero(np.isin(kind, _TAGS))
    while tagged.size:
        there = at[tagged] + 4 <= offset[tagged] + captured[tagged]
        kind[tagged[~there]] = NONE
        tagged = tagged[there]
        kind[tagged] = take(data, at[tagged] + 2, _TYPE)
        at[tagged] += 4
        tagged = tagged[np.isin(kind[tagged], _TAGS)]
    return at, kind


def unknown(number: int) -> str:
    """What frames are of whose link is not in LINKS."""
    return "of an interface that the file does not describe" if number == NONE else f"of link type {number}"


def not_understood(link: Ints, kind: Ints) -> Counter[str]:
    """How many frames are of a link layer that is not in LINKS, or hold a protocol in which IP may be."""
    numbers, counts = np.unique(link, return_counts=True)
    pairs = zip(numbers.tolist(), counts.tolist(), strict=True)
    found = Counter({unknown(number): count for number, count in pairs if number not in LINKS})
    for number, name in _INSIDE.items():
        found[f"with {name}"] += int((kind == number).sum())
    return +found
