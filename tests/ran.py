"""Runs that are known by their settings alone, for tests of what is made of results without a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import pytest

from labkit import Experiment, Flow, dumbbell
from labkit.widgets import exploration, question


@dataclass
class Ran:
    """What stands in for a Result: goodput falls with loss."""

    experiment: Experiment

    @property
    def loss(self) -> float:
        loss = self.experiment.topology.link("r1", "r2").forward.loss
        return 0.0 if loss is None else float(loss.p)  # type: ignore[union-attr]

    def goodput(self) -> pd.Series[float]:
        return pd.Series({"left-right": 10 * (1 - self.loss)})

    def retransmits(self) -> pd.Series[Any]:
        return pd.Series({"left-right": round(1000 * self.loss)})


def made(cc: str = "reno", loss: str = "0%") -> Experiment:
    """An experiment to turn knobs on."""
    return Experiment(dumbbell(rate="10mbit", loss=loss), flows=[Flow("left", "right", cc=cc, size="1MB")])


def saw(result: Ran, points: int = 200) -> alt.LayerChart:
    """A chart with two datasets, two series, and all that a figure of labkit has."""
    top = 31 / (1 + 10 * result.loss)
    rows = [
        {"time_s": i / 3, "cwnd": 10 + (i * 7) % 31 / 31 * top, "line": "ab"[i % 2]} for i in range(points)
    ]
    lines = alt.Chart(alt.NamedData("cwnd")).mark_line().encode(x="time_s:Q", y="cwnd:Q", color="line:N")
    rule = alt.Chart(alt.NamedData("mean")).mark_rule().encode(y="mean:Q")
    told = {"labkit": {"name": "saw", "caption": "A saw."}}
    data = {"cwnd": rows, "mean": [{"mean": 17.0}]}
    words = f"{result.experiment.flows[0].cc}, lost: {result.loss:g}."
    return alt.layer(lines, rule, datasets=data, description=words, usermeta=told)


@contextmanager
def recording() -> Iterator[list[Experiment]]:
    """As while recording, without a kernel. Yields the experiments that were "run" so far."""
    done: list[Experiment] = []

    def run(exp: Experiment) -> Ran:
        done.append(exp)
        return Ran(exp)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LABKIT_RECORD", "1")
        patch.setattr(exploration, "run", run)
        patch.setattr(question, "run", run)
        yield done
