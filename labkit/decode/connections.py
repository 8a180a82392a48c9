"""Frames as packets of connections: whose each one is, and sequence numbers that count from the SYN.

Nothing here makes an object per packet. Headers are looked at some thousand at a time, and of each only that
is kept which the table needs; what all packets of one direction share is kept once for the direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.directions import Directions
from labkit.decode.frames import Frames, dissected
from labkit.decode.headers import CUT, ICMP, SACK_BLOCKS, TCP, UDP
from labkit.decode.kept_headers import Checksums, Kept, checksum_states, gathered
from labkit.decode.raw import Ints
from labkit.decode.relative_sequence import relate, windows
from labkit.decode.trace import address_text

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run, when the interface passed it",
    "interface": "name of the interface",
    "direction": "out: its own host sent it; in: it arrived there",
    "flow": "name of the flow; missing: of none",
    "way": "data: from the flow's sender; ack: back to it",
    "src": "IPv4 address",
    "dst": "IPv4 address",
    "protocol": "tcp, udp, icmp or its number; missing: not IPv4, or cut off",
    "sport": "port, of a later fragment its first one's; -1: none",
    "dport": "port, likewise",
    "ip_id": "identification in the IPv4 header",
    "seq": "first sequence number, counted from the SYN's, which is 0; beyond 2^32 it goes on",
    "ack": "next sequence number expected, counted likewise; 0 without an ACK flag",
    "flags": "letters of FSRPAUECN as scapy has them",
    "window": "bytes, scaled if both SYNs were captured (RFC 7323)",
    "sacks": "SACK blocks in the packet",
    **{
        f"sack{i}_{edge}": f"{edge} edge of SACK block {i}, as seq; -1: none"
        for i in range(1, SACK_BLOCKS + 1)
        for edge in ("left", "right")
    },
    "tsval": "timestamp value; -1: none",
    "tsecr": "timestamp echo reply; -1: none",
    "payload": "bytes behind the TCP or UDP header, of other packets behind the IPv4 header",
    "length": "bytes of the frame, Ethernet header included",
    "captured": "bytes of it that were kept",
    "checksum": "of IPv4 and TCP, UDP or ICMP: good, bad; unknown: not all of it was kept, or a fragment",
}

_LETTERS = "FSRPAUECN"
_PROTOCOLS = {ICMP: "icmp", TCP: "tcp", UDP: "udp"}
_WAYS = ["data", "ack"]


def address_of(value: int) -> str | None:
    return address_text(value.to_bytes(4, "big")) if value >= 0 else None


def packet_table(
    frames: Frames,
    interfaces: Mapping[int, str],
    flows: Sequence[Mapping[str, Any]],
    *,
    checked: bool = True,
) -> pd.DataFrame:
    """One row per frame, columns as in UNITS. interfaces: index -> name; flows: of the layout.

    checked=False leaves the checksums alone, and their column out.
    """
    kept, ends, state = gathered(frames, dissected(frames), checksum_states if checked else None)
    return table_of(frames, kept, ends.directions(), state, interfaces, flows)


def table_of(
    frames: Frames,
    kept: Kept,
    directions: Directions,
    checksum: Checksums | None,
    interfaces: Mapping[int, str],
    flows: Sequence[Mapping[str, Any]] = (),
    address: Callable[[int], str | None] = address_of,
) -> pd.DataFrame:
    """The same of headers that are gathered; kept is used up. address: an address as text."""
    number = kept.number
    flow, way = _flows(directions, number, flows)
    window = windows(kept, directions)
    relate(kept, directions)
    names = sorted(set(interfaces.values()))
    place = np.zeros(max(interfaces, default=0) + 1, np.int64)
    for index, name in interfaces.items():
        place[index] = names.index(name)
    columns: dict[str, Any] = {
        "time_s": frames.at_ns / 1e9,
        "interface": categorical(place[frames.interface], names),
        "direction": categorical(frames.outgoing.astype(np.int64), ["in", "out"]),
        "flow": flow,
        "way": way,
        "src": _spread(directions.src, number, address),
        "dst": _spread(directions.dst, number, address),
        "protocol": _spread(directions.protocol, number, _protocol),
        "sport": directions.sport.astype(np.int32)[number],
        "dport": directions.dport.astype(np.int32)[number],
        "ip_id": kept.ip_id,
        "seq": kept.seq,
        "ack": kept.ack,
        "flags": each(kept.flags, _flag_letters),
        "window": window,
        "sacks": kept.sacks,
    }
    for i in range(SACK_BLOCKS):
        columns |= {f"sack{i + 1}_left": kept.left[i], f"sack{i + 1}_right": kept.right[i]}
    columns |= {"tsval": kept.tsval, "tsecr": kept.tsecr, "payload": kept.payload}
    columns["length"] = frames.length.astype(np.int32, copy=False)
    columns["captured"] = frames.captured.astype(np.int32, copy=False)
    if checksum is not None:
        columns["checksum"] = categorical(checksum, ["good", "bad", "unknown"])
    return pd.DataFrame(columns, copy=False)


def _flows(directions: Directions, number: Ints, flows: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
    """The name of each packet's flow and which way it goes."""
    names = list(dict.fromkeys(flow["name"] for flow in flows))
    known = {}
    for flow in flows:
        near = int(IPv4Address(flow["saddr"])), flow["sport"]
        far = int(IPv4Address(flow["daddr"])), flow["dport"]
        known[near + far] = (names.index(flow["name"]), 0)
        known[far + near] = (names.index(flow["name"]), 1)
    keys = zip(*(column.tolist() for column in directions.ends[:4]), strict=True)
    found = np.array([_named(known, *key) for key in keys], np.int64).reshape(-1, 2)
    return categorical(found[:, 0][number], names), categorical(found[:, 1][number], _WAYS)


def _named(
    known: Mapping[Any, tuple[int, int]], src: int, sport: int, dst: int, dport: int
) -> tuple[int, int]:
    """Which flow this is and which way it goes; -1: none. A flow with port 0 has clients of any port."""
    tries = (src, sport, dst, dport), (src, 0, dst, dport), (src, sport, dst, 0)
    return next((known[key] for key in tries if key in known), (-1, -1))


def _flag_letters(value: int) -> str | None:
    if value < 0:
        return None if value == CUT else ""
    return "".join(letter for bit, letter in enumerate(_LETTERS) if value >> bit & 1)


def _spread(values: Ints, number: Ints, read: Callable[[int], str | None]) -> pd.Categorical[Any]:
    """read(value) of each packet's direction; None: missing."""
    found = each(values, read)
    return categorical(found.codes[number], found.categories.tolist())


def _protocol(value: int) -> str | None:
    return _PROTOCOLS.get(value, str(value)) if value >= 0 else None
