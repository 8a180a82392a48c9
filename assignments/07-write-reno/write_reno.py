"""Write Reno in C, with numbers of the student's own. It is compiled and driven in a sandbox, over networks
that nobody has seen; the published solution drives the same ones, and what arrives at the far end is
compared, packet by packet. What the kernel has ready-made grows and backs off by other numbers, so that
calling it is of no use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jupytext

from labkit import Capture, DropPackets, Experiment, Flow, pair, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.controls import alike, driven
from labkit.course.roster import CourseError
from labkit.course.submitted import Answers

ALIKE = 0.999
STARTS, GROWS, KEEPS = (3, 5, 6, 7), (3, 5, 11, 13, 19), (5, 6, 7, 9, 10, 12)
"""Eighths of a packet, eighths of a packet, sixteenths of the window. Reno itself has 8, 8 and 8; no
algorithm of the kernel's leaves one of these shares."""


class RenoAnswers(Answers):
    """source: C, as in a cell %%cc mine; the three questions are asked of it."""

    starts: str | None = None
    grows: str | None = None
    halves: str | None = None


@dataclass(frozen=True)
class Variant:
    """The student's numbers, and one experiment per question."""

    start: int
    grow: int
    keep: int
    by_question: dict[str, Experiment]


class WriteReno(Assignment):
    """Slow start, congestion avoidance, the reaction to loss: a network for each."""

    answers = RenoAnswers

    def case(self, draw: Draw) -> Variant:
        rate, delay = draw.whole("rate", 16, 24), draw.whole("delay", 10, 30)
        single, loss = draw.whole("single loss", 60, 200), draw.share("loss", 0.3, 0.8, 2)

        def network(seconds: int, queue: int, lost: Any, way: int = delay) -> Experiment:
            net = pair(rate=f"{rate}mbit", delay=f"{way}ms", queue=f"{queue}p", forward={"loss": lost})
            flow = Flow("left", "right", cc="reno", duration=f"{seconds}s")
            return Experiment(
                net, flows=[flow], probes=[], capture=[Capture("right", snap=96)], seed=draw.seed
            )

        return Variant(
            draw.deal("start", STARTS),
            draw.deal("grow", GROWS),
            draw.deal("keep", KEEPS),
            {
                "starts": network(1, 2000, None),
                # So far that the line is never full, and the window shows.
                "grows": network(6, 2000, DropPackets([single]), 90),
                "halves": network(8, draw.whole("queue", 30, 60), f"{loss}%"),
            },
        )

    def handout(self, case: Variant, folder: Path) -> dict[str, Any]:
        return {"start": case.start, "grow": case.grow, "keep": case.keep}

    def truth(self, case: Variant) -> dict[str, Any]:
        """What arrives with the published solution. It is compiled in a sandbox, too: a module in the
        grader's cache can be read by the notebooks that are graded afterwards."""
        right = driven(self._published(case), tuple(case.by_question.values()), may_take=frozenset())
        if right.error:
            raise CourseError(f"{self.folder / 'solution.md'}: {right.error}")
        return dict(zip(case.by_question, right.runs, strict=True))

    def _published(self, case: Variant) -> str:
        """The solution's source with the student's numbers."""
        cells = jupytext.read(self.folder / "solution.md").cells
        (cell,) = (cell.source for cell in cells if cell.source.startswith("source = "))
        space: dict[str, Any] = {"case": self.handout(case, self.folder)}
        exec(cell, space)
        return str(space["source"])

    def share(self, name: str, case: Variant, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        found = driven(value, tuple(case.by_question.values()), may_take=frozenset())
        number = list(case.by_question).index(name)
        if number >= len(found.runs):
            return 0.0, found.error or "it did not come to this network"
        same = alike(found.runs[number], truth[name])
        if same >= ALIKE:
            return 1.0, "right: every packet as it should be"
        return 0.0, f"{self.rubric.questions[name].says}; the first {same:.0%} of the packets are right"

    def guesses(self, name: str, cases: Sequence[Variant], truths: Sequence[dict[str, Any]]) -> list[Any]:
        """Every value of each number comes in one of them."""
        pairs = zip(STARTS * 2, (*GROWS, *GROWS), KEEPS, strict=False)
        return [self._published(replace(cases[0], start=s, grow=g, keep=k)) for s, g, k in pairs]

    def figures(self, case: Variant, truth: dict[str, Any]) -> Sequence[Figure]:
        return [
            Figure(f"The kernel's Reno, of 8, 8 and 8, on your network '{name}':", run(exp).charts.cwnd())
            for name, exp in case.by_question.items()
        ]
