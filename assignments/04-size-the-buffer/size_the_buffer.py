"""The smallest buffer that keeps a line busy. What a student proposes is tried, and so is a smaller one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd

from labkit import Experiment, Flow, dumbbell, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers

FRAME, PAYLOAD = 1514, 1448  # bytes
BUSY = 0.99
"""Of what the line carries, from FROM_S on."""
FROM_S, END_S = 10, 40
SMALLER, TOO_LARGE = 0.7, 0.25
"""A buffer of which so much would do as well has so much of the points."""
_MOST = 2000


class BufferAnswers(Answers):
    """Packets, packets, packets, ms."""

    bdp: int | None = None
    queue_reno: int | None = None
    queue_cubic: int | None = None
    longest_wait_ms: float | None = None


@dataclass(frozen=True)
class Line:
    """rate: Mbit/s; delay: ms, one way; given: a buffer (packets) whose delay is asked for."""

    rate: int
    delay: int
    given: int
    seed: int

    def experiment(self, cc: str, queue: int) -> Experiment:
        """One flow over the line with such a buffer."""
        return Experiment(
            dumbbell(rate=f"{self.rate}mbit", delay=f"{self.delay}ms", queue=f"{queue}p"),
            flows=[Flow("left", "right", cc=cc, duration=f"{END_S}s")],
            probes=["tcp_info"],
            seed=self.seed,
        )


def busy(exp: Experiment, rate: int) -> float:
    """The share of the line's payload that is acknowledged from FROM_S to END_S."""
    info = run(exp).tcp_info
    acked = info[info["side"] == "sender"].set_index("time_s")["bytes_acked"]
    span = acked[(acked.index >= FROM_S) & (acked.index <= END_S)]
    got = 8 * (span.iloc[-1] - span.iloc[0]) / (span.index[-1] - span.index[0])
    return float(got / (rate * 1e6 * PAYLOAD / FRAME))


class SizeTheBuffer(Assignment):
    """One line of the student's own, Reno and CUBIC on it."""

    answers = BufferAnswers

    def case(self, draw: Draw) -> Line:
        return Line(
            draw.whole("rate", 6, 20),
            draw.whole("delay", 15, 40),
            10 * draw.whole("given", 10, 60),
            draw.seed,
        )

    def handout(self, case: Line, folder: Path) -> dict[str, Any]:
        return {"rate_mbit": case.rate, "delay_ms": case.delay, "given": case.given, "seed": case.seed}

    def truth(self, case: Line) -> dict[str, Any]:
        frame_s = 8 * FRAME / (case.rate * 1e6)
        return {"bdp": 2 * case.delay / 1e3 / frame_s, "longest_wait_ms": 1e3 * case.given * frame_s}

    def share(self, name: str, case: Line, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if not name.startswith("queue_"):
            return super().share(name, case, truth, value)
        if not 1 <= value <= _MOST:
            return 0.0, f"{value} packets: 1 to {_MOST}"
        cc = name.removeprefix("queue_")
        full = busy(case.experiment(cc, value), case.rate)
        if full < BUSY:
            return 0.0, f"with {value} packets the line is busy for {full:.1%} of the time only"
        smaller = max(1, int(value * SMALLER))
        if value <= 2 * truth["bdp"] and busy(case.experiment(cc, smaller), case.rate) < BUSY:
            return 1.0, f"right: {full:.1%} with {value} packets, and {smaller} would not do"
        return (
            TOO_LARGE,
            f"{value} packets keep the line busy, but so would {smaller}, or two bandwidth-delay products",
        )

    def guesses(self, name: str, cases: Sequence[Line], truths: Sequence[dict[str, Any]]) -> list[Any]:
        if not name.startswith("queue_"):
            return super().guesses(name, cases, truths)
        sizes = [_MOST]
        for largest in (1.0, 0.84):  # and of each the one that is tried beside it
            size = int(2 * largest * max(truth["bdp"] for truth in truths))
            while size > 2:
                sizes.append(size)
                size = int(SMALLER * size)
        return sizes

    def figures(self, case: Line, truth: dict[str, Any]) -> Sequence[Figure]:
        sizes = [max(2, round(truth["bdp"] * part)) for part in (0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2)]
        rows = [
            {"buffer (packets)": size, "busy (%)": 100 * busy(case.experiment(cc, size), case.rate), "cc": cc}
            for cc in ("reno", "cubic")
            for size in sizes
        ]
        chart = alt.Chart(pd.DataFrame(rows)).mark_line(point=True)
        drawn = chart.encode(
            x="buffer (packets):Q", y=alt.Y("busy (%):Q", scale=alt.Scale(zero=False)), color="cc:N"
        ).properties(width=500, height=220)
        return [Figure("How busy your line is, by its buffer:", drawn)]
