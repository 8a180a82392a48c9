"""Fit the square-root law to a sweep of one's own. The lab runs the same sweep; numbers of another line do
not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from pydantic import Field

from labkit import Experiment, Flow, pair, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers
from labkit.models import square_root

MSS = 1448
SECONDS = 30


class LawAnswers(Answers):
    """rates: Mbit/s, a row per loss rate of the case, a column per seed; c and exponent: of the fit; where:
    the loss rate (a share) at which the law would fill the line."""

    rates: list[list[float]] | None = Field(None, max_length=10)
    c: float | None = None
    exponent: float | None = None
    fills_at: float | None = None


@dataclass(frozen=True)
class Line:
    """rtt: ms; losses: percent."""

    rtt: int
    rate: int
    losses: tuple[float, ...]
    seeds: tuple[int, ...]

    def experiment(self, loss: float, seed: int) -> Experiment:
        """One run of the sweep."""
        net = pair(
            rate=f"{self.rate}mbit", delay=self.rtt / 2000, queue="1000p", forward={"loss": f"{loss}%"}
        )
        flow = Flow("left", "right", cc="reno", duration=f"{SECONDS}s", rcvbuf="4MB")
        return Experiment(net, flows=[flow], seed=seed)

    def rates(self) -> np.ndarray:
        """Mbit/s: losses by seeds."""
        return np.array(
            [
                [float(run(self.experiment(loss, seed)).goodput().iloc[0]) for seed in self.seeds]
                for loss in self.losses
            ]
        )


class SquareRootLaw(Assignment):
    """Reno at five loss rates over the student's own round trip."""

    answers = LawAnswers

    def case(self, draw: Draw) -> Line:
        factor = draw.share("losses", 0.8, 1.2, 2)
        losses = tuple(round(loss * factor, 3) for loss in (0.2, 0.35, 0.6, 1.0, 1.6))
        seeds = tuple(draw.whole(f"seed {n}", 1, 10**6) for n in range(3))
        return Line(draw.whole("rtt", 20, 60), 100, losses, seeds)

    def handout(self, case: Line, folder: Path) -> dict[str, Any]:
        return {
            "rtt_ms": case.rtt,
            "rate_mbit": case.rate,
            "losses_percent": case.losses,
            "seeds": case.seeds,
            "seconds": SECONDS,
        }

    def truth(self, case: Line) -> dict[str, Any]:
        rates = case.rates()
        p = np.array(case.losses) / 100
        windows = rates.mean(axis=1) * 1e6 * case.rtt / 1e3 / 8 / MSS
        slope, _ = np.polyfit(np.log(p), np.log(windows), 1)
        c = float(np.exp(np.mean(np.log(windows * np.sqrt(p)))))
        return {
            "rates": rates.tolist(),
            "c": c,
            "exponent": float(slope),
            "fills_at": float(square_root.loss_rate(case.rate * 1e6 * MSS / 1514, case.rtt / 1e3, MSS, c)),
        }

    def share(self, name: str, case: Line, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name != "rates":
            return super().share(name, case, truth, value)
        wanted = np.array(truth["rates"])
        if [len(row) for row in value] != [len(row) for row in truth["rates"]]:
            return (
                0.0,
                f"{len(case.losses)} rows, one per loss rate, of {len(case.seeds)} rates, one per seed",
            )
        same = np.abs(np.array(value) / wanted - 1) < 0.005
        return float(
            same.mean()
        ), "right" if same.all() else f"{same.sum()} of {same.size} rates are those of your line"

    def figures(self, case: Line, truth: dict[str, Any]) -> Sequence[Figure]:
        rows = [
            {"lost (%)": loss, "Mbit/s": rate}
            for loss, row in zip(case.losses, truth["rates"], strict=True)
            for rate in row
        ]
        fine = np.geomspace(min(case.losses), max(case.losses), 40)
        law = pd.DataFrame(
            {"lost (%)": fine, "Mbit/s": square_root.rate(fine / 100, case.rtt / 1e3, MSS, truth["c"]) / 1e6}
        )
        x = alt.X("lost (%):Q", scale=alt.Scale(type="log"))
        y = alt.Y("Mbit/s:Q", scale=alt.Scale(type="log"))
        chart = alt.Chart(pd.DataFrame(rows)).mark_point().encode(x=x, y=y) + alt.Chart(
            law
        ).mark_line().encode(x=x, y=y)
        said = f"Your line's runs, and the law with C = {truth['c']:.2f}:"
        return [Figure(said, chart.properties(width=500, height=260))]
