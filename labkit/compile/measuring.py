"""What is measured during a run, as records of a lab program. What a probe asks for, labkit.probes knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from labkit import units
from labkit.compile.layout import FIRST_DPORT, FIRST_SPORT, DirectedPath, Layout
from labkit.netlink.message import dump_links, dump_qdiscs
from labkit.probes import KINDS
from labkit.probes.probe import Event, Probe, Sample, Scene
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.structs import SAMPLE_CC_INFO, SAMPLE_NETLINK, SAMPLE_TCP_INFO, Op
from labkit.spec import Experiment

TRACED = frozenset(name for name, probe in KINDS.items() if probe.traced)
HOST_PROBES = frozenset(name for name, probe in KINDS.items() if probe.shared_kernel_ok)
"""Those that a machine's own kernel can offer: what they tell can be told apart from its other traffic."""

_FRAME_BITS = 12_000
_DRAIN_S = 1.25  # the agent empties the buffer once a virtual second
_SMALLEST_KB, _LARGEST_KB, _UNKNOWN_KB = 1024, 262144, 32768


def asked(exp: Experiment) -> list[Probe]:
    """The experiment's probes, in the order of labkit.probes."""
    return [probe for name, probe in KINDS.items() if name in exp.probes]


def add(program: Program, exp: Experiment, layout: Layout, *, more: bool = False, host: bool = False) -> int:
    """Counters always, the rest as asked for. more: flows may come later; host: it is a
    machine's own kernel.

    Returns the size of the trace buffer in KiB, 0 without one.
    """
    add_counters(program)
    add_samples(program, exp, layout)
    events = _events(exp, _scene(exp, layout, more, host))
    if not events:
        return 0
    size = trace_buffer_kb(exp, events)
    for event in events:
        program.add(Op.TRACE, records.trace(size, event.name, event.filter), f"trace {event.name}")
    return size


def _scene(exp: Experiment, layout: Layout, more: bool, host: bool) -> Scene:
    return Scene(
        tcp=more or any(flow.sockets().protocol == "tcp" for flow in exp.flows),
        queued=tuple(sorted(way.queue.index for way in queued(exp, layout))),
        ports=any(link.nic_a is not None for link in exp.topology.links),
        shared_kernel=host,
        sports=range(FIRST_SPORT, FIRST_DPORT),
        dports=range(FIRST_DPORT, 2 * FIRST_DPORT - FIRST_SPORT),
    )


def _events(exp: Experiment, scene: Scene) -> list[Event]:
    """The tracepoints behind the probes, each once."""
    found: dict[str, Event] = {}
    for probe in asked(exp):
        for event in probe.events(scene):
            known = found.get(event.name)
            found[event.name] = known.joined(event) if known else event
    return list(found.values())


def add_counters(program: Program) -> None:
    """Counters of every namespace, before and after this program."""
    program.add(Op.COUNTERS, _padded(dump_links()) + dump_qdiscs(), "counters before and after")


def add_samples(program: Program, exp: Experiment, layout: Layout) -> None:
    """What is read at intervals, each once."""
    done: set[Sample] = set()
    for probe in asked(exp):
        for sample in probe.samples:
            if sample not in done:
                _SAMPLERS[sample](program, exp, layout, f"probe {probe.name}")
            done.add(sample)


def _sample_tcp_info(program: Program, exp: Experiment, layout: Layout, why: str) -> None:
    program.add(Op.SAMPLE, records.sample(SAMPLE_TCP_INFO, units.ns(exp.sample_interval)), why, at_ns=0)


def _sample_cc_info(program: Program, exp: Experiment, layout: Layout, why: str) -> None:
    program.add(Op.SAMPLE, records.sample(SAMPLE_CC_INFO, units.ns(exp.sample_interval)), why, at_ns=0)


def _sample_qdiscs(program: Program, exp: Experiment, layout: Layout, why: str) -> None:
    devices = {way.queue.index: way.queue.ns for way in queued(exp, layout)}
    for ns in sorted(set(devices.values())):
        mine = sorted(index for index, place in devices.items() if place == ns)
        body = records.sample(SAMPLE_NETLINK, units.ns(exp.sample_interval), mine, dump_qdiscs())
        program.add(Op.SAMPLE, body, why, ns=ns, at_ns=0)


_SAMPLERS: dict[Sample, Callable[[Program, Experiment, Layout, str], None]] = {
    Sample.TCP_INFO: _sample_tcp_info,
    Sample.CC_INFO: _sample_cc_info,
    Sample.QDISCS: _sample_qdiscs,
}


def queued(exp: Experiment, layout: Layout) -> list[DirectedPath]:
    """The ways that have a rate at some time: a port's is its speed."""
    links = [*exp.topology.links, *(link for _, link in exp.timeline())]
    found = {}
    for link in links:
        for src, dst, direction in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
            if direction.rate is not None or link.nic_a is not None:
                found[src, dst] = layout.ways[src, dst]
    return list(found.values())


def trace_buffer_kb(exp: Experiment, events: Sequence[Event]) -> int:
    """Room for the events of a virtual second at the rates of the network, drained once a second."""
    links = exp.topology.links
    wires = [link for link in links if link.nic_a is None]
    ports = [nic for link in links for nic in (link.nic_a, link.nic_b) if nic is not None]
    rates = [d.highest for link in wires for d in (link.forward, link.backward)] + [
        nic.speed for nic in ports
    ]
    known = [rate for rate in rates if rate is not None]
    per_frame = sum(event.bytes for event in events if not event.everywhere)
    size = max(known, default=0) / _FRAME_BITS * per_frame
    if rates and not known:
        size = _UNKNOWN_KB * 1024 / _DRAIN_S
    packets = [flow.sockets().packet for flow in exp.flows]
    smallest = min((8 * packet for packet in packets if packet), default=_FRAME_BITS)
    of_all = sum(event.bytes for event in events if event.everywhere)
    size += sum(known) / min(smallest + 8 * 42, _FRAME_BITS) * of_all
    return min(max(int(size * _DRAIN_S / 1024), _SMALLEST_KB), _LARGEST_KB)


def _padded(message: bytes) -> bytes:
    return message + b"\0" * (-len(message) % 4)
