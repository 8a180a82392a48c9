"""What is measured during a run, as records of a lab program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyroute2.netlink import NLM_F_DUMP, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_GETLINK
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit import units
from labkit.compile.layout import FIRST_DPORT, FIRST_SPORT, Layout, Way
from labkit.netlink.message import dump_qdiscs, encode
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.records import SAMPLE_NETLINK, SAMPLE_TCP_INFO, Op
from labkit.spec import Experiment
from labkit.spec.experiment import Probe

TCP_PROBE = "tcp/tcp_probe"
RETRANSMIT, CONG_STATE = "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set"
ENQUEUE, DEQUEUE, FREE = "qdisc/qdisc_enqueue", "qdisc/qdisc_dequeue", "skb/kfree_skb"
FRAME_LOST = "labnic/frame_lost"

TRACED: frozenset[Probe] = frozenset({"tcp_probe", "recovery", "queue"})
HOST_PROBES: frozenset[Probe] = frozenset({"tcp_info", "backlog", "tcp_probe", "recovery"})
"""Those that a machine's own kernel can offer: what they tell can be told apart from its other traffic."""

_EVENT_BYTES = {TCP_PROBE: 168, RETRANSMIT: 96, ENQUEUE: 64, DEQUEUE: 72, FRAME_LOST: 48}
"""Of one event in the ring buffer, rounded up."""
_FRAME_BITS = 12_000
_DRAIN_S = 1.25  # the agent empties the buffer once a virtual second
_SMALLEST_KB, _LARGEST_KB, _UNKNOWN_KB = 1024, 262144, 32768
_LONGEST_FILTER = 4000  # of the kernel's one page


def add(program: Program, exp: Experiment, layout: Layout, *, more: bool = False, host: bool = False) -> int:
    """Counters always, the rest as asked for. more: flows may come later; host: it is a
    machine's own kernel.

    Returns the size of the trace buffer in KiB, 0 without one.
    """
    add_counters(program)
    add_samples(program, exp, layout)
    events = list(_events(exp, layout, more, host))
    if not events:
        return 0
    size = trace_buffer_kb(exp, events)
    for name, spec in events:
        program.add(Op.TRACE, records.trace(size, name, spec), f"trace {name}")
    return size


def _events(exp: Experiment, layout: Layout, more: bool, host: bool) -> Iterator[tuple[str, str]]:
    """The tracepoints behind the probes, each with its filter."""
    of_flows = f"sport >= {FIRST_SPORT} && sport < {FIRST_DPORT}"
    if host:  # where others have connections, too
        of_flows += f" && dport >= {FIRST_DPORT} && dport < {2 * FIRST_DPORT - FIRST_SPORT}"
    tcp = more or any(flow.sockets().protocol == "tcp" for flow in exp.flows)
    if "tcp_probe" in exp.probes and tcp:
        yield TCP_PROBE, of_flows
    if "recovery" in exp.probes:
        yield RETRANSMIT, of_flows if host else ""
        yield CONG_STATE, of_flows if host else ""
    devices = sorted(way.queue.index for way in queued(exp, layout))
    if "queue" in exp.probes and devices:
        mine = " || ".join(f"ifindex == {index}" for index in devices)
        if len(mine) > _LONGEST_FILTER:  # then those of the wires as well; the decoder leaves them out
            mine = f"ifindex >= {devices[0]}"
        yield ENQUEUE, mine
        yield DEQUEUE, f"skbaddr != 0 && ({mine})"
        yield FREE, ""
    if "drops" in exp.probes and any(link.nic_a is not None for link in exp.topology.links):
        yield FRAME_LOST, ""


def add_counters(program: Program) -> None:
    """Counters of every namespace, before and after this program."""
    program.add(Op.COUNTERS, _padded(_dump_links()) + dump_qdiscs(), "counters before and after")


def add_samples(program: Program, exp: Experiment, layout: Layout) -> None:
    """What is read at intervals: TCP_INFO of every flow, backlog and drops of every queue."""
    interval = units.ns(exp.sample_interval)
    if "tcp_info" in exp.probes:
        program.add(Op.SAMPLE, records.sample(SAMPLE_TCP_INFO, interval), "probe tcp_info", at_ns=0)
    if "backlog" in exp.probes:
        devices = {way.queue.index: way.queue.ns for way in queued(exp, layout)}
        for ns in sorted(set(devices.values())):
            mine = sorted(index for index, place in devices.items() if place == ns)
            body = records.sample(SAMPLE_NETLINK, interval, mine, dump_qdiscs())
            program.add(Op.SAMPLE, body, "probe backlog", ns=ns, at_ns=0)


def queued(exp: Experiment, layout: Layout) -> list[Way]:
    """The ways that have a rate at some time: a port's is its speed."""
    links = [*exp.topology.links, *(link for _, link in exp.timeline())]
    found = {}
    for link in links:
        for src, dst, direction in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
            if direction.rate is not None or link.nic_a is not None:
                found[src, dst] = layout.ways[src, dst]
    return list(found.values())


def trace_buffer_kb(exp: Experiment, events: Sequence[tuple[str, str]]) -> int:
    """Room for the events of a virtual second at the rates of the network, drained once a second."""
    links = exp.topology.links
    wires = [link for link in links if link.nic_a is None]
    ports = [nic for link in links for nic in (link.nic_a, link.nic_b) if nic is not None]
    rates = [d.rate for link in wires for d in (link.forward, link.backward)] + [nic.speed for nic in ports]
    known = [rate for rate in rates if rate is not None]
    per_frame = sum(_EVENT_BYTES[name] for name, _ in events if name in (TCP_PROBE, RETRANSMIT))
    size = max(known, default=0) / _FRAME_BITS * per_frame
    if rates and not known:
        size = _UNKNOWN_KB * 1024 / _DRAIN_S
    packets = [flow.sockets().packet for flow in exp.flows]
    smallest = min((8 * packet for packet in packets if packet), default=_FRAME_BITS)
    of_all = sum(_EVENT_BYTES[name] for name, _ in events if name in (ENQUEUE, DEQUEUE, FRAME_LOST))
    size += sum(known) / min(smallest + 8 * 42, _FRAME_BITS) * of_all
    return min(max(int(size * _DRAIN_S / 1024), _SMALLEST_KB), _LARGEST_KB)


def _dump_links() -> bytes:
    return encode(ifinfmsg(), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP)


def _padded(message: bytes) -> bytes:
    return message + b"\0" * (-len(message) % 4)
