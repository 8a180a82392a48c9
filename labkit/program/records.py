"""The records of a lab program as bytes: the only file that packs them. Mirrors agent/src/format.h.

A record of traffic is declared where its kind of traffic is (traffic/), as a Struct.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MAGIC = 0x4250414C
VERSION = 2
NS_FD = 100  # namespace i is file descriptor 100 + i in netlink messages
SETUP = -1  # at_ns of what is done before the program's start
NO_NS = 0xFFFF

MORE = 1  # another program follows
UNTIL_PACKET = 2  # the program ends when a listener has taken a frame
EXEC_TERMINAL = 1  # the command keeps the agent's own stdin, stdout and stderr
EXEC_DETACHED = 2  # the run does not wait for it
EXEC_PRIVILEGED = 4  # root of the kernel, not only of its network
SAMPLE_TCP_INFO, SAMPLE_NETLINK, SAMPLE_CC_INFO = 1, 2, 3

NETLINK_ROUTE = 0
NETLINK_NETFILTER = 12
_BATCH = 1  # as nfnetlink wants it: one message as a whole


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
    REQUEST = 19
    LIMITS = 20
    SHOW = 21
    CHAIN = 22
    BACKGROUND = 23
    TRAIN = 24
    EXCHANGES = 25
    STREAM = 26
    TUN = 28
    TUNNEL = 29
    PARAMETER = 30


@dataclass(frozen=True)
class Record:
    """What is to be done, in which namespace (its index) and when (ns since the program's start)."""

    op: Op
    body: bytes
    ns: int = NO_NS
    at_ns: int = SETUP


_CODES = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i8": "q"}


class Struct:
    """A C struct without padding, little-endian: "id:u4 dst_ns:u2 cc:16s" names each field and its type (u1,
    u2, u4, u8, i8, or so many bytes)."""

    def __init__(self, fields: str) -> None:
        pairs = [field.split(":") for field in fields.split()]
        self.names = tuple(name for name, _ in pairs)
        self._packed = struct.Struct("<" + "".join(_CODES.get(kind, kind) for _, kind in pairs))
        self.size = self._packed.size

    def pack(self, **values: Any) -> bytes:
        """Every field by its name; numbers, or bytes that zeros fill up. Raises TypeError for a field that is
        missing or unknown, struct.error for a number that does not fit."""
        if wrong := values.keys() ^ set(self.names):
            raise TypeError(f"of the fields {', '.join(self.names)}: {', '.join(sorted(wrong))}")
        return self._packed.pack(*(values[name] for name in self.names))


_PROGRAM = Struct("magic:u4 version:u2 flags:u2 records:u4 reserved:u4")
_RECORD = Struct("type:u2 ns:u2 size:u4 at_ns:i8")
_NETLINK = Struct("protocol:u4 flags:u4")
_TRACE = Struct("buffer_kb:u4 reserved:u4")
_SAMPLE = Struct("kind:u4 devices:u4 interval_ns:u8")
_DEVICE = Struct("index:u4")
_EXEC = Struct("id:u4 flags:u4")
_CAPTURE = Struct("interface:u4 snap:u4 ring_kb:u4 reserved:u4")
_DROPS = Struct("snap:u4 reserved:u4")
_SEND = Struct("interface:u4 reserved:u4")
_TUN = Struct("interface:u4 reserved:u4")
_END = Struct("duration_ns:u8 limit_ns:u8")
_CHAIN = Struct("seed:u8 draws:u8 good_ns:u8 bad_ns:u8 interface:u4 draw_at:u4")
_LIMITS = Struct("raw:u8 output:u8 capture:u8 trace:u8")


def program(records: Sequence[bytes], flags: int) -> bytes:
    """A whole program: its header, then packed records."""
    head = _PROGRAM.pack(magic=MAGIC, version=VERSION, flags=flags, records=len(records), reserved=0)
    return head + b"".join(records)


def packed(record: Record) -> bytes:
    """A record with its header, padded to a multiple of 8."""
    size = _RECORD.size + len(record.body)
    head = _RECORD.pack(type=record.op, ns=record.ns, size=size, at_ns=record.at_ns)
    return head + record.body + b"\0" * (-size % 8)


def texts(*parts: str) -> bytes:
    """Texts, each with a zero byte behind it."""
    return b"".join(part.encode() + b"\0" for part in parts)


def netlink(protocol: int, messages: Sequence[bytes]) -> bytes:
    """struct netlink_op and messages; for netfilter as one batch."""
    head = _NETLINK.pack(protocol=protocol, flags=_BATCH if protocol == NETLINK_NETFILTER else 0)
    return head + b"".join(message + b"\0" * (-len(message) % 4) for message in messages)


def trace(buffer_kb: int, event: str, condition: str) -> bytes:
    """struct trace_op, the event (group/name) and its filter."""
    return _TRACE.pack(buffer_kb=buffer_kb, reserved=0) + texts(event, condition)


def sample(kind: int, interval_ns: int, devices: Sequence[int] = (), request: bytes = b"") -> bytes:
    """struct sample_op, the devices to keep (their indices, ascending), a netlink request."""
    head = _SAMPLE.pack(kind=kind, devices=len(devices), interval_ns=interval_ns)
    return head + b"".join(_DEVICE.pack(index=index) for index in devices) + request


def command(number: int, line: str, flags: int = 0) -> bytes:
    """struct exec_op and a shell line. flags: EXEC_*."""
    return _EXEC.pack(id=number, flags=flags) + texts(line)


def capture(interface: int, snap: int, ring_kb: int = 0) -> bytes:
    """struct capture_op: an interface by its index, bytes to keep of each frame."""
    return _CAPTURE.pack(interface=interface, snap=snap, ring_kb=ring_kb, reserved=0)


def drops(snap: int) -> bytes:
    """struct drops_op."""
    return _DROPS.pack(snap=snap, reserved=0)


def send(interface: int, frame: bytes) -> bytes:
    """struct send_op and a frame."""
    return _SEND.pack(interface=interface, reserved=0) + frame


def chain(
    interface: int, means_ns: tuple[int, int], seeds: tuple[int, int], draw_at: int, messages: Sequence[bytes]
) -> bytes:
    """struct chain_op and its messages. means_ns, messages: of the good state, of the bad one; 0 and none: it
    ends. seeds: of the chain; of what the agent writes into each message, at byte draw_at of it."""
    head = {"good_ns": means_ns[0], "bad_ns": means_ns[1], "seed": seeds[0], "draws": seeds[1]}
    return _CHAIN.pack(**head, interface=interface, draw_at=draw_at) + b"".join(messages)


def limits(raw: int, output: int, capture: int, trace: int) -> bytes:
    """struct limits_op: bytes that may be written."""
    return _LIMITS.pack(raw=raw, output=output, capture=capture, trace=trace)


def tun(interface: int, name: str) -> bytes:
    """struct tun_op and the device's name. interface: the index that it is to have."""
    return _TUN.pack(interface=interface, reserved=0) + texts(name)


def end(duration_ns: int, limit_ns: int) -> bytes:
    """struct end_op. duration_ns=0: when its flows and commands have ended."""
    return _END.pack(duration_ns=duration_ns, limit_ns=limit_ns)
