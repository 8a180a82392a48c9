"""Reproduce a published figure on a line of one's own, and explain the gap: the line's part of it and the
kernel's. The lab makes the same runs, one change at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from pydantic import Field

from labkit import Experiment, Flow, Link, Topology, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers

PUBLISHED = {1: 9.18, 5: 5.86, 10: 1.93}
"""Mbit/s by the share of packets lost, in percent: Reno at 10 Mbit/s, figure 26 of a Chalmers thesis of 2013
(chapter 16)."""
SIZE, LONGEST = "3MB", "200s"
"""A transfer ends with whichever comes first: one in which every packet waits for a timer, with the time."""
RULES = {"RACK": "tcp_recovery", "tail loss probe": "tcp_early_retrans", "F-RTO": "tcp_frto"}
"""Each with the variable that is 0 when it is off."""


class FigureAnswers(Answers):
    """rates: Mbit/s, a row per loss rate, a column per seed; apart, off_by, left: factors, from 1 on."""

    rates: list[list[float]] | None = Field(None, max_length=10)
    apart: float | None = None
    condition: str | None = None
    off_by: float | None = None
    rule: str | None = None
    left: float | None = None


@dataclass(frozen=True)
class Line:
    """rate: Mbit/s; rtt: ms; queue: packets; rmem: the largest receive buffer, bytes; acks_lost: percent."""

    rate: float
    rtt: float
    queue: int
    rmem: int
    acks_lost: float

    # C ---------- router ---------- A     C sends; the router loses, towards A data, towards C ACKs
    def experiment(self, loss: int, seed: int, off: str = "") -> Experiment:
        """One transfer; loss: percent of the packets; off: a rule that is switched off."""
        way = {"delay": f"{self.rtt / 4}ms", "mtu": 1400}
        data = {"rate": f"{self.rate}mbit", "queue": f"{self.queue}p", "loss": f"{loss}%"}
        lost = {"loss": f"{self.acks_lost}%"} if self.acks_lost else {}
        rules = {f"net.ipv4.{RULES[off]}": 0} if off else {}
        return Experiment(
            Topology(
                ["A", "router", "C"],
                [Link("router", "A", **way, forward=data, backward=lost), Link("router", "C", **way)],
            ),
            flows=[Flow("C", "A", cc="reno", size=SIZE, duration=LONGEST)],
            probes=[],
            seed=seed,
            sysctls={"net.ipv4.tcp_rmem": f"4096 {min(self.rmem, 131_072)} {self.rmem}", **rules},
        )

    def rates(self, seeds: Sequence[int], off: str = "") -> np.ndarray:
        """Mbit/s: loss rates by seeds."""
        return np.array(
            [
                [float(run(self.experiment(loss, seed, off)).goodput().iloc[0]) for seed in seeds]
                for loss in PUBLISHED
            ]
        )


STUDY = Line(rate=9.83, rtt=0.2, queue=100, rmem=6_291_456, acks_lost=0.0)
"""The study's, as far as it is known (book/thesis.md): a frame of 1414 bytes takes 1438 on a wire of 10
Mbit/s."""
CONDITIONS = tuple(asdict(STUDY))
_STRONG = ("rtt", "rmem", "acks_lost")


@dataclass(frozen=True)
class Own:
    """A student's line, and the seeds of all runs."""

    line: Line
    seeds: tuple[int, ...]


def factor(one: np.ndarray, other: np.ndarray) -> float:
    """How far two curves are apart: the geometric mean of the larger over the smaller."""
    return float(np.exp(np.abs(np.log(one / other)).mean()))


class ReproduceAFigure(Assignment):
    """Reno under loss, in 2013 and on the student's line. One of three conditions, dealt, is far from the
    study's."""

    answers = FigureAnswers

    def case(self, draw: Draw) -> Own:
        mild = Line(
            rate=draw.share("rate", 11, 13, 1),
            rtt=draw.share("rtt", 2, 4, 1),
            queue=draw.whole("queue", 50, 90),
            rmem=1000 * draw.whole("rmem", 150, 250),
            acks_lost=draw.share("acks lost", 1, 3, 1),
        )
        strong: dict[str, Any] = {
            "rtt": draw.share("long", 24, 36, 1),
            "rmem": draw.whole("small", 80, 100) * 100,
            "acks_lost": draw.share("many", 18, 24, 1),
        }
        condition = draw.deal("condition", _STRONG)
        seeds = tuple(draw.whole(f"seed {n}", 1, 10**6) for n in range(2))
        return Own(replace(mild, **{condition: strong[condition]}), seeds)

    def handout(self, case: Own, folder: Path) -> dict[str, Any]:
        told = {"own": asdict(case.line), "study": asdict(STUDY), "seeds": case.seeds, "rules": RULES}
        figure = {"losses_percent": list(PUBLISHED), "published_mbit": PUBLISHED}
        return {**told, **figure, "size": SIZE, "longest": LONGEST}

    def truth(self, case: Own) -> dict[str, Any]:
        published = np.array(list(PUBLISHED.values()))
        rates = case.line.rates(case.seeds)
        own, study = rates.mean(axis=1), STUDY.rates(case.seeds).mean(axis=1)
        changed = {
            name: replace(case.line, **{name: getattr(STUDY, name)}).rates(case.seeds).mean(axis=1)
            for name in CONDITIONS
        }
        without = {rule: STUDY.rates(case.seeds, rule).mean(axis=1) for rule in RULES}
        still = {name: factor(curve, study) for name, curve in changed.items()}
        lefts = {rule: factor(curve, published) for rule, curve in without.items()}
        rule = min(lefts, key=lambda name: lefts[name])
        return {
            "rates": rates.tolist(),
            "apart": factor(own, study),
            "condition": min(still, key=lambda name: still[name]),
            "off_by": factor(study, published),
            "rule": rule,
            "left": lefts[rule],
            "still": still,
            "lefts": lefts,
            "curves": {
                "your line": own.tolist(),
                "the study's line today": study.tolist(),
                f"the same without {rule}": without[rule].tolist(),
            },
        }

    def share(self, name: str, case: Own, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        if name == "rates":
            if [len(row) for row in value] != [len(row) for row in truth["rates"]]:
                return 0.0, f"{len(PUBLISHED)} rows, one per loss rate, of {len(case.seeds)} rates"
            same = np.abs(np.array(value) / np.array(truth["rates"]) - 1) < 0.005
            said = "right" if same.all() else f"{same.sum()} of {same.size} rates are those of your line"
            return float(same.mean()), said
        if name == "condition" and value in truth["still"]:
            said = f"with the study's {value} your line is still {truth['still'][value]:.2f} times apart"
            return float(value == truth[name]), said
        if name == "rule" and value in truth["lefts"]:
            said = f"without {value} a factor of {truth['lefts'][value]:.2f} is left"
            return float(value == truth[name]), said
        return super().share(name, case, truth, value)

    def figures(self, case: Own, truth: dict[str, Any]) -> Sequence[Figure]:
        curves = {"published, 2013": list(PUBLISHED.values()), **truth["curves"]}
        rows = [
            {"lost (%)": loss, "Mbit/s": rate, "what": name}
            for name, rates in curves.items()
            for loss, rate in zip(PUBLISHED, rates, strict=True)
        ]
        chart = alt.Chart(pd.DataFrame(rows)).mark_line(point=True)
        drawn = chart.encode(
            x="lost (%):Q",
            y=alt.Y("Mbit/s:Q", scale=alt.Scale(type="log")),
            color=alt.Color("what:N", sort=list(curves), title=None),
        )
        said = "What was published, and what today's Linux has, on your line and on the study's:"
        return [Figure(said, drawn.properties(width=460, height=260))]
