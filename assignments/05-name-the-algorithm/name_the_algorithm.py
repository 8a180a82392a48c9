"""Name the algorithm: four flows, each with another congestion control, of which only window and round trip
are shown."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from labkit import Experiment, Flow, dumbbell, run
from labkit.course import Assignment, Draw
from labkit.course.assignment import Figure
from labkit.course.submitted import Answers

CANDIDATES = ("reno", "bic", "cubic", "vegas", "bbr", "htcp", "scalable")
TRACES = ("a", "b", "c", "d")
SECONDS, STEP_S = 30, 0.05


class NameAnswers(Answers):
    """A name of CANDIDATES for each trace; left: the share of its window that Reno's or another's loss
    leaves."""

    a: str | None = None
    b: str | None = None
    c: str | None = None
    d: str | None = None
    left: float | None = None


@dataclass(frozen=True)
class Traces:
    """names: which algorithm each trace is of; rate: Mbit/s; delay: ms, one way; queue: packets."""

    names: dict[str, str]
    seed: int
    rate: int
    delay: int
    queue: int

    def experiment(self, cc: str) -> Experiment:
        """A flow of it over the student's line."""
        return Experiment(
            dumbbell(rate=f"{self.rate}mbit", delay=f"{self.delay}ms", queue=f"{self.queue}p"),
            flows=[Flow("left", "right", cc=cc, duration=f"{SECONDS}s")],
            probes=["tcp_info"],
            seed=self.seed,
        )

    def trace(self, name: str) -> pd.DataFrame:
        """What a student sees of one: time_s, cwnd (packets), rtt_ms."""
        info = run(self.experiment(self.names[name])).tcp_info
        info = info[info["side"] == "sender"]
        shown = pd.DataFrame(
            {"time_s": info["time_s"], "cwnd": info["snd_cwnd"], "rtt_ms": info["rtt"] / 1e3}
        )
        return shown.round(3).reset_index(drop=True)


LEFT = {"reno": 0.5, "bic": 0.8, "cubic": 0.7, "scalable": 0.875}
"""What a loss leaves of the window: RFC 5681; L. Xu, K. Harfoush, I. Rhee, BIC, 2004; RFC 9438, section 4.6;
T. Kelly, Scalable TCP, 2003. Trace a is one of these."""


class NameTheAlgorithm(Assignment):
    """Trace a, and which three of the other six there are, dealt so that all come equally often."""

    answers = NameAnswers

    def case(self, draw: Draw) -> Traces:
        first = draw.deal("a", tuple(LEFT))
        three = draw.deal(
            "others", tuple(itertools.combinations(range(len(CANDIDATES) - 1), len(TRACES) - 1))
        )
        rest = [cc for cc in CANDIDATES if cc != first]
        others = sorted((rest[i] for i in three), key=lambda cc: draw.whole(f"place of {cc}", 0, 2**32))
        names = dict(zip(TRACES, (first, *others), strict=True))
        rate, delay = draw.whole("rate", 8, 12), draw.whole("delay", 20, 30)
        bdp = rate * 1e6 * 2 * delay / 1e3 / 8 / 1514
        return Traces(names, draw.seed, rate, delay, round(bdp * draw.share("queue", 0.8, 1.1, 2)))

    def handout(self, case: Traces, folder: Path) -> dict[str, Any]:
        for trace in TRACES:
            case.trace(trace).to_csv(folder / f"trace-{trace}.csv", index=False)
        return {"candidates": CANDIDATES, "rate_mbit": case.rate, "delay_ms": case.delay, "queue": case.queue}

    def truth(self, case: Traces) -> dict[str, Any]:
        return {**case.names, "left": LEFT[case.names["a"]]}

    def figures(self, case: Traces, truth: dict[str, Any]) -> Sequence[Figure]:
        return [
            Figure(
                f"Trace {trace} is {case.names[trace]}:",
                run(case.experiment(case.names[trace])).charts.cwnd(),
            )
            for trace in TRACES
        ]
