"""A congestion control for a cell's link. It is compiled and driven in a sandbox over traces that nobody has
seen, beside CUBIC; goodput and delay are taken from captures at both ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from labkit import Capture, Experiment, Flow, Trace, pair, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.controls import driven, kernels_own, objection
from labkit.course.league import deliveries, scored
from labkit.course.sandbox.driving import arrived
from labkit.course.submitted import Answers
from labkit.models import cellular

SECONDS, HIDDEN, UPLINK_MBIT = 20, 3, 10
BUSY, LATE, SHORT, IDLE = 0.85, 0.5, 0.25, 0.4
"""Of CUBIC's: the goodput that is wanted, and the delay above which it is worth nothing; the delay that is
wanted, and the goodput below which it is worth nothing."""


class LeagueAnswers(Answers):
    """throughput, delay: the same source, C as in a cell %%cc mine."""

    longest_outage_ms: float | None = None
    cubic_mbit: float | None = None
    cubic_delay_ms: float | None = None
    throughput: str | None = None
    delay: str | None = None


@dataclass(frozen=True)
class Cells:
    """trace: of the student's own link, ms of opportunities; delay: ms, one way; room: packets."""

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
        return Cells(tuple(own[0]), own[1], own[2], unseen, draw.seed)

    def handout(self, case: Cells, folder: Path) -> dict[str, Any]:
        (folder / "cell.trace").write_text(cellular.mahimahi(list(case.trace)))
        return {"delay_ms": case.delay, "room": case.room, "uplink_mbit": UPLINK_MBIT, "seed": case.seed}

    def truth(self, case: Cells) -> dict[str, Any]:
        rate, delay, _ = scored(arrived(run(case.own)), SECONDS)
        gaps = (later - one for one, later in zip(case.trace, case.trace[1:], strict=False))
        return {"longest_outage_ms": float(max(gaps)), "cubic_mbit": rate, "cubic_delay_ms": delay}

    def share(self, name: str, case: Cells, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name not in ("throughput", "delay"):
            return super().share(name, case, truth, value)
        if said := objection(value):
            return 0.0, said
        found = driven(value, case.hidden)
        if found.error or len(found.runs) < HIDDEN:
            return 0.0, found.error or "it did not come through all traces"
        rate, delay = _means(found.runs)
        cubic_rate, cubic_delay = _means(kernels_own("cubic", case.hidden))
        said = (
            f"over {HIDDEN} hidden traces {rate:.2f} Mbit/s and {delay:.0f} ms; "
            f"CUBIC has {cubic_rate:.2f} Mbit/s and {cubic_delay:.0f} ms"
        )
        if name == "throughput":
            return float(rate >= BUSY * cubic_rate and delay <= LATE * cubic_delay), said
        return float(delay <= SHORT * cubic_delay and rate >= IDLE * cubic_rate), said

    def figures(self, case: Cells, truth: dict[str, Any]) -> Sequence[Figure]:
        seen = case.own.replace(capture=[], probes=["tcp_info", "backlog"])
        return [Figure("CUBIC on your own link:", run(seen).charts.goodput())]


def _means(runs: Sequence[dict[str, list[int]]]) -> tuple[float, float]:
    """Mbit/s and ms."""
    figures = [scored(one, SECONDS) for one in runs]
    return mean(rate for rate, _, _ in figures), mean(delay for _, delay, _ in figures)
