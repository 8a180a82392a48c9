"""Frames as packets of connections: whose each one is, and sequence numbers that count from the SYN.

Nothing here makes an object per packet. Headers are looked at some thousand at a time, and of each only that
is kept which the table needs; what all packets of one direction share is kept once for the direction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode.columns import categorical, each
from labkit.decode.directions import Ends
from labkit.decode.frames import Frames, dissected
from labkit.decode.headers import ICMP, SACK_BLOCKS, TCP, UDP, Headers, checksums
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
    kept, ends, state = _gathered(frames, checked=checked)
    number, back = kept.number, ends.back()
    flow, way = _flows(ends, number, flows)
    window = _windows(kept, back)
    _relate(kept, back)
    names = sorted(set(interfaces.values()))
    place = np.zeros(max(interfaces, default=0) + 1, np.int64)
    for index, name in interfaces.items():
        place[index] = names.index(name)
    src, sport, dst, dport, protocol = ends.columns()
    columns: dict[str, Any] = {
        "time_s": frames.at_ns / 1e9,
        "interface": categorical(place[frames.interface], names),
        "direction": categorical(frames.outgoing.astype(np.int64), ["in", "out"]),
        "flow": flow,
        "way": way,
        "src": _spread(src, number, _address),
        "dst": _spread(dst, number, _address),
        "protocol": _spread(protocol, number, _protocol),
        "sport": sport.astype(np.int32)[number],
        "dport": dport.astype(np.int32)[number],
        "ip_id": kept.ip_id,
        "seq": kept.seq,
        "ack": kept.ack,
        "flags": each(np.maximum(kept.flags, 0, out=kept.flags), _flag_letters),
        "window": window,
        "sacks": kept.sacks,
    }
    for i in range(SACK_BLOCKS):
        columns |= {f"sack{i + 1}_left": kept.left[i], f"sack{i + 1}_right": kept.right[i]}
    columns |= {"tsval": kept.tsval, "tsecr": kept.tsecr, "payload": kept.payload}
    columns["length"] = frames.length.astype(np.int32, copy=False)
    columns["captured"] = frames.captured.astype(np.int32, copy=False)
    if checked:
        columns["checksum"] = categorical(state, ["good", "bad", "unknown"])
    return pd.DataFrame(columns, copy=False)


@dataclass(frozen=True)
class _Kept:
    """What a table needs of each packet's headers: arrays of one length, as in Headers. number: of its
    direction."""

    number: Ints
    ip_id: Ints
    seq: Ints
    ack: Ints
    flags: Ints
    window: Ints
    scale: Ints
    sacks: Ints
    tsval: Ints
    tsecr: Ints
    payload: Ints
    left: list[Ints]
    right: list[Ints]


_KINDS: dict[str, Any] = {
    **dict.fromkeys(("number", "ip_id", "payload"), np.int32),
    **dict.fromkeys(("seq", "ack", "window", "tsval", "tsecr"), np.int64),
    "scale": np.int16,
    "sacks": np.int8,
    "flags": np.int16,
}


def _gathered(frames: Frames, *, checked: bool) -> tuple[_Kept, Ends, npt.NDArray[np.int8]]:
    """Of all packets; and how their checksums are (0 good, 1 bad, 2 unknown), if that is to be looked at."""
    n, ends = len(frames), Ends()
    columns: dict[str, Any] = {name: np.empty(n, kind) for name, kind in _KINDS.items()}
    columns |= {name: [np.empty(n, np.int64) for _ in range(SACK_BLOCKS)] for name in ("left", "right")}
    kept = _Kept(**columns)
    state = np.empty(n if checked else 0, np.int8)
    for part, headers in dissected(frames):
        kept.number[part] = ends.numbers(headers)
        for name in ("ip_id", "seq", "ack", "window", "scale", "sacks", "tsval", "tsecr"):
            getattr(kept, name)[part] = getattr(headers, name)
        kept.flags[part], kept.payload[part] = headers.flags, np.maximum(headers.payload, 0)
        for i in range(SACK_BLOCKS):
            kept.left[i][part], kept.right[i][part] = headers.left[i], headers.right[i]
        if checked:
            state[part] = _checksums(frames.at(part), headers)
    return kept, ends, state


def _checksums(frames: Frames, headers: Headers) -> npt.NDArray[np.int8]:
    """0: good, 1: bad, 2: unknown."""
    state = checksums(frames.data, headers, frames.offset, frames.captured)
    whole = (frames.captured == frames.length) & (headers.ip_id >= 0) & (headers.fragment < 0)
    state[(state < 0) & whole] = 0  # its header says that there is more
    return np.where(state < 0, np.int8(2), np.int8(1) - state)


def _flows(ends: Ends, number: Ints, flows: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
    """The name of each packet's flow and which way it goes."""
    names = list(dict.fromkeys(flow["name"] for flow in flows))
    known = {}
    for flow in flows:
        near = int(IPv4Address(flow["saddr"])), flow["sport"]
        far = int(IPv4Address(flow["daddr"])), flow["dport"]
        known[near + far] = (names.index(flow["name"]), 0)
        known[far + near] = (names.index(flow["name"]), 1)
    keys = zip(*(column.tolist() for column in ends.columns()[:4]), strict=True)
    found = np.array([_named(known, *key) for key in keys], np.int64).reshape(-1, 2)
    return categorical(found[:, 0][number], names), categorical(found[:, 1][number], _WAYS)


def _named(
    known: Mapping[Any, tuple[int, int]], src: int, sport: int, dst: int, dport: int
) -> tuple[int, int]:
    """Which flow this is and which way it goes; -1: none. A flow with port 0 has clients of any port."""
    tries = (src, sport, dst, dport), (src, 0, dst, dport), (src, sport, dst, 0)
    return next((known[key] for key in tries if key in known), (-1, -1))


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


def _relate(kept: _Kept, back: Ints) -> None:
    """Makes seq, ack and the edges of SACK blocks count from the SYN of their direction; 0: there is none.
    Without a SYN the first packet's sequence number counts as 1."""
    order = np.argsort(kept.number, kind="stable")
    order = order[kept.seq[order] >= 0]
    parts = np.split(order, np.flatnonzero(np.diff(kept.number[order])) + 1) if order.size else []
    kept.seq[kept.seq < 0] = 0
    start: dict[int, int] = {}
    for part in parts:
        syn = part[(kept.flags[part] & _SYN) != 0]
        first = int(kept.seq[syn[0]]) if syn.size else int(kept.seq[part[0]]) - 1
        start[int(kept.number[part[0]])] = first
        kept.seq[part] = _unwrapped(kept.seq[part], first)
        begun = syn[0] if syn.size else part[0]
        kept.seq[part] -= kept.seq[begun] - (0 if syn.size else 1)
    acking = np.zeros(len(kept.number), bool)
    for part in parts:
        mine = part[(kept.flags[part] & _ACK) != 0]
        acking[mine] = True
        if mine.size:
            other = int(back[kept.number[part[0]]])
            raw = kept.ack[mine]
            ack = _unwrapped(raw, start.get(other, int(raw[0]) - 1))
            kept.ack[mine] = ack
            _relate_edges(kept, mine, ack, raw)
    silent = np.flatnonzero(~acking)
    _relate_edges(kept, silent, 0, kept.ack[silent])
    kept.ack[silent] = 0


def _relate_edges(kept: _Kept, rows: Ints, ack: Ints | int, raw: Ints) -> None:
    """Edges near an acknowledgement number that was `raw` and now is `ack`; -1: none."""
    for edge in (*kept.left, *kept.right):
        there = edge[rows] >= 0
        if there.any():
            edge[rows[there]] = (ack + _signed(edge[rows] - raw))[there]


def _windows(kept: _Kept, back: Ints) -> Ints:
    """Scaled by the option of the direction's SYN, if the other SYN has one too."""
    scale = np.full(len(back), -1, np.int64)
    syn = np.flatnonzero((kept.flags >= 0) & (kept.flags & _SYN != 0))
    scale[kept.number[syn[::-1]]] = kept.scale[syn[::-1]]  # of several the first
    both = (scale >= 0) & (back >= 0) & (scale[back] >= 0)
    shift = np.where(both, np.minimum(scale, 14), 0)[kept.number]
    shift[syn] = 0
    window = kept.window
    window[window < 0] = 0
    window <<= shift
    return window


def _flag_letters(value: int) -> str:
    return "".join(letter for bit, letter in enumerate(_LETTERS) if value >> bit & 1)


def _spread(values: Ints, number: Ints, read: Callable[[int], str | None]) -> pd.Categorical[Any]:
    """read(value) of each packet's direction; None: missing."""
    texts = [read(value) for value in values.tolist()]
    names = sorted({text for text in texts if text is not None})
    codes = np.array([-1 if text is None else names.index(text) for text in texts], np.int64)
    return categorical(codes[number], names)


def _address(value: int) -> str | None:
    return address_text(value.to_bytes(4, "big")) if value >= 0 else None


def _protocol(value: int) -> str | None:
    return _PROTOCOLS.get(value, str(value)) if value >= 0 else None
