"""A link's rate follows a trace: one change of its tbf for each step, until the run ends.

Unlike links.change, what waits in the queue stays: only tbf is told. A change of tbf
- fills its bucket (tbf_change(), net/sched/sch_tbf.c): a waiting frame may leave at once,
- leaves its timer as it was set: a frame that waited for a slow rate leaves when it would have at that rate,
  unless another one comes before,
- hands its limit to a fifo below (netlink/tbf.py): so its limit here is that fifo's own.
So in an outage the rate is such that the next frame would be due as it ends: then the timer is set right.
"""

from __future__ import annotations

import math
from functools import cache

from labkit.compile.layout import DirectedPath, Layout
from labkit.compile.links import ETHERNET_HEADER, retold
from labkit.program.builder import Program
from labkit.spec import Direction, Experiment
from labkit.spec.traced_rate import SLOWEST

_NS = 10**9


def add(program: Program, exp: Experiment, layout: Layout) -> None:
    """Every step of every traced link until the experiment ends."""
    for link in exp.topology.links:
        for src, dst, way in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
            if way.trace is not None:
                _add(program, layout.ways[src, dst], way, link.mtu, exp.end, f"trace of {src} to {dst}")


def _add(program: Program, way: DirectedPath, direction: Direction, mtu: int, end_s: float, why: str) -> None:
    assert direction.trace is not None

    @cache
    def messages(rate: int) -> list[bytes]:
        return [retold(way, direction, mtu, rate)]

    for step in direction.trace.until(end_s):
        rate = step.rate or _outage(mtu + ETHERNET_HEADER, step.lasts_ns)
        program.netlink(messages(rate), why, ns=way.queue.ns, at_ns=step.at_ns)


def _outage(frame: int, lasts_ns: int) -> int:
    """The rate (bit/s, whole bytes) at which the next frame is due as an outage ends, or a little later; the
    bucket has a byte more than a frame (links.retold), and another is for the kernel's rounding."""
    return max(8 * math.floor((frame - 2) * _NS / lasts_ns), SLOWEST)
