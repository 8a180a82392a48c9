"""One capture at the sender: loss, round trip, rate of the line, goodput. The truth is the lab's ledger and
the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit import Capture, Experiment, Flow, dumbbell, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers

FRAME = 1514  # bytes


class OneCaptureAnswers(Answers):
    """Numbers read from left.pcapng."""

    loss_share: float | None = None
    rtt_ms: float | None = None
    rate_mbit: float | None = None
    goodput_mbit: float | None = None


@dataclass(frozen=True)
class Line:
    """rate: Mbit/s; delay: ms, one way."""

    rate: float
    delay: int
    experiment: Experiment


class OneCapture(Assignment):
    """A flow of Reno over a line of the student's own, seen at its sender alone."""

    answers = OneCaptureAnswers

    def case(self, draw: Draw) -> Line:
        rate, delay = draw.share("rate", 4, 8, 1), draw.whole("delay", 8, 20)
        loss = draw.share("loss", 0.1, 0.25, 2)
        room = round(rate * 1e6 * 2 * delay / 1e3 / 8 / FRAME) + 20
        exp = Experiment(
            dumbbell(rate=f"{rate}mbit", delay=f"{delay}ms", queue=f"{room}p", loss=f"{loss}%"),
            flows=[Flow("left", "right", cc="reno", duration="20s")],
            seed=draw.seed,
            capture=[Capture("left", snap=96)],
        )
        return Line(rate, delay, exp)

    def handout(self, case: Line, folder: Path) -> dict[str, Any]:
        run(case.experiment).save_pcapng(folder / "left.pcapng", "left")
        return {"seconds": 20}

    def truth(self, case: Line) -> dict[str, Any]:
        result = run(case.experiment)
        data = result.balance().xs("data", level="way").iloc[0]
        return {
            "loss_share": float(data["lost"] / data["sent"]),
            "rtt_ms": 2.0 * case.delay,
            "rate_mbit": case.rate,
            "goodput_mbit": float(result.goodput().iloc[0]),
        }

    def figures(self, case: Line, truth: dict[str, Any]) -> Sequence[Figure]:
        result = run(case.experiment)
        return [Figure("What the sender's window did, and where packets were lost:", result.charts.cwnd())]
