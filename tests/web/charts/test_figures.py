"""Standard figures in JavaScript: labkit's rows, words and marks of each kind of experiment, or its error."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit import charts
from labkit.charts import vega
from labkit.charts.figure import EmptyFigureError, FigureError
from labkit.errors import LimitReached
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests.web.charts.explored import FRAME, Json, differences_of_figures
from tests.web.decode.decoded import needs_node
from tests.web.decode.experiments import experiments

SCRIPT = Path(__file__).with_name("figures.mjs")
EXPERIMENTS = experiments()
Ask = tuple[str, Json]
DRAW: dict[str, Callable[..., Any]] = {
    "cwnd": charts.cwnd,
    "goodput": charts.goodput,
    "rtt": charts.rtt,
    "queue": charts.queue,
    "delay": charts.delay,
    "time_sequence": charts.time_sequence,
}


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


@cache
def result_of(exp: Experiment) -> Result:
    """However it ended."""
    try:
        return run(exp)
    except LimitReached as limit:
        assert isinstance(limit.result, Result)
        return limit.result


def by_javascript(result: Result, asked: list[Ask]) -> list[Any]:
    question = {
        "raw": str(result.folder / "raw"),
        "manifest": str(result.folder / "manifest.json"),
        "ask": asked,
    }
    done = subprocess.run(
        ["node", SCRIPT], input=json.dumps([question]), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)[0]
    return found


def by_python(result: Result, figure: str, options: Json) -> Json:
    """As figures.mjs has it."""
    given = {key: tuple(value) if key == "at" else value for key, value in options.items()}
    try:
        drawn = DRAW[figure](result, **given)
    except (EmptyFigureError, FigureError) as error:
        return {"error": {"name": type(error).__name__, "message": str(error)}}
    spec, data = vega.split(drawn.to_dict(validate=False))
    bare = {key: item for key, item in spec.items() if key not in FRAME}
    text = json.dumps(
        {"chart": bare, "data": data, "description": spec["description"]}, default=lambda v: v.item()
    )
    plain: Json = json.loads(text)
    return plain


def assert_alike(result: Result, asked: list[Ask]) -> None:
    found = {}
    for (figure, options), theirs in zip(asked, by_javascript(result, asked), strict=True):
        ours = by_python(result, figure, options)
        if texts := differences_of_figures(ours, theirs):
            found[f"{figure} {options}"] = texts
    assert not found


def whole(exp: Experiment) -> list[Ask]:
    """Every figure that this experiment recorded everything for."""
    asked: list[Ask] = [(figure, {}) for figure in DRAW if figure != "time_sequence"]
    captured = {capture.host for capture in exp.capture if capture.interface is None}
    asked += [
        ("time_sequence", {"flow": flow.name})
        for flow in exp.flows
        if flow.sockets().protocol == "tcp" and flow.src in captured
    ]
    return asked


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_figure_of_every_kind_of_experiment(name: str) -> None:
    exp = EXPERIMENTS[name]
    assert_alike(result_of(exp), whole(exp))


PARTS: list[Ask] = [
    ("cwnd", {"start": 0.5, "end": 1.25}),
    ("cwnd", {"flows": ["left-right#2"]}),
    ("cwnd", {"flows": ["left-right#3", "left-right"], "ssthresh": True}),
    ("cwnd", {"ssthresh": False, "start": 1.0}),
    ("goodput", {"interval": 0.3}),
    ("goodput", {"sacked": True}),
    ("goodput", {"flows": ["left-right#2"], "start": 0.2, "end": 1.9}),
    ("rtt", {"end": 0.75}),
    ("queue", {"at": ["r1", "r2"], "start": 0.5}),
    ("queue", {"at": ["r2", "r1"]}),
    ("delay", {"at": ["r1", "r2"], "end": 1.5}),
    ("time_sequence", {"start": 0.25, "end": 0.5}),
    ("time_sequence", {"window": False}),
]
WRONG: list[Ask] = [
    ("cwnd", {"start": 77.5}),
    ("cwnd", {"flows": ["nobody"]}),
    ("goodput", {"start": 1.5, "end": 0.5}),
    ("goodput", {"interval": -0.5}),
    ("queue", {"at": ["left", "nowhere"]}),
    ("delay", {"at": ["r1", "r2"], "start": 99.5}),
    ("time_sequence", {"flow": "nobody"}),
    ("time_sequence", {"start": 55.5, "end": 56.5}),
]


def test_parts_of_time_some_flows_and_other_queues() -> None:
    assert_alike(result_of(EXPERIMENTS["losses"]), PARTS)


def test_what_cannot_be_drawn_is_said_in_the_same_words() -> None:
    result = result_of(EXPERIMENTS["losses"])
    assert all("error" in by_python(result, figure, options) for figure, options in WRONG)
    assert_alike(result, WRONG)


FIGURES_OF = {
    ("tcp_info",): ["cwnd", "goodput", "rtt"],
    ("tcp_probe", "recovery"): ["cwnd", "rtt"],
    ("tcp_probe", "tcp_info"): ["cwnd", "goodput", "rtt"],
    ("tcp_probe", "drops"): ["cwnd", "rtt"],
    ("backlog",): ["queue", "delay"],
    ("backlog", "drops"): ["queue", "delay"],
    ("queue",): ["queue", "delay"],
}


@pytest.mark.parametrize("probes", FIGURES_OF)
@pytest.mark.parametrize("flows", [1, 3])
def test_what_was_recorded_decides_what_a_figure_is_made_of(probes: tuple[str, ...], flows: int) -> None:
    net = dumbbell(rate="10mbit", delay="10ms", queue="20p", loss="1%")
    many = [Flow("left", "right", duration="2s", start=0.1 * i) for i in range(flows)]
    exp = Experiment(net, flows=many, probes=probes)
    assert_alike(result_of(exp), [(figure, {}) for figure in FIGURES_OF[probes]])


def test_a_run_without_traffic_has_nothing_to_draw() -> None:
    net = dumbbell(rate="10mbit", delay="10ms", queue="20p")
    result = result_of(Experiment(net, duration="1s", probes=["tcp_info", "backlog", "queue"]))
    assert_alike(result, [("goodput", {}), ("queue", {}), ("delay", {})])
