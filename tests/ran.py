"""Runs that are known by their settings alone, for tests of what is made of results without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import pandas as pd
import pytest

from labkit import Experiment, Flow, dumbbell
from labkit.sweeps import work, workers
from labkit.widgets import exploration, question
from tests.unit.charts_data import MAKERS

EVERY = ("tcp_info", "tcp_probe", "backlog", "queue", "drops", "recovery", "retransmit")


def experiment(flows: int = 1, probes: tuple[str, ...] = EVERY) -> Experiment:
    network = dumbbell(flows, rate="10mbit", delay="10ms", queue="100p", loss="1%")
    hosts = [("left", "right")] if flows == 1 else [(f"left{i}", f"right{i}") for i in range(1, flows + 1)]
    return Experiment(network, flows=[Flow(a, b, duration="10s") for a, b in hosts], probes=set(probes))


@dataclass
class Ran:
    """What stands in for a Result, without a run. A table that is not given is made of the flows' names.

    Unless rates (Mbit/s, one a flow) are given, goodput falls with the loss from r1 to r2.
    """

    experiment: Experiment = field(default_factory=experiment)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    packets: dict[str, pd.DataFrame] = field(default_factory=dict)
    rows: int = 1000
    rates: Sequence[float] | None = None
    virtual_s: float = 2.5
    cut: bool = False  # no flow came to its end

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in MAKERS:
            raise AttributeError(name)
        if name not in self.tables:
            table = MAKERS[name](self._names or ["none"], self.rows)
            self.tables[name] = table if self._names else table.iloc[:0]
        return self.tables[name]

    @property
    def _names(self) -> list[str]:
        return [str(flow.name) for flow in self.experiment.flows]

    @property
    def seed(self) -> int:
        return self.experiment.seed

    @property
    def loss(self) -> float:
        return float(getattr(self.experiment.topology.link("r1", "r2").forward.loss, "p", 0.0))

    @property
    def cc(self) -> str:
        return str(self.experiment.flows[0].cc)

    @property
    def manifest(self) -> dict[str, Any]:
        return {"kernel": {"release": "6", "key": "k"}}

    @property
    def flows(self) -> pd.DataFrame:
        if "flows" in self.tables:
            return self.tables["flows"]
        columns = ["src", "dst", "protocol", "start_s", "last_byte_s", "complete", "retransmits"]
        again = round(1000 * self.loss)
        rows = [(f.src, f.dst, f.protocol, f.start, 2.0, not self.cut, again) for f in self.experiment.flows]
        return pd.DataFrame(rows, pd.Index(self._names, name="flow"), columns)

    def table(self, name: str) -> pd.DataFrame:
        found: pd.DataFrame = getattr(self, name)
        return found

    def packet_table(self, host: str, interface: str | None = None) -> pd.DataFrame:
        return self.packets[host]

    def ledger(self) -> pd.DataFrame:
        return self.__getattr__("_ledger")

    def goodput(self) -> pd.Series[float]:
        names = self.flows.index
        return pd.Series(10 * (1 - self.loss) if self.rates is None else self.rates, names, dtype=float)

    def given_until(self) -> pd.Series[float]:
        return pd.Series(self.virtual_s, self.flows.index)

    def retransmits(self) -> pd.Series[Any]:
        found: pd.Series[Any] = self.flows["retransmits"]
        return found


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


@contextmanager
def sweeping(make: Callable[[Experiment], Ran] = Ran) -> Iterator[list[Experiment]]:
    """Sweeps without a kernel. Yields the experiments that were "run" so far."""
    done: list[Experiment] = []

    def run(exp: Experiment, **_: Any) -> Ran:
        done.append(exp)
        return make(exp)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "run", run)
        patch.setattr(workers, "require_place", lambda: None)
        yield done
