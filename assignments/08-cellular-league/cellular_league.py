"""A congestion control for a cell's link, which keeps the delay at a target of the student's own. It is
compiled and driven in a sandbox over traces that nobody has seen, beside CUBIC; goodput and delay are taken
from captures at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import mean, median
from typing import Any

from labkit import Capture, Experiment, Flow, Trace, pair, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.controls import driven, kernels_own
from labkit.course.league import deliveries, impossible, scored
from labkit.course.sandbox.driving import arrived
from labkit.course.submitted import Answers
from labkit.models import cellular

SECONDS, HIDDEN, UPLINK_MBIT = 20, 3, 10
TARGETS = (60, 85, 120, 170)
"""ms: of the median delay. Dealt, and so far apart that no two students with different ones can use one
source."""
ON_TARGET, BUSY, LATE = 0.12, 0.85, 0.6
"""How far off the median may be; of CUBIC's: the goodput that is wanted, and the largest 95th percentile."""


class LeagueAnswers(Answers):
    """throughput, delay: the same source, C as in a cell %%cc mine."""

    longest_outage_ms: float | None = None
    cubic_mbit: float | None = None
    cubic_delay_ms: float | None = None
    throughput: str | None = None
    delay: str | None = None


@dataclass(frozen=True)
class Cells:
    """target: ms; trace: of the student's own link, ms of opportunities; delay: ms, one way; room:
    packets."""

    target: int
    trace: tuple[int, ...]
    delay: int
    room: int
    hidden: tuple[Experiment, ...]
    seed: int

    @property
    def own(self) -> Experiment:
        """CUBIC on the student's own link."""
        return _network(list(self.trace), self.delay, self.room, self.seed)


def _network(times: list[int], delay: int, room: int, seed: int) -> Experiment:
    net = pair(
        delay=f"{delay}ms",
        queue=f"{room}p",
        forward={"rate": Trace.parse(cellular.mahimahi(times))},
        backward={"rate": f"{UPLINK_MBIT}mbit"},
    )
    both_ends = [Capture("left", snap=96), Capture("right", snap=96)]
    flow = Flow("left", "right", cc="cubic", duration=f"{SECONDS}s")
    return Experiment(net, flows=[flow], duration=f"{SECONDS}s", probes=[], capture=both_ends, seed=seed)


class CellularLeague(Assignment):
    """One trace in the student's hands, three that only the grader has."""

    answers = LeagueAnswers

    def case(self, draw: Draw) -> Cells:
        own, *hidden = (
            (
                deliveries(draw, name, SECONDS),
                draw.whole(f"delay {name}", 15, 40),
                draw.whole(f"room {name}", 200, 300),
            )
            for name in ("own", *(f"hidden {number}" for number in range(HIDDEN)))
        )
        unseen = tuple(_network(*one, draw.seed) for one in hidden)
        return Cells(draw.deal("target", TARGETS), tuple(own[0]), own[1], own[2], unseen, draw.seed)

    def handout(self, case: Cells, folder: Path) -> dict[str, Any]:
        (folder / "cell.trace").write_text(cellular.mahimahi(list(case.trace)))
        link = {"delay_ms": case.delay, "room": case.room, "uplink_mbit": UPLINK_MBIT, "seed": case.seed}
        return {"target_ms": case.target, **link}

    def truth(self, case: Cells) -> dict[str, Any]:
        rate, delay, _ = scored(arrived(run(case.own)), SECONDS)
        gaps = (later - one for one, later in zip(case.trace, case.trace[1:], strict=False))
        return {"longest_outage_ms": float(max(gaps)), "cubic_mbit": rate, "cubic_delay_ms": delay}

    def share(self, name: str, case: Cells, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name not in ("throughput", "delay"):
            return super().share(name, case, truth, value)
        found = driven(value, case.hidden)
        if found.error or len(found.runs) < HIDDEN:
            return 0.0, found.error or "it did not come through all traces"
        for arrivals, exp in zip(found.runs, case.hidden, strict=True):
            if said := impossible(arrivals, exp):
                return 0.0, f"it changed the network: {said}"
        mine, cubic = (_means(runs) for runs in (found.runs, kernels_own("cubic", case.hidden)))
        said = (
            f"over {HIDDEN} hidden traces {mine.rate:.2f} Mbit/s with a median delay of {mine.median:.0f} ms "
            f"(95th percentile {mine.late:.0f} ms); your target is {case.target} ms; "
            f"CUBIC has {cubic.rate:.2f} Mbit/s, 95th percentile {cubic.late:.0f} ms"
        )
        if abs(mine.median / case.target - 1) > ON_TARGET:
            return 0.0, said
        if name == "throughput":
            return float(mine.rate >= BUSY * cubic.rate), said
        return float(mine.late <= LATE * cubic.late), said

    def guesses(self, name: str, cases: Sequence[Cells], truths: Sequence[dict[str, Any]]) -> list[Any]:
        """Sources: the published solution, for each target."""
        if name not in ("throughput", "delay"):
            return super().guesses(name, cases, truths)
        source = (self.folder / "solution.md").read_text().partition('source = """\n')[2].partition('"""')[0]
        return [source.replace("@target@", str(1000 * target)) for target in TARGETS]

    def figures(self, case: Cells, truth: dict[str, Any]) -> Sequence[Figure]:
        seen = case.own.replace(capture=[], probes=["tcp_info", "backlog"])
        return [Figure("CUBIC on your own link:", run(seen).charts.goodput())]


@dataclass(frozen=True)
class _Means:
    """rate: Mbit/s; median, late (95th percentile): ms."""

    rate: float
    median: float
    late: float


def _means(runs: Sequence[dict[str, list[int]]]) -> _Means:
    """Over the networks. A run in which nothing arrived at both ends is infinitely late."""
    figures = [scored(one, SECONDS) for one in runs]
    medians = [median(one["late_us"]) / 1e3 if one["late_us"] else inf for one in runs]
    return _Means(mean(rate for rate, _, _ in figures), mean(medians), mean(late for _, late, _ in figures))
