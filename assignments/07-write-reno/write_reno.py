"""Write Reno in C. It is compiled and driven in a sandbox, over networks that nobody has seen; the kernel's
own Reno drives the same ones, and what arrives at the far end is compared, packet by packet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit import Capture, DropPackets, Experiment, Flow, pair, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.controls import alike, driven, kernels_own, objection
from labkit.course.submitted import Answers

FORBIDDEN = ("tcp_reno", "tcp_slow_start", "tcp_cong_avoid", "bictcp", "cubictcp", "tcp_vegas", "dctcp")
"""What the kernel has ready-made."""
ALIKE = 0.999


class RenoAnswers(Answers):
    """source: C, as in a cell %%cc mine; the three questions are asked of it."""

    starts: str | None = None
    grows: str | None = None
    halves: str | None = None


@dataclass(frozen=True)
class Networks:
    """One experiment per question."""

    by_question: dict[str, Experiment]


class WriteReno(Assignment):
    """Slow start, congestion avoidance, the reaction to loss: a network for each."""

    answers = RenoAnswers

    def case(self, draw: Draw) -> Networks:
        rate, delay = draw.whole("rate", 16, 24), draw.whole("delay", 10, 30)
        single, loss = draw.whole("single loss", 60, 200), draw.share("loss", 0.3, 0.8, 2)

        def network(seconds: int, queue: int, lost: Any, way: int = delay) -> Experiment:
            net = pair(rate=f"{rate}mbit", delay=f"{way}ms", queue=f"{queue}p", forward={"loss": lost})
            flow = Flow("left", "right", cc="reno", duration=f"{seconds}s")
            return Experiment(
                net, flows=[flow], probes=[], capture=[Capture("right", snap=96)], seed=draw.seed
            )

        return Networks(
            {
                "starts": network(1, 2000, None),
                # So far that the line is never full, and the window shows.
                "grows": network(6, 2000, DropPackets([single]), 90),
                "halves": network(8, draw.whole("queue", 30, 60), f"{loss}%"),
            }
        )

    def handout(self, case: Networks, folder: Path) -> dict[str, Any]:
        return {}

    def truth(self, case: Networks) -> dict[str, Any]:
        return {}

    def share(self, name: str, case: Networks, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if said := objection(value, FORBIDDEN):
            return 0.0, said
        experiments = tuple(case.by_question.values())
        found = driven(value, experiments)
        number = list(case.by_question).index(name)
        if number >= len(found.runs):
            return 0.0, found.error or "it did not come to this network"
        same = alike(found.runs[number], kernels_own("reno", experiments)[number])
        if same >= ALIKE:
            return 1.0, "right: every packet as the kernel's Reno sends it"
        return (
            0.0,
            f"{self.rubric.questions[name].says}; the first {same:.0%} of the packets are the kernel's",
        )

    def figures(self, case: Networks, truth: dict[str, Any]) -> Sequence[Figure]:
        return [
            Figure(f"The kernel's Reno on your network '{name}':", run(exp).charts.cwnd())
            for name, exp in case.by_question.items()
        ]
