"""Frames as packets of connections: whose each one is, and sequence numbers that count from the SYN.

All packets at once: nothing here makes an object per packet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.frames import Frames
from labkit.decode.headers import ICMP, SACK_BLOCKS, TCP, UDP, Headers, checksums, dissect
from labkit.decode.raw import Ints
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

_FIN, _SYN, _ACK = 1, 2, 16
_LETTERS = "FSRPAUECN"
_PROTOCOLS = {ICMP: "icmp", TCP: "tcp", UDP: "udp"}
_WRAP = 1 << 32
_FARTHEST = 1 << 29  # half of the largest window: two neighbours are nearer than that
_WAYS = ["data", "ack"]


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
    headers = dissect(frames.data, frames.offset, frames.captured)
    number, back = _directions(headers)
    flow, way = _flows(headers, number, flows)
    seq, ack, left, right = _relative(headers, number, back)
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
        "src": _addresses(headers.src),
        "dst": _addresses(headers.dst),
        "protocol": _protocols(headers.protocol),
        "sport": headers.sport.astype(np.int32),
        "dport": headers.dport.astype(np.int32),
        "ip_id": headers.ip_id.astype(np.int32),
        "seq": seq,
        "ack": ack,
        "flags": each(np.maximum(headers.flags, 0).astype(np.int16), _flag_letters),
        "window": _windows(headers, number, back),
        "sacks": headers.sacks.astype(np.int8),
    }
    for i in range(SACK_BLOCKS):
        columns |= {f"sack{i + 1}_left": left[i], f"sack{i + 1}_right": right[i]}
    columns |= {"tsval": headers.tsval, "tsecr": headers.tsecr}
    columns["payload"] = np.maximum(headers.payload, 0).astype(np.int32)
    columns["length"], columns["captured"] = frames.length.astype(np.int32), frames.captured.astype(np.int32)
    if not checked:
        return pd.DataFrame(columns, copy=False)
    state = checksums(frames.data, headers, frames.offset, frames.captured)
    whole = (frames.captured == frames.length) & (headers.ip_id >= 0) & (headers.fragment < 0)
    state[(state < 0) & whole] = 0  # its header says that there is more
    columns["checksum"] = categorical(np.where(state < 0, 2, 1 - state), ["good", "bad", "unknown"])
    return pd.DataFrame(columns, copy=False)


def _directions(headers: Headers) -> tuple[Ints, Ints]:
    """The number of each packet's direction, and for each direction that of the one back (-1: none)."""
    first = headers.src.astype(np.uint32).astype(np.uint64) << np.uint64(32) | headers.dst.astype(np.uint32)
    second = (headers.sport + 1) << 26 | (headers.dport + 1) << 9 | headers.protocol + 1
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    pair = a.astype(np.int64) << 32 | b
    _, where, number = np.unique(pair, return_index=True, return_inverse=True)
    there = (headers.src, headers.sport, headers.dst, headers.dport, headers.protocol)
    ends = list(zip(*(column[where].tolist() for column in there), strict=True))
    known = {end: i for i, end in enumerate(ends)}
    back = [known.get((dst, dport, src, sport, protocol), -1) for src, sport, dst, dport, protocol in ends]
    return number.astype(np.int64), np.array(back, np.int64)


def _flows(headers: Headers, number: Ints, flows: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
    """The name of each packet's flow and which way it goes."""
    names = list(dict.fromkeys(flow["name"] for flow in flows))
    ends = {}
    for flow in flows:
        near = int(IPv4Address(flow["saddr"])), flow["sport"]
        far = int(IPv4Address(flow["daddr"])), flow["dport"]
        ends[near + far] = (names.index(flow["name"]), 0)
        ends[far + near] = (names.index(flow["name"]), 1)
    _, where = np.unique(number, return_index=True)
    there = (headers.src, headers.sport, headers.dst, headers.dport)
    keys = zip(*(column[where].tolist() for column in there), strict=True)
    found = np.array([ends.get(key, (-1, -1)) for key in keys], np.int64).reshape(-1, 2)
    return categorical(found[number, 0], names), categorical(found[number, 1], _WAYS)


def _signed(difference: Ints) -> Ints:
    return (difference + _WRAP // 2) % _WRAP - _WRAP // 2


def _unwrapped(values: Ints, base: int) -> Ints:
    """values - base, going on beyond 2^32: each one is near the one before it. A value that is far from both
    its neighbours (a flipped bit) is no such neighbour itself."""
    if not len(values):
        return values
    start = int(_signed(values[:1] - base)[0])  # below 0 if the first one captured is older than the base
    steady = np.arange(len(values))
    while len(steady) > 2:
        far = np.abs(_signed(np.diff(values[steady]))) > _FARTHEST
        strange = np.concatenate(([False], far[:-1] & far[1:], [False]))
        if not strange.any():
            break
        strange[1:] &= ~strange[:-1]  # of two in a row the second may be far from the first alone
        steady = steady[~strange]
    steps = np.concatenate(([0], np.cumsum(_signed(np.diff(values[steady])))))
    if len(steady) == len(values):
        return start + steps
    near = np.searchsorted(steady, np.arange(len(values)), "right") - 1
    return start + steps[near] + _signed(values - values[steady[near]])


def _relative(headers: Headers, number: Ints, back: Ints) -> tuple[Ints, Ints, list[Ints], list[Ints]]:
    """seq, ack and the edges of SACK blocks, counted from the SYN of their direction. Without a SYN the
    first packet's sequence number counts as 1."""
    n = len(number)
    seq, ack = np.zeros(n, np.int64), np.zeros(n, np.int64)
    order = np.argsort(number, kind="stable")
    order = order[headers.seq[order] >= 0]
    parts = np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if order.size else []
    start: dict[int, int] = {}
    for part in parts:
        syn = part[(headers.flags[part] & _SYN) != 0]
        first = int(headers.seq[syn[0]]) if syn.size else int(headers.seq[part[0]]) - 1
        start[int(number[part[0]])] = first
        seq[part] = _unwrapped(headers.seq[part], first)
        begun = syn[0] if syn.size else part[0]
        seq[part] -= seq[begun] - (0 if syn.size else 1)
    for part in parts:
        acking = part[(headers.flags[part] & _ACK) != 0]
        if acking.size:
            other = int(back[number[part[0]]])
            ack[acking] = _unwrapped(headers.ack[acking], start.get(other, int(headers.ack[acking[0]]) - 1))
    left, right = [
        [np.where(edge < 0, -1, ack + _signed(edge - headers.ack)) for edge in edges]
        for edges in (headers.left, headers.right)
    ]
    return seq, ack, left, right


def _windows(headers: Headers, number: Ints, back: Ints) -> Ints:
    """Scaled by the option of the direction's SYN, if the other SYN has one too."""
    scale = np.full(len(back), -1, np.int64)
    syn = np.flatnonzero((headers.flags >= 0) & (headers.flags & _SYN != 0))
    scale[number[syn[::-1]]] = headers.scale[syn[::-1]]  # of several the first
    both = (scale >= 0) & (back >= 0) & (scale[back] >= 0)
    shift = np.where(both, np.minimum(scale, 14), 0)[number]
    shift[syn] = 0
    return np.where(headers.window < 0, 0, headers.window << shift)


def _flag_letters(value: int) -> str:
    return "".join(letter for bit, letter in enumerate(_LETTERS) if value >> bit & 1)


def _addresses(values: Ints) -> pd.Categorical[Any]:
    named = each(values, lambda value: address_text(int(value).to_bytes(4, "big")) if value >= 0 else "")
    return named.remove_categories([""]) if "" in named.categories else named


def _protocols(values: Ints) -> pd.Categorical[Any]:
    named = each(values, lambda value: _PROTOCOLS.get(int(value), str(value)))
    return named.remove_categories(["-1"]) if "-1" in named.categories else named
