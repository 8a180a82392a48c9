"""`labkit course league`: students' congestion controls, beside the kernel's, over public networks and
hidden ones.

Public networks are the same for every course; hidden ones follow from the key, so that who fitted the
public ones falls there. The score is MIT 6.829's, the logarithm of goodput over delay. Goodput and delay
are taken from captures at both
ends, not from what a module says of itself.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labkit.course.at_once import each
from labkit.course.controls import driven, kernels_own, objection
from labkit.course.draw import Draw
from labkit.course.roster import CourseError, read_key
from labkit.course.sandbox.selftest import require_walls
from labkit.spec import Capture, Change, Experiment, Flow
from labkit.spec.topologies import pair

BUILT_IN = ("reno", "cubic", "vegas", "bbr")
SECONDS, NETWORKS = 20, 3
_LEAST_S, _LEAST_MBIT = 1e-4, 1e-3
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


def networks(key: bytes) -> tuple[Experiment, ...]:
    """Links whose rate changes every second or so, as a cell's does."""
    found = []
    for number in range(NETWORKS):
        draw = Draw(key, "league", f"network {number}")
        net = pair(
            rate="8mbit",
            delay=f"{draw.whole('delay', 10, 50)}ms",
            queue=f"{draw.whole('queue', 50, 250)}p",
            forward={"loss": draw.choice("loss", (None, "0.1%"))},
        )
        changes, at = [], 0.0
        while (at := at + draw.share(f"after {at:.3f}", 0.6, 1.8)) < SECONDS:
            rate = draw.choice(f"rate at {at:.3f}", (2, 4, 6, 8, 12, 16))
            changes.append(Change(at, ("left", "right"), rate=f"{rate}mbit"))
        found.append(
            Experiment(
                net,
                flows=[Flow("left", "right", duration=f"{SECONDS}s")],
                changes=changes,
                probes=[],
                capture=[Capture("left", snap=96), Capture("right", snap=96)],
                seed=draw.seed,
            )
        )
    return tuple(found)


def scored(run: dict[str, list[int]]) -> tuple[float, float, float]:
    """Mbit/s of new data, ms, and log2 of the one over the other in Mbit/s per s."""
    if not run["seq"]:
        return 0.0, math.inf, math.log2(_LEAST_MBIT)
    new = len(set(run["seq"])) * float(np.median(run["payload"]))
    rate = max(8 * new / SECONDS / 1e6, _LEAST_MBIT)
    delay = max(float(np.quantile(run["late_us"], 0.95)) / 1e6, _LEAST_S)
    return rate, 1e3 * delay, math.log2(rate / delay)


def league(
    entries: Path, key: Path, out: Path, *, workers: int | None = None, progress: bool = True
) -> list[Row]:
    """Drive every ENTRIES/author.c and the kernel's own, write OUT, the best in hidden networks first. What
    does not compile or breaks stands last, with what its author should know. Raises CourseError,
    OSError."""
    require_walls()
    files = sorted(entries.glob("*.c"))
    if not files:
        raise CourseError(f"{entries}: no entries: AUTHOR.c, with functions named mine_ssthresh, ...")
    both = (*networks(_PUBLIC), *networks(read_key(key, make=True)))
    field: list[str | Path] = [*BUILT_IN, *files]
    rows = each(field, lambda one, slot: _row(one, both, slot), workers, "driven", progress)
    rows.sort(key=lambda row: (bool(row.said), -row.hidden, row.author))
    with out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["author", "public", "hidden", "mbit", "delay_ms", "said"])
        for row in rows:
            numbers = [f"{value:.3f}" for value in (row.public, row.hidden, row.mbit, row.delay_ms)]
            writer.writerow([row.author, *numbers, row.said])
    return rows


def _row(one: str | Path, both: tuple[Experiment, ...], slot: int) -> Row:
    if isinstance(one, str):
        return _judged(f"Linux: {one}", kernels_own(one, both))
    source = one.read_text(errors="replace")
    if said := objection(source):
        return Row(one.stem, 0, 0, 0, 0, said)
    found = driven(source, both, slot)
    if found.error or len(found.runs) < len(both):
        return Row(one.stem, 0, 0, 0, 0, found.error or "it did not come through all networks")
    return _judged(one.stem, found.runs)


def _judged(author: str, runs: tuple[dict[str, list[int]], ...]) -> Row:
    rates, delays, scores = zip(*map(scored, runs), strict=True)
    public, hidden = np.mean(scores[:NETWORKS]), np.mean(scores[NETWORKS:])
    return Row(author, float(public), float(hidden), float(np.mean(rates)), float(np.mean(delays)), "")


__all__ = ["Row", "league", "networks", "scored"]
