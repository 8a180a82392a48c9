"""What a packet table must say, by scapy's dissection of each packet alone: the slow and independent way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scapy.layers.inet import IP, TCP, UDP, in4_chksum
from scapy.layers.l2 import Ether
from scapy.packet import Packet
from scapy.utils import checksum as summed

from labkit.decode.frames import Frames
from labkit.decode.headers import SACK_BLOCKS

Ends = tuple[str, int, str, int]
NAMES = {6: "tcp", 17: "udp", 1: "icmp"}
NONE = {
    **dict.fromkeys(("src", "dst", "protocol", "flow", "way")),
    **dict.fromkeys(("sport", "dport", "ip_id", "tsval", "tsecr"), -1),
    **dict.fromkeys(("seq", "ack", "window", "sacks", "payload"), 0),
    **{f"sack{i}_{edge}": -1 for i in range(1, SACK_BLOCKS + 1) for edge in ("left", "right")},
    "flags": "",
    "checksum": "unknown",
}


def signed(difference: int) -> int:
    """The number nearest to 0 that is the same modulo 2^32."""
    return (difference + 2**31) % 2**32 - 2**31


def layers(packet: Packet) -> tuple[IP, Packet] | None:
    """IPv4 and what it carries, from the packet's own bytes; None if it is not IPv4 over Ethernet."""
    frame = Ether(bytes(packet))
    if frame.type != 0x0800 or IP not in frame or frame[IP].version != 4 or frame[IP].ihl < 5:
        return None
    return frame[IP], frame[IP].payload


def expected(
    packets: Sequence[Packet], flows: Iterable[Mapping[str, Any]] = (), wire: Sequence[int] | None = None
) -> pd.DataFrame:
    """The columns of a packet table that depend on the packets alone. wire: their lengths on the wire."""
    found = [layers(packet) for packet in packets]
    starts: dict[Ends, int] = {}
    scales: dict[Ends, int | None] = {}
    for parts in found:
        if parts is not None and isinstance(tcp := parts[1], TCP):
            if tcp.flags.S and ends(*parts) not in scales:
                starts[ends(*parts)] = tcp.seq
                scales[ends(*parts)] = dict(options(tcp)).get("WScale")
            starts.setdefault(ends(*parts), tcp.seq - 1)
    last: dict[tuple[str, Ends], int] = {}
    first: dict[tuple[str, Ends], int] = {}
    names = named(flows)
    firsts: dict[tuple[str, str, int, int], dict[str, Any]] = {}
    rows = []
    lengths = [len(packet) for packet in packets] if wire is None else wire
    for packet, parts, length in zip(packets, found, lengths, strict=True):
        row = dict(NONE)
        if parts is not None:
            row |= of_ip(*parts, names, len(packet) == length)
            datagram = parts[0].src, parts[0].dst, parts[0].proto, parts[0].id
            if parts[0].flags.MF and parts[0].frag == 0:
                firsts[datagram] = {name: row[name] for name in ("sport", "dport", "flow", "way")}
            elif parts[0].frag:
                row |= firsts.get(datagram, {})
            if isinstance(parts[1], TCP):
                row |= of_tcp(*parts, starts, scales, last, first)
        rows.append(row | {"captured": len(packet), "length": length})
    return pd.DataFrame(rows)


def ends(ip: IP, segment: Packet) -> Ends:
    return ip.src, segment.sport, ip.dst, segment.dport


def named(flows: Iterable[Mapping[str, Any]]) -> dict[Ends, tuple[str, str]]:
    found: dict[Ends, tuple[str, str]] = {}
    for flow in flows:
        near, far = (flow["saddr"], flow["sport"]), (flow["daddr"], flow["dport"])
        found[near + far] = flow["name"], "data"
        found[far + near] = flow["name"], "ack"
    return found


def of_ip(ip: IP, segment: Packet, names: Mapping[Ends, tuple[str, str]], whole: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"src": ip.src, "dst": ip.dst, "protocol": NAMES.get(ip.proto, str(ip.proto))}
    row["ip_id"] = ip.id
    row["payload"] = ip.len - 4 * ip.ihl
    if ip.frag == 0 and isinstance(segment, TCP | UDP):
        row |= {"sport": segment.sport, "dport": segment.dport}
        row["payload"] -= 4 * segment.dataofs if isinstance(segment, TCP) else 8
        row["flow"], row["way"] = names.get(ends(ip, segment), (None, None))
    if ip.frag == 0 and not ip.flags.MF:
        row["checksum"] = checksum(ip) if whole else "unknown"
    return row


def checksum(ip: IP) -> str:
    """Of the bytes as they came, by scapy's arithmetic: over what has its own checksum the sum is 0."""
    raw = bytes(ip)
    head, body = raw[: 4 * ip.ihl], raw[4 * ip.ihl : ip.len]
    if len(raw) < ip.len or ip.len < 4 * ip.ihl:
        return "bad"
    good = summed(head) == 0
    if ip.proto == 1:
        good &= summed(body) == 0
    if ip.proto == 6 or (ip.proto == 17 and body[6:8] != b"\0\0"):
        good &= in4_chksum(ip.proto, ip, body) == 0
    return "good" if good else "bad"


def options(tcp: TCP) -> list[tuple[str, Any]]:
    """Those that scapy could read: of a damaged one it keeps the bytes. Behind one of an impossible length it
    reads on; Linux and labkit do not."""
    sound = sound_options(bytes(tcp)[20 : 4 * (tcp.dataofs or 5)])
    return [(str(name), value) for name, value in tcp.options[:sound] if not isinstance(value, bytes)]


def sound_options(data: bytes) -> int:
    """How many there are before one that is shorter than its own kind and length (RFC 9293, 3.1)."""
    at = count = 0
    while at < len(data) and data[at] != 0:
        length = 1 if data[at] == 1 else data[at + 1] if at + 1 < len(data) else 0
        if length < 1 + (data[at] != 1):
            break
        at, count = at + length, count + 1
    return count


def of_tcp(
    ip: IP,
    tcp: TCP,
    starts: Mapping[Ends, int],
    scales: Mapping[Ends, int | None],
    last: dict[tuple[str, Ends], int],
    first: dict[tuple[str, Ends], int],
) -> dict[str, Any]:
    """last: the number before, by its kind and direction: it goes on from there beyond 2^32. first: what the
    numbers count from."""
    here = ends(ip, tcp)
    there = (*here[2:], *here[:2])
    row: dict[str, Any] = {"flags": str(tcp.flags), "window": tcp.window}

    def go_on(kind: str, value: int, start: int) -> int:
        before = last.get((kind, here))
        first.setdefault((kind, here), start)
        near = value - first[kind, here]
        last[kind, here] = signed(near) if before is None else before + signed(near - before)
        return last[kind, here]

    row["seq"] = go_on("seq", tcp.seq, starts[here])
    if tcp.flags.A:
        row["ack"] = go_on("ack", tcp.ack, starts.get(there, tcp.ack - 1))
    both = scales.get(here), scales.get(there)
    if not tcp.flags.S and None not in both:
        row["window"] <<= min(both[0] or 0, 14)
    for name, value in options(tcp):
        if name == "Timestamp" and len(value) == 2:
            row["tsval"], row["tsecr"] = value
        if name == "SAck":
            row["sacks"] = min(len(value) // 2, SACK_BLOCKS)
            edges = [row.get("ack", 0) + signed(edge - tcp.ack) for edge in value]
            for i in range(row["sacks"]):
                row[f"sack{i + 1}_left"], row[f"sack{i + 1}_right"] = edges[2 * i : 2 * i + 2]
    return row


def compare(table: pd.DataFrame, packets: Sequence[Packet], flows: Iterable[Mapping[str, Any]] = ()) -> None:
    """Asserts that a packet table says of each packet what scapy says, column by column."""
    wanted = expected(packets, flows, [packet.wirelen or len(packet) for packet in packets])
    assert len(table) == len(packets)
    for column in wanted:
        mine, theirs = table[column], wanted[column]
        pairs = zip(mine.astype(object).tolist(), theirs.astype(object).tolist(), strict=True)
        wrong = [(i, a, b) for i, (a, b) in enumerate(pairs) if not (pd.isna(a) and pd.isna(b)) and a != b]
        assert not wrong, (
            f"{column}: packet, labkit's, scapy's: {wrong[:5]}, {packets[wrong[0][0]].summary()}"
        )


def frames_of(bodies: Sequence[bytes], stamps: Sequence[int], lengths: Sequence[int]) -> Frames:
    """As the lab has them: one behind the other."""
    captured = np.array([len(body) for body in bodies], np.int64)
    none = np.zeros(len(bodies), np.int64)
    data = np.frombuffer(b"".join(bodies), np.uint8)
    offset = np.cumsum(captured) - captured
    return Frames(
        data, np.array(stamps, np.int64), none, none != 0, offset, captured, np.array(lengths, np.int64)
    )
