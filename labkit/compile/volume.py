"""How large the result of an experiment may become, said before it is run.

An upper bound from what is written in the experiment: the bytes that each flow can carry in its time over the
slowest link of its way, how many packets that is, and what each capture and probe writes of a packet. A TCP
flow's receiver is taken to send an ACK for two segments. Where no link has a rate, 10 Gbit/s are taken.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from labkit.spec import Experiment, Traffic, ways

LARGE = 1 << 30  # bytes: from so many on a user is warned
_PER_PACKET = frozenset({"queue", "tcp_probe"})
_NO_RATE = 10_000_000_000
_ETHERNET, _IP_AND_TCP, _IP_AND_UDP = 14, 40, 28
_ACK = 66  # bytes of a pure ACK
_OF_A_FRAME = 26  # bytes beside what is kept of a captured frame (struct packet_out), with its padding
_OF_A_VISIT = 128  # bytes of the events of a packet in a queue: it came, it left
_OF_A_SEGMENT = 144  # bytes of tcp_probe's event
_COLUMNS = 300  # bytes of memory for a packet in a packet table or ledger, at their making


class Load(NamedTuple):
    """What a flow brings to each link of its way at the most. bytes: on the wire."""

    way: tuple[str, ...]
    bytes: float
    packets: float
    acks: float


def warn_if_large(exp: Experiment, free_bytes: int) -> None:
    """A UserWarning if the result may need more than a gigabyte, which says of what it is made, what that was
    taken from, and how to make it smaller. free_bytes: on the disk where it will lie."""
    if not exp.capture and not exp.probes & _PER_PACKET:
        return
    parts = estimate(exp)
    total = sum(parts.values())
    if total < LARGE:
        return
    of = ", ".join(f"{_size(size)} by {what}" for what, size in parts.most_common() if size > total / 100)
    memory = max((load.packets + load.acks for load in loads(exp)), default=0) * _COLUMNS
    taken = "; ".join(_taken_from(load) for load in loads(exp)[:3])
    text = (
        f"this run may write {_size(total)} ({of}; {_size(free_bytes)} are free), and a packet table or "
        f"ledger of it may take {_size(memory)} of memory. Taken from: {taken}. {_cure(exp)}"
    )
    warnings.warn(text, UserWarning, stacklevel=4)


def estimate(exp: Experiment) -> Counter[str]:
    """Bytes of the raw file at the most, by what writes them: "the capture of left", "the probe queue"."""
    found: Counter[str] = Counter()
    for load in loads(exp):
        for capture in exp.capture:
            if capture.host in load.way:
                kept = load.bytes / max(load.packets, 1)
                kept = min(kept, capture.snap or kept)
                acks = min(_ACK, capture.snap or _ACK)
                size = load.packets * (kept + _OF_A_FRAME) + load.acks * (acks + _OF_A_FRAME)
                sides = 1 if capture.host in (load.way[0], load.way[-1]) or capture.interface else 2
                found[f"the capture of {capture.host}"] += round(size * sides)
        if "queue" in exp.probes:
            queues = sum(ways.direction(exp.topology, a, b).rate is not None for a, b in pairwise(load.way))
            found["the probe queue"] += round(load.packets * queues * _OF_A_VISIT)
        if "tcp_probe" in exp.probes and load.acks:
            found["the probe tcp_probe"] += round(load.acks * _OF_A_SEGMENT)
    return found


def loads(exp: Experiment) -> list[Load]:
    """Of each flow, the largest first."""
    shared: Counter[tuple[str, str]] = Counter()
    found = []
    for flow in exp.flows:
        way = ways.way(exp.topology, flow.src, flow.dst)
        shared.update(pairwise(way))
        found.append((flow, way))
    made = [_load(exp, flow, way, shared) for flow, way in found if way]
    return sorted(made, key=lambda load: -load.bytes)


def _load(
    exp: Experiment, flow: Traffic, way: tuple[str, ...], shared: Mapping[tuple[str, str], int]
) -> Load:
    hops = list(pairwise(way))
    lasts = max(min(flow.lasts() or exp.time_limit, (exp.duration or exp.time_limit) - flow.start), 0)
    used = flow.sockets()
    udp = used.protocol != "tcp"
    mtu = min(exp.topology.link(a, b).mtu for a, b in hops)
    payload = max(min(used.packet or mtu, mtu - _IP_AND_UDP), 1) if udp else mtu - _IP_AND_TCP
    frame = payload + _ETHERNET + (_IP_AND_UDP if udp else _IP_AND_TCP)
    rate = min(_rate(exp, a, b) / shared[a, b] for a, b in hops)
    if udp and (paced := getattr(flow, "rate", None)):
        rate = min(rate, paced * frame / payload)
    carried = rate * lasts / 8
    if (size := flow.carries()) is not None:
        carried = min(carried, size * frame / payload)
    packets = carried / frame
    return Load(way, carried, packets, 0 if udp else packets / 2)


def _rate(exp: Experiment, a: str, b: str) -> float:
    """The highest that a way of a link has in the run, in bit/s."""
    link = exp.topology.link(a, b)
    if link.nic_a is not None and link.nic_b is not None:
        return min(link.nic_a.speed, link.nic_b.speed)
    later: list[float] = [rate for change in exp.changes if (rate := getattr(change, "rate", None))]
    direction = ways.direction(exp.topology, a, b)
    return max([direction.highest or _NO_RATE, *later])


def _taken_from(load: Load) -> str:
    return f"{load.way[0]} to {load.way[-1]} at most {_size(load.bytes)} in {load.packets:,.0f} packets"


def _cure(exp: Experiment) -> str:
    ways = []
    whole = [one.host for one in exp.capture if one.snap is None]
    if whole:
        ways.append(f"keep headers only (capture=[Capture({whole[0]!r}, snap=96), ...])")
    if exp.probes & _PER_PACKET:
        ways.append("ask for fewer probes")
    return f"To make it smaller: {', '.join([*ways, 'give flows a size= or a shorter duration='])}"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
