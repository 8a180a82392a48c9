"""`labkit course league`: students' congestion controls, beside the kernel's, over public networks and
hidden ones.

The rates of all of them follow cellular traces. Public networks are the same for every course; hidden ones
follow from the key, so that who fitted the public ones falls there. The score is MIT 6.829's, the logarithm
of goodput over delay. Goodput and delay are taken from captures at both ends, not from what a module says
of itself.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labkit.course import csv_file
from labkit.course.controls import driven, kernels_own
from labkit.course.draw import Draw
from labkit.course.grading import LARGEST
from labkit.course.parallel import each
from labkit.course.roster import CourseError, read_key
from labkit.course.sandbox.selftest import require_walls
from labkit.models import cellular
from labkit.schema import foreign_files
from labkit.spec import Capture, Experiment, Flow, Trace
from labkit.spec.topologies import pair
from labkit.spec.traced_rate import FRAME

BUILT_IN = ("reno", "cubic", "vegas", "bbr")
SECONDS, NETWORKS = 20, 3
_LEAST_S, _LEAST_MBIT = 1e-4, 1e-3
_LEAST_PER_S = 100
HEADERS = 66
"""Bytes of Ethernet, IP and TCP with timestamps, in front of a segment's data."""
_PUBLIC = bytes(32)


@dataclass(frozen=True)
class Row:
    """A line of the table. mbit, delay_ms (95th percentile, above the shortest way): means over the
    networks."""

    author: str
    public: float
    hidden: float
    mbit: float
    delay_ms: float
    said: str


def networks(key: bytes | None) -> tuple[Experiment, ...]:
    """Links whose rate follows a trace, both ways. Without a key the public ones, of traces that labkit
    ships; with one, traces of its own."""
    found = []
    for number in range(NETWORKS):
        draw = Draw(key or _PUBLIC, "league", f"network {number}")
        there, back = _shipped(number) if key is None else _drawn(draw)
        net = pair(
            delay=f"{draw.whole('delay', 10, 50)}ms",
            queue=f"{draw.whole('queue', 150, 300)}p",
            forward={"rate": there, "loss": draw.choice("loss", (None, "0.1%"))},
            backward={"rate": back},
        )
        found.append(
            Experiment(
                net,
                flows=[Flow("left", "right", duration=f"{SECONDS}s")],
                duration=f"{SECONDS}s",
                probes=[],
                capture=[Capture("left", snap=96), Capture("right", snap=96)],
                seed=draw.seed,
            )
        )
    return tuple(found)


def _shipped(number: int) -> tuple[Trace, Trace]:
    names = sorted(cellular.SHIPPED)
    there, back = (names[(number + more) % len(names)] for more in (0, 1))
    return Trace.shipped(there), Trace.shipped(back)


def _drawn(draw: Draw) -> tuple[Trace, Trace]:
    there, back = (trace(draw, name, SECONDS) for name in ("there", "back"))
    return there, back


def trace(draw: Draw, name: str, seconds: int) -> Trace:
    """A synthetic cell of somebody's own, by the name of what it is for: `deliveries` as a Trace."""
    return Trace.parse(cellular.mahimahi(deliveries(draw, name, seconds)))


def deliveries(draw: Draw, name: str, seconds: int) -> list[int]:
    """The opportunities (ms) of a cell that differs in its mean, its noise and its outages. One that would be
    dead for most of the time is drawn anew."""
    cell = cellular.Cell(
        first=draw.whole(f"{name}: first", 200, 400),
        most=draw.whole(f"{name}: most", 400, 800),
        noise=draw.whole(f"{name}: noise", 60, 250),
        outage=draw.share(f"{name}: outage", 0.2, 0.6, 2),
    )
    for attempt in itertools.count():
        times = cellular.deliveries(cell, seconds, draw.whole(f"{name}: {attempt}", 1, 2**31 - 1))
        if len(times) >= _LEAST_PER_S * seconds:
            return times
    raise AssertionError


def scored(run: dict[str, list[int]], seconds: int = SECONDS) -> tuple[float, float, float]:
    """Mbit/s of new data, ms (95th percentile), and log2 of the one over the other in Mbit/s per s. What is
    not in both captures is no result."""
    if not run["seq"] or len(run["late_us"]) != len(run["seq"]):
        return 0.0, math.inf, math.log2(_LEAST_MBIT)
    rate = max(8 * new_bytes(run["seq"], run["payload"]) / seconds / 1e6, _LEAST_MBIT)
    delay = max(float(np.quantile(run["late_us"], 0.95)) / 1e6, _LEAST_S)
    return rate, 1e3 * delay, math.log2(rate / delay)


def impossible(run: dict[str, list[int]], exp: Experiment) -> str:
    """What a link of one hop cannot have carried, or nothing. A module is part of the kernel that has the
    network in it, too: if it makes the delay shorter or the rate higher, that is seen by what arrives.
    Nothing comes sooner than the propagation delay, and no more than the trace offers (with a frame for
    each of its steps, as the kernel's tbf has it)."""
    forward = exp.topology.links[0].forward
    delay_us = 1e6 * forward.delay
    if run["late_us"] and min(run["late_us"]) < delay_us - 1:
        return f"a packet took {min(run['late_us'])} us over a link of {delay_us:.0f} us"
    if forward.trace is None:
        return ""
    steps = list(forward.trace.until(exp.end))
    begins, rates = np.array([step.at_ns for step in steps]), np.array([float(step.rate) for step in steps])
    offered = np.concatenate([[0.0], np.cumsum(np.diff(begins) * rates[:-1])])
    left_ns = np.maximum(1e3 * (np.array(run["at_us"]) - delay_us), 0)
    step = np.searchsorted(begins, left_ns, side="right") - 1
    most = (offered[step] + (left_ns - begins[step]) * rates[step]) / 8e9 + FRAME * (step + 2)
    carried = np.cumsum(np.array(run["payload"]) + HEADERS)
    if (over := carried > most).any():
        at_s = run["at_us"][int(over.argmax())] / 1e6
        return f"more had arrived after {at_s:.3f} s than the link can have carried"
    return ""


def new_bytes(seq: list[int], payload: list[int]) -> int:
    """How many bytes of the stream came at least once, whatever their segments overlap."""
    reached = total = 0
    for begin, end in sorted((first, first + size) for first, size in zip(seq, payload, strict=True)):
        total += max(end - max(begin, reached), 0)
        reached = max(reached, end)
    return total


def league(
    entries: Path,
    key: Path,
    out: Path,
    *,
    workers: int | None = None,
    progress: bool = True,
    weak: bool = False,
) -> list[Row]:
    """Drive every ENTRIES/author.c and the kernel's own, write OUT, the best in hidden networks first. What
    does not compile or breaks stands last, with what its author should know. weak: as for `grade`. Raises
    CourseError, OSError."""
    require_walls(weak=weak)
    files = sorted(entries.glob("*.c"))
    if not files:
        raise CourseError(f"{entries}: no entries: AUTHOR.c, with functions named mine_ssthresh, ...")
    both = (*networks(None), *networks(read_key(key, make=True)))
    field: list[str | Path] = [*BUILT_IN, *files]
    rows = each(field, lambda one, slot: _row(one, both, slot), workers, "driven", progress)
    rows.sort(key=lambda row: (bool(row.said), -row.hidden, row.author))
    csv_file.write(out, ["author", "public", "hidden", "mbit", "delay_ms", "said"], map(_cells, rows))
    return rows


def _cells(row: Row) -> list[str | float]:
    return [row.author, row.public, row.hidden, row.mbit, row.delay_ms, row.said]


def _row(one: str | Path, both: tuple[Experiment, ...], slot: int) -> Row:
    if isinstance(one, str):
        return _judged(f"Linux: {one}", kernels_own(one, both))
    try:
        source = foreign_files.text(one, LARGEST, errors="replace")
    except foreign_files.ForeignFileError as error:
        return Row(one.stem, 0, 0, 0, 0, str(error))
    try:
        found = driven(source, both, slot)
    except CourseError as error:  # one that the lab cannot drive does not keep the others from their places
        return Row(one.stem, 0, 0, 0, 0, str(error))
    if found.error or len(found.runs) < len(both):
        return Row(one.stem, 0, 0, 0, 0, found.error or "it did not come through all networks")
    for run, exp in zip(found.runs, both, strict=True):
        if said := impossible(run, exp):
            return Row(one.stem, 0, 0, 0, 0, f"it changed the network: {said}")
    return _judged(one.stem, found.runs)


def _judged(author: str, runs: tuple[dict[str, list[int]], ...]) -> Row:
    rates, delays, scores = zip(*(scored(run, SECONDS) for run in runs), strict=True)
    public, hidden = np.mean(scores[:NETWORKS]), np.mean(scores[NETWORKS:])
    return Row(author, float(public), float(hidden), float(np.mean(rates)), float(np.mean(delays)), "")


__all__ = ["Row", "deliveries", "impossible", "league", "networks", "new_bytes", "scored", "trace"]
