"""The records of a lab program as bytes. What each kind of traffic has in its own, it packs itself."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from labkit.program import structs
from labkit.program.structs import LAB_AT_SETUP, LAB_NO_NS, Op

NETLINK_ROUTE = 0
NETLINK_NETFILTER = 12
DEFAULT_LIMITS = (
    structs.LIMIT_DEFAULT_RAW,
    structs.LIMIT_DEFAULT_OUTPUT,
    structs.LIMIT_DEFAULT_CAPTURE,
    structs.LIMIT_DEFAULT_TRACE,
)
"""As `limits` takes them: what holds in a program without such a record."""


@dataclass(frozen=True)
class Record:
    """What is to be done, in which namespace (its index) and when (ns since the program's start)."""

    op: Op
    body: bytes
    ns: int = LAB_NO_NS
    at_ns: int = LAB_AT_SETUP


def program(records: Sequence[bytes], flags: int) -> bytes:
    """A whole program: its header, then packed records."""
    head = {"magic": structs.LAB_MAGIC, "version": structs.LAB_VERSION, "flags": flags}
    return structs.HEADER.pack(**head, records=len(records)) + b"".join(records)


def packed(record: Record) -> bytes:
    """A record with its header, padded to a multiple of 8."""
    size = structs.RECORD.size + len(record.body)
    head = structs.RECORD.pack(type=record.op, ns=record.ns, size=size, at_ns=record.at_ns)
    return head + record.body + b"\0" * (-size % 8)


def texts(*parts: str) -> bytes:
    """Texts, each with a zero byte behind it."""
    return b"".join(part.encode() + b"\0" for part in parts)


def netlink(protocol: int, messages: Sequence[bytes]) -> bytes:
    """struct netlink_op and messages; for netfilter as one batch."""
    flags = structs.NETLINK_BATCH if protocol == NETLINK_NETFILTER else 0
    head = structs.NETLINK_OP.pack(protocol=protocol, flags=flags)
    return head + b"".join(message + b"\0" * (-len(message) % 4) for message in messages)


def trace(buffer_kb: int, event: str, condition: str) -> bytes:
    """struct trace_op, the event (group/name) and its filter."""
    return structs.TRACE_OP.pack(buffer_kb=buffer_kb) + texts(event, condition)


def sample(kind: int, interval_ns: int, devices: Sequence[int] = (), request: bytes = b"") -> bytes:
    """struct sample_op, the devices to keep (their indices, ascending), a netlink request."""
    head = structs.SAMPLE_OP.pack(kind=kind, devices=len(devices), interval_ns=interval_ns)
    return head + struct.pack(f"<{len(devices)}I", *devices) + request


def command(number: int, line: str, flags: int = 0) -> bytes:
    """struct exec_op and a shell line. flags: EXEC_*."""
    return structs.EXEC_OP.pack(id=number, flags=flags) + texts(line)


def capture(interface: int, snap: int, ring_kb: int = 0) -> bytes:
    """struct capture_op: an interface by its index, bytes to keep of each frame."""
    return structs.CAPTURE_OP.pack(interface=interface, snap=snap, ring_kb=ring_kb)


def drops(snap: int) -> bytes:
    """struct drops_op."""
    return structs.DROPS_OP.pack(snap=snap)


def send(interface: int, frame: bytes) -> bytes:
    """struct send_op and a frame."""
    return structs.SEND_OP.pack(interface=interface) + frame


def chain(
    interface: int, means_ns: tuple[int, int], seeds: tuple[int, int], draw_at: int, messages: Sequence[bytes]
) -> bytes:
    """struct chain_op and its messages. means_ns, messages: of the good state, of the bad one; 0 and none: it
    ends. seeds: of the chain; of what the agent writes into each message, at byte draw_at of it."""
    head = {"mean_ns0": means_ns[0], "mean_ns1": means_ns[1], "seed": seeds[0], "draws": seeds[1]}
    return structs.CHAIN_OP.pack(**head, interface=interface, draw_at=draw_at) + b"".join(messages)


def limits(raw: int, output: int, capture: int, trace: int) -> bytes:
    """struct limits_op: bytes that may be written."""
    return structs.LIMITS_OP.pack(raw=raw, output=output, capture=capture, trace=trace)


def tun(interface: int, name: str) -> bytes:
    """struct tun_op and the device's name. interface: the index that it is to have."""
    return structs.TUN_OP.pack(interface=interface) + texts(name)


def end(duration_ns: int, limit_ns: int) -> bytes:
    """struct end_op. duration_ns=0: when its flows and commands have ended."""
    return structs.END_OP.pack(duration_ns=duration_ns, limit_ns=limit_ns)
