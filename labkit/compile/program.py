"""The lab program as bytes: records one after another. Mirrors agent/src/format.h; knows no networks."""

from __future__ import annotations

import enum
import struct
from dataclasses import dataclass, field

MAGIC = 0x4250414C
VERSION = 2
NS_FD = 100
SETUP = -1
NO_NS = 0xFFFF
MORE = 1  # another program follows
UNTIL_PACKET = 2  # the program ends when a listener has taken a frame

NETLINK_ROUTE = 0
NETLINK_NETFILTER = 12

_HEADER = struct.Struct("<IHHII")
_RECORD = struct.Struct("<HHIq")


class Op(enum.IntEnum):
    """Record types of a program."""

    NETNS = 1
    NETLINK = 2
    SYSCTL = 3
    SEED = 4
    MODULE = 5
    OFFLOAD = 6
    FLOW = 7
    TRACE = 8
    SAMPLE = 9
    COUNTERS = 10
    EXEC = 11
    HOSTS = 12
    END = 13
    CAPTURE = 14
    DROPS = 15
    LISTEN = 16
    SEND = 17
    SERVER = 18


@dataclass
class Program:
    """Collects records; `why` remembers in words what each one is for, so that errors can say so."""

    flags: int = 0
    records: list[bytes] = field(default_factory=list)
    why: list[str] = field(default_factory=list)

    def add(self, op: Op, body: bytes, why: str, *, ns: int = NO_NS, at_ns: int = SETUP) -> None:
        """One record; at_ns is relative to the program's start, SETUP is before it."""
        record = _RECORD.pack(op, ns, _RECORD.size + len(body), at_ns) + body
        self.records.append(record + b"\0" * (-len(record) % 8))
        self.why.append(why)

    def netns(self, index: int, name: str) -> None:
        self.add(Op.NETNS, _text(name), f"namespace {name}", ns=index)

    def netlink(
        self,
        messages: list[bytes],
        why: str,
        *,
        ns: int,
        at_ns: int = SETUP,
        protocol: int = NETLINK_ROUTE,
    ) -> None:
        """Messages sent in one namespace; for netfilter as one batch."""
        if not messages:
            return
        flags = 1 if protocol == NETLINK_NETFILTER else 0
        body = struct.pack("<II", protocol, flags) + b"".join(m + b"\0" * (-len(m) % 4) for m in messages)
        self.add(Op.NETLINK, body, why, ns=ns, at_ns=at_ns)

    def sysctl(self, name: str, value: object, why: str, *, ns: int = NO_NS, at_ns: int = SETUP) -> None:
        """name with dots or slashes; value as written into the file."""
        path = name if "/" in name else name.replace(".", "/")
        self.add(Op.SYSCTL, _text(path) + _text(str(value)), why, ns=ns, at_ns=at_ns)

    def end(self, *, duration_ns: int, limit_ns: int) -> bytes:
        """Close the program. duration_ns=0: it ends when its flows and commands have."""
        self.add(Op.END, struct.pack("<QQ", duration_ns, limit_ns), "end")
        return _HEADER.pack(MAGIC, VERSION, self.flags, len(self.records), 0) + b"".join(self.records)


def _text(text: str) -> bytes:
    return text.encode() + b"\0"


_FLOW = struct.Struct("<IHBBIIHHIQQIIIIQQ16sQQ")


def flow_record(
    *,
    id: int,
    dst_ns: int,
    udp: bool,
    nodelay: bool,
    poisson: bool,
    served: bool,
    saddr: int,
    daddr: int,
    sport: int,
    dport: int,
    mss: int,
    size: int,
    duration_ns: int,
    sndbuf: int,
    rcvbuf: int,
    read_bytes: int,
    packet: int,
    interval_ns: int,
    seed: int,
    cc: str,
    read_after_ns: int,
    read_rate: int,
) -> bytes:
    """struct flow_op; addresses as integers whose little-endian bytes are in network order.

    read_bytes: for UDP in its place linger_ms.
    """
    return _FLOW.pack(
        id,
        dst_ns,
        17 if udp else 6,
        (1 if nodelay else 0) | (2 if poisson else 0) | (4 if served else 0),
        saddr,
        daddr,
        sport,
        dport,
        mss,
        size,
        duration_ns,
        sndbuf,
        rcvbuf,
        read_bytes,
        packet,
        interval_ns,
        seed,
        cc.encode(),
        read_after_ns,
        read_rate,
    )


def server_record(port: int, backlog: int) -> bytes:
    """struct server_op."""
    return struct.pack("<HHI", port, backlog, 0)
