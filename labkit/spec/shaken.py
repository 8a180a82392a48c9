"""The same experiment, shaken: other seeds, and what has no chance in it moved a little. Runs nothing.

Shakes are numbered from 1. How far a field moves is drawn from the number of the shake and the name of what
it belongs to (a link's two hosts and the direction, a flow's name), and from nothing else: experiments on one
network are moved alike and stay comparable, and a sweep over a delay keeps its proportions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, TypeVar

from labkit.errors import SpecError
from labkit.spec import ways
from labkit.spec.change import Change, LinkChange, SysctlChange
from labkit.spec.experiment import Experiment
from labkit.spec.link import LARGEST_JITTER_S, LONGEST_CABLE_S, Direction, Link
from labkit.spec.queue import Queue, QueueClass
from labkit.spec.topology import Topology
from labkit.spec.traced_rate import SLOWEST
from labkit.traffic.flow import Flow
from labkit.traffic.kind import Traffic
from labkit.units import FASTEST_BIT_S, LONGEST_S, ns

MOST = 0.02
"""The largest share by which a delay, a rate or a queue's length moves."""
STRIDE = 1_000_003
"""Between the seeds of two shakes: larger than any number of seeds in a sweep."""
LARGEST_SEED = 2**63 - 1


def shaken(exp: Experiment, shake: int, times: int = 1) -> Experiment:
    """The experiment as shake number `shake` (from 1 on) has it; one that was shaken already stays as it is.

    times: how many times as long it is, and each flow that has a duration; nothing of one that is `timed`.

    Moved are the seed; of every direction of a link delay and jitter (by one factor), rate and length of the
    queue, also where a Change sets them, and its classes' rates with its own; of UDP flows the rate; of all
    traffic the start, by up to a round trip of its path. Nothing else is: ports of a NIC, sysctls, options of
    queues, times of changes and commands, numbers of packets to drop, sizes. Raises SpecError.
    """
    if exp.shaken:
        return exp
    exp = exp if exp.timed or times == 1 else longer(exp, times)
    starts = {flow.name: latest(flow, exp.topology) for flow in exp.flows}
    return exp.replace(
        topology=exp.topology.replace(links=[_link(link, shake) for link in exp.topology.links]),
        flows=[
            moved_flow(flow, shake, min(starts[flow.name], max(exp.end - flow.start, 0.0)))
            for flow in exp.flows
        ],
        changes=[moved for change in exp.changes for moved in moved_change(change, shake)],
        seed=moved_seed(exp.seed, shake),
        shaken=shake,
    )


def longer(exp: Experiment, times: int) -> Experiment:
    """So many times as long, and so is what has a duration in it; when things begin and change stays."""
    return exp.replace(
        flows=[_lasting(flow, times) for flow in exp.flows],
        duration=None if exp.duration is None else exp.duration * times,
        time_limit=exp.time_limit * times,
        wall_limit=exp.wall_limit * times,
    )


def _lasting(flow: Traffic, times: int) -> Traffic:
    duration: float | None = getattr(flow, "duration", None)
    return flow if duration is None else flow.replace(duration=duration * times)


def moved_seed(seed: int, shake: int) -> int:
    """A seed that no other seed of the experiment's sweeps has."""
    return (seed + shake * STRIDE) % (LARGEST_SEED + 1)


def latest(flow: Traffic, topology: Topology) -> float:
    """By how much (s) a flow may start later: a round trip of its path without any queue."""
    path = ways.way(topology, flow.src, flow.dst)
    links = [topology.link(a, b) for a, b in pairwise(path)]
    return sum(link.forward.delay + link.backward.delay for link in links)


def moved_flow(flow: Traffic, shake: int, latest_s: float) -> Traffic:
    """The flow, started up to latest_s (s) later; the rate of UDP moved."""
    later_ns = ns(latest_s * _draw(shake, "flow", flow.name, "start"))
    fields: dict[str, Any] = {"start": (ns(flow.start) + later_ns) / 10**9}
    if isinstance(flow, Flow) and flow.protocol == "udp" and flow.rate is not None:
        fields["rate"] = _rate(flow.rate, _factor(shake, "flow", flow.name, "rate"))
    return flow.replace(**fields)


AnyChange = TypeVar("AnyChange", bound=LinkChange | SysctlChange)


def moved_change(change: AnyChange, shake: int) -> list[AnyChange]:
    """The change, its values moved as those of the link; one of both directions may become two."""
    if not isinstance(change, Change):
        return [change]
    a, b = change.link
    ends = {"forward": (a, b), "backward": (b, a)}
    new = {
        way: change.set | _moved(change.set, shake, *ends[way])
        for way in ends
        if change.direction in ("both", way)
    }
    if len(new) == 2 and new["forward"] == new["backward"]:
        return [change.replace(set=new["forward"])]
    return [change.replace(direction=way, set=values) for way, values in new.items()]


def _link(link: Link, shake: int) -> Link:
    forward = _direction(link.forward, shake, link.a, link.b)
    backward = _direction(link.backward, shake, link.b, link.a)
    if link.nic_a is not None:
        cable = [way.replace(delay=min(way.delay, LONGEST_CABLE_S)) for way in (forward, backward)]
        forward, backward = cable
    return link.replace(forward=forward, backward=backward)


def _direction(way: Direction, shake: int, src: str, dst: str) -> Direction:
    return way.replace(**_moved(dict(way), shake, src, dst))


def _moved(fields: Mapping[str, Any], shake: int, src: str, dst: str) -> dict[str, Any]:
    """Of these fields of the direction from src to dst those that move, with their new values."""

    def factor(field: str) -> float:
        return _factor(shake, "link", src, dst, field)

    new: dict[str, Any] = {}
    if fields.get("delay"):
        new["delay"] = min(max(fields["delay"] * factor("delay"), 1e-9), LONGEST_S)
    if fields.get("jitter"):  # by the delay's factor: it stays at most as large
        new["jitter"] = min(max(fields["jitter"] * factor("delay"), 1e-9), LARGEST_JITTER_S)
    if fields.get("trace") is not None:
        new["trace"] = fields["trace"].times(factor("rate"))
        new["rate"] = new["trace"].mean
    elif fields.get("rate") is not None:
        new["rate"] = _rate(fields["rate"], factor("rate"))
    if fields.get("queue") is not None:
        new["queue"] = _queue(fields["queue"], factor("queue"), factor("rate"))
    return new


def _queue(queue: Queue, length: float, rate: float) -> Queue:
    """The queue with its limit moved, also in its classes, whose rates move as the link's does."""
    new: dict[str, Any] = {
        name: max(round(limit * length), 1)
        for name in ("packets", "bytes")
        if (limit := getattr(queue, name)) is not None
    }
    if queue.classes:
        new["classes"] = [_class(one, length, rate) for one in queue.classes]
    try:
        return queue.replace(**new)
    except SpecError:  # an option is tied to the limit (red: max must not exceed it), and options stay
        return queue


def _class(one: QueueClass, length: float, rate: float) -> QueueClass:
    new: dict[str, Any] = {
        name: _rate(given, rate) for name in ("rate", "ceil") if (given := getattr(one, name)) is not None
    }
    if one.queue is not None:
        new["queue"] = _queue(one.queue, length, rate)
    return one.replace(**new)


def _rate(rate: int, factor: float) -> int:
    return min(max(round(rate * factor), min(rate, SLOWEST)), FASTEST_BIT_S)


def _factor(*what: object) -> float:
    return 1 + MOST * (2 * _draw(*what) - 1)


def _draw(*what: object) -> float:
    """From 0 to 1, the same for the same words."""
    digest = hashlib.sha256("\0".join(map(str, what)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
