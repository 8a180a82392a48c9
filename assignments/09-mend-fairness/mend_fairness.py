"""Two flows share a line unfairly; a queue that the student chooses mends it. The lab tries the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit import Experiment, Flow, Queue, dumbbell, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers
from labkit.models import fairness

SECONDS = 30
FAIR, WAIT_MS, USED = 0.97, 60.0, 0.9
FRAME, PAYLOAD = 1514, 1448  # bytes
ALWAYS, ONE_OF = ("pfifo", "codel", "pie", "sfq", "fq"), ("fq_codel", "fq_pie", "cake")
"""Queues of the student's router: none of the first does, each of the others, of which there is one."""
KINDS = (*ALWAYS, *ONE_OF)
_PAIRS = (("cubic", "vegas"), ("scalable", "reno"), ("htcp", "vegas"))
"""Of which the first takes nearly all behind a long queue."""


class FairnessAnswers(Answers):
    """queue: one of the kinds that the router has."""

    jain_before: float | None = None
    weaker_share: float | None = None
    wait_before_ms: float | None = None
    queue: str | None = None


@dataclass(frozen=True)
class Line:
    """kinds: of queues; rate: Mbit/s; delay: ms, one way; room: packets of the queue that is there."""

    kinds: tuple[str, ...]
    rate: int
    delay: int
    room: int
    pair: tuple[str, str]
    seed: int

    def experiment(self, queue: Any) -> Experiment:
        """Both flows over the line with a queue."""
        topology = dumbbell(
            2, rate=f"{self.rate}mbit", delay=f"{self.delay}ms", queue="1000p", forward={"queue": queue}
        )
        flows = [
            Flow(f"left{i}", f"right{i}", cc=cc, duration=f"{SECONDS}s")
            for i, cc in enumerate(self.pair, start=1)
        ]
        return Experiment(topology, flows=flows, probes=["tcp_info"], seed=self.seed)


def measured(exp: Experiment, line: Line) -> dict[str, float]:
    """jain: of the two goodputs; weaker: the share of the slower; wait_ms: the 95th percentile of round
    trips above the line's own, of both flows after five seconds; used: of what the line carries."""
    result = run(exp)
    rates = result.goodput().to_numpy()
    info = result.tcp_info
    info = info[(info["side"] == "sender") & (info["time_s"] > 5) & (info["time_s"] < SECONDS)]
    return {
        "jain": float(fairness.jain(rates)),
        "weaker": float(rates.min() / rates.sum()),
        "wait_ms": float(info["rtt"].quantile(0.95)) / 1e3 - 2 * line.delay,
        "used": float(rates.sum() / (line.rate * PAYLOAD / FRAME)),
    }


class MendFairness(Assignment):
    """A pair of algorithms that do not get on, dealt over the class, behind one long queue."""

    answers = FairnessAnswers

    def case(self, draw: Draw) -> Line:
        rate, delay = draw.whole("rate", 10, 16), draw.whole("delay", 15, 25)
        bdp = rate * 1e6 * 2 * delay / 1e3 / 8 / FRAME
        room = round(bdp * draw.share("room", 2.5, 3.5, 2))
        kinds = (*ALWAYS, draw.deal("queue", ONE_OF))
        return Line(kinds, rate, delay, room, draw.deal("pair", _PAIRS), draw.seed)

    def handout(self, case: Line, folder: Path) -> dict[str, Any]:
        told = {"rate_mbit": case.rate, "delay_ms": case.delay, "room": case.room, "algorithms": case.pair}
        return {**told, "kinds": case.kinds, "seed": case.seed}

    def truth(self, case: Line) -> dict[str, Any]:
        before = measured(case.experiment(f"{case.room}p"), case)
        return {
            "jain_before": before["jain"],
            "weaker_share": before["weaker"],
            "wait_before_ms": before["wait_ms"],
        }

    def share(self, name: str, case: Line, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name != "queue":
            return super().share(name, case, truth, value)
        if value not in case.kinds:
            return 0.0, f"{value!r}: one of {', '.join(case.kinds)}"
        now = measured(case.experiment(queue_of(value, case)), case)
        fair, short, used = now["jain"] >= FAIR, now["wait_ms"] <= WAIT_MS, now["used"] >= USED
        said = (
            f"with {value}: Jain's index {now['jain']:.2f} ({FAIR} at least), "
            f"a wait of {now['wait_ms']:.0f} ms ({WAIT_MS:.0f} at most), "
            f"{now['used']:.0%} of the line used ({USED:.0%} at least)"
        )
        return float(fair and short and used), said

    def guesses(self, name: str, cases: Sequence[Line], truths: Sequence[dict[str, Any]]) -> list[Any]:
        return list(KINDS) if name == "queue" else super().guesses(name, cases, truths)

    def figures(self, case: Line, truth: dict[str, Any]) -> Sequence[Figure]:
        return [
            Figure("Before:", run(case.experiment(f"{case.room}p")).charts.goodput()),
            Figure(
                f"With {case.kinds[-1]}:",
                run(case.experiment(queue_of(case.kinds[-1], case))).charts.goodput(),
            ),
        ]


def queue_of(kind: str, case: Line) -> Any:
    """The queue as the student's notebook has it: with the room that is there where a kind counts packets."""
    return f"{case.room}p" if kind == "pfifo" else Queue(kind)
