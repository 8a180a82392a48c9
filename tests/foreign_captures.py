"""Captures as other people make them: some connections with all that TCP does, in any link layer, and what
tshark reads in a file."""

from __future__ import annotations

import functools
import random
import struct
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether, Loopback
from scapy.packet import Packet, Raw

MACS = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}
IPV4_TYPE, IPV6_TYPE = 0x0800, 0x86DD
Made = list[tuple[float, Packet]]
"""Seconds and packets from the IP header on, in their order."""


@dataclass
class Sender:
    """One end of a connection: what it would put into its next segment's header."""

    ip: Packet
    port: int
    isn: int
    clock: int
    sent: int = 0  # sequence number that comes next, from the SYN's on
    got: int = 0  # what it acknowledges next
    blocks: list[tuple[int, int]] = field(default_factory=list)


class Connection:
    """Segments between two ends."""

    def __init__(self, chance: random.Random, version: int, number: int, port: int) -> None:
        ends = ("10.0.0.1", "10.9.0.2") if version == 4 else ("2001:db8::1", "fe80::2")
        net = IP if version == 4 else IPv6
        self.chance, self.made, self.stamps = chance, Made(), number % 2 == 0
        ports = port + number, 443
        isn = chance.randrange(2**32), chance.randrange(2**32)
        if number % 3 == 0:
            isn = 2**32 - 3000, isn[1]  # goes round in a moment
        self.ends = [
            Sender(net(src=ends[i], dst=ends[1 - i]), ports[i], isn[i], chance.randrange(2**32))
            for i in (0, 1)
        ]

    def send(self, at: float, end: int, flags: str, size: int = 0, seq: int | None = None) -> None:
        """seq: from the SYN's on; None: what comes next."""
        me, you = self.ends[end], self.ends[1 - end]
        options: list[tuple[str, object]] = []
        if "S" in flags:
            options = [
                ("MSS", 1460),
                ("SAckOK", b""),
                ("Timestamp", (me.clock, 0)),
                ("NOP", None),
                ("WScale", 7),
            ]
        elif self.stamps:
            options = [("NOP", None), ("NOP", None), ("Timestamp", (me.clock, you.clock))]
        if me.blocks and "S" not in flags:
            edges = [(you.isn + edge) % 2**32 for block in me.blocks for edge in block]
            options += [("NOP", None), ("NOP", None), ("SAck", tuple(edges))]
        number = me.sent if seq is None else seq
        ack = (you.isn + me.got) % 2**32 if "A" in flags else 0
        head = TCP(
            sport=me.port,
            dport=you.port,
            flags=flags,
            seq=(me.isn + number) % 2**32,
            ack=ack,
            window=self.chance.randrange(500, 65536),
            options=options,
        )
        packet = me.ip / head / Raw(self.chance.randbytes(size)) if size else me.ip / head
        self.made.append((at, packet))
        me.clock = (me.clock + 1) % 2**32
        if seq is None:
            me.sent += size + ("S" in flags) + ("F" in flags)


def connection(
    chance: random.Random, version: int, number: int, start: float, port: int = 40_000, segments: int = 30
) -> Made:
    """A handshake, data that is lost, sent again and acknowledged with SACK, and an end."""
    one = Connection(chance, version, number, port)
    left, right = one.ends
    at = start
    one.send(at, 0, "S")
    right.got = 1
    one.send(at + 0.02, 1, "SA")
    left.got = 1
    one.send(at + 0.04, 0, "A")
    at += 0.05
    holes: list[tuple[int, int]] = []
    sent: list[tuple[float, int]] = []
    for _ in range(segments):
        at += chance.choice([0.0001, 0.001, 0.02])
        size, begun = chance.choice([1, 536, 1448, 1448]), left.sent
        left.got = max([end for when, end in sent if when < at], default=left.got)
        one.send(at, 0, "PA" if chance.random() < 0.2 else "A", size)
        if chance.random() < 0.15:
            holes.append((begun, size))
            continue
        if holes:
            right.blocks = [(begun, begun + size), *right.blocks][: 2 if one.stamps else 3]
        else:
            right.got = left.sent
        one.send(at + 0.01, 1, "A", chance.choice([0, 0, 0, 200]))
        sent.append((at + 0.01, right.sent))
        if len(holes) >= 2 or (holes and chance.random() < 0.3):
            for seq, size in holes:
                at += 0.25
                one.send(at, 0, "A", size, seq)
            holes, right.blocks, right.got = [], [], left.sent
            one.send(at + 0.02, 1, "A")
    for seq, size in holes:
        at += 0.25
        one.send(at, 0, "A", size, seq)
    right.blocks, right.got = [], left.sent
    one.send(at + 0.05, 0, "FA")
    right.got = left.sent
    one.send(at + 0.07, 1, "FA")
    left.got = right.sent
    one.send(at + 0.09, 0, "A")
    return one.made


@functools.cache
def mixture(seed: int, version: int, port: int = 40_000) -> Made:
    """Connections one beside the other, and other packets: UDP, ping."""
    chance = random.Random(seed)
    made = [part for i in range(4) for part in connection(chance, version, i, i * 0.013, port)]
    net = IP(src="10.0.0.1", dst="10.9.0.2") if version == 4 else IPv6(src="2001:db8::1", dst="fe80::2")
    made += [(i * 0.05, net / UDP(sport=5000 + i, dport=53) / Raw(b"x" * i)) for i in range(9)]
    made += [(0.3 + i, net / ICMP() if version == 4 else net / Raw(b"")) for i in range(2)]
    return sorted(made, key=lambda pair: pair[0])


def _kind(packet: Packet) -> int:
    return IPV4_TYPE if IP in packet else IPV6_TYPE


LINKS: Mapping[str, tuple[int, Callable[[Packet], Packet]]] = {
    "ethernet": (1, lambda packet: Ether(**MACS) / packet),
    "802.1Q": (1, lambda packet: Ether(**MACS) / Dot1Q(vlan=7) / packet),
    "802.1ad": (1, lambda packet: Ether(**MACS) / Dot1AD(vlan=5) / Dot1Q(vlan=7) / packet),
    "cooked": (113, lambda packet: CookedLinux(lladdrlen=6, proto=_kind(packet)) / packet),
    "cooked 2": (276, lambda packet: CookedLinuxV2(lladdrlen=6, proto=_kind(packet)) / packet),
    "raw": (101, lambda packet: packet),
    "loopback": (0, lambda packet: Loopback(type=2 if IP in packet else 30) / packet),
}
"""Link layer -> its number, and what puts a packet into its frame."""


def write(
    file: Path,
    made: Made,
    link: str = "ethernet",
    *,
    nano: bool = False,
    snap: Callable[[int], int | None] | None = None,
) -> Path:
    """As a pcap file. snap: how many bytes are kept of the frame of this number; None: all."""
    number, framed = LINKS[link]
    magic, unit = (0xA1B23C4D, 10**9) if nano else (0xA1B2C3D4, 10**6)
    blocks = [struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 1 << 20, number)]
    for i, (at, packet) in enumerate(made):
        frame = bytes(framed(packet))
        kept = frame[: snap(i)] if snap else frame
        time = round(at * unit)
        header = struct.pack("<IIII", 1_700_000_000 + time // unit, time % unit, len(kept), len(frame))
        blocks += [header, kept]
    file.write_bytes(b"".join(blocks))
    return file


def editcap(file: Path, into: Path, *options: str) -> Path:
    """The same capture in another form."""
    subprocess.run(["editcap", *options, str(file), str(into)], check=True, capture_output=True)
    return into


AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
FIELDS = {
    "time_s": "frame.time_relative", "length": "frame.len", "captured": "frame.cap_len",
    "ip_src": "ip.src", "ipv6_src": "ipv6.src", "ip_dst": "ip.dst", "ipv6_dst": "ipv6.dst", "ip_id": "ip.id",
    "sport": "tcp.srcport", "dport": "tcp.dstport", "seq": "tcp.seq", "ack": "tcp.ack", "flags": "tcp.flags",
    "window": "tcp.window_size", "payload": "tcp.len", "sacks": "tcp.options.sack.count",
    "tsval": "tcp.options.timestamp.tsval", "tsecr": "tcp.options.timestamp.tsecr",
    "udp_sport": "udp.srcport", "udp_length": "udp.length",
    **{name: f"tcp.analysis.{name}" for name in AGAIN},
}  # fmt: skip


def tshark(file: Path, *, occurrence: str = "f") -> pd.DataFrame:
    """FIELDS of each frame as text, "" where it has none. occurrence: f: the first one, l: the last."""
    command = ["tshark", "-n", "-r", str(file), "-T", "fields", "-E", "separator=;"]
    command += ["-E", f"occurrence={occurrence}"]
    for preference in ("ip.defragment:FALSE", "ipv6.defragment:FALSE", "ipv6.tso_support:TRUE"):
        command += ["-o", preference]
    for name in FIELDS.values():
        command += ["-e", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line.split(";") for line in done.stdout.splitlines()]
    return pd.DataFrame(rows, columns=list(FIELDS))
