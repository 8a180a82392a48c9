"""What is measured during a run, as records of a lab program."""

from __future__ import annotations

import struct

from pyroute2.netlink import NLM_F_DUMP, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_GETLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit import units
from labkit.compile.layout import FIRST_DPORT, FIRST_SPORT, Layout, Way
from labkit.compile.netlink.message import dump_qdiscs, encode
from labkit.compile.program import Op, Program
from labkit.spec import Experiment

_TCP_INFO, _NETLINK = 1, 2
_EVENT_BYTES = 168  # a tcp_probe event in the ring buffer, rounded up
_FRAME_BITS = 12_000
_DRAIN_S = 1.25  # the agent empties the buffer once a virtual second
_SMALLEST_KB, _LARGEST_KB, _UNKNOWN_KB = 1024, 65536, 32768


def add(program: Program, exp: Experiment, layout: Layout) -> int:
    """Counters always, the rest as asked for. Returns the trace buffer's size in KiB, 0 without one."""
    add_counters(program)
    add_samples(program, exp, layout)
    if "tcp_probe" not in exp.probes or not any(f.protocol == "tcp" for f in exp.flows):
        return 0
    size = trace_buffer_kb(exp)
    spec = f"sport >= {FIRST_SPORT} && sport < {FIRST_DPORT}"
    body = struct.pack("<II", size, 0) + b"tcp/tcp_probe\0" + spec.encode() + b"\0"
    program.add(Op.TRACE, body, "probe tcp_probe")
    return size


def add_counters(program: Program) -> None:
    """Counters of every namespace, before and after this program."""
    program.add(Op.COUNTERS, _padded(_dump_links()) + dump_qdiscs(), "counters before and after")


def add_samples(program: Program, exp: Experiment, layout: Layout) -> None:
    """What is read at intervals: TCP_INFO of every flow, backlog and drops of every queue."""
    interval = units.ns(exp.sample_interval)
    if "tcp_info" in exp.probes:
        program.add(Op.SAMPLE, struct.pack("<IIQ", _TCP_INFO, 0, interval), "probe tcp_info", at_ns=0)
    if "queue" in exp.probes:
        devices = {way.queue.index: way.queue.ns for way in queued(exp, layout)}
        for ns in sorted(set(devices.values())):
            mine = sorted(index for index, place in devices.items() if place == ns)
            body = struct.pack(f"<IIQ{len(mine)}I", _NETLINK, len(mine), interval, *mine) + dump_qdiscs()
            program.add(Op.SAMPLE, body, "probe queue", ns=ns, at_ns=0)


def queued(exp: Experiment, layout: Layout) -> list[Way]:
    """The ways that have a rate at some time."""
    links = [*exp.topology.links, *(link for _, link in exp.timeline())]
    found = {}
    for link in links:
        for src, dst, direction in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
            if direction.rate is not None:
                found[src, dst] = layout.ways[src, dst]
    return list(found.values())


def trace_buffer_kb(exp: Experiment) -> int:
    """Room for the ACKs of a virtual second at the rates of the network, drained once a second."""
    rates = [d.rate for link in exp.topology.links for d in (link.forward, link.backward)]
    if not rates or None in rates:
        known = [rate for rate in rates if rate is not None]
        if not known:
            return _UNKNOWN_KB
    fastest = max(rate for rate in rates if rate is not None)
    size = int(fastest / _FRAME_BITS * _EVENT_BYTES * _DRAIN_S / 1024)
    return min(max(size, _SMALLEST_KB), _LARGEST_KB)


def _dump_links() -> bytes:
    return encode(ifinfmsg(), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP)


def _padded(message: bytes) -> bytes:
    return message + b"\0" * (-len(message) % 4)
