"""The explorers of chapters: what labkit's Python shows of a result, and what the page's JavaScript does."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labkit.charts.figure import EmptyFigureError
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.spec.parametrization import variant
from tests.live_chapters.slicing import recording, widget

DUMP = Path(__file__).with_name("dump.mjs")
FRAME = ("$schema", "config", "description", "usermeta", "datasets")
"""Of a chart: what is the same of all runs, words and data."""
RELATIVE = 1e-9

Json = dict[str, Any]


@dataclass(frozen=True)
class Shown:
    """Of one result: the chart without its frame, data, description, summary. error: (name, message), in
    place of a figure."""

    summary: Json
    spec: Json | None = None
    data: dict[str, list[Json]] | None = None
    description: str = ""
    error: tuple[str, str] | None = None


def measured(prefix: str, name: str, exp: Experiment) -> Result:
    """A run with what its chart and summary need recorded from the start."""
    return run(recording(prefix, name, exp))


def at(prefix: str, name: str, values: Mapping[str, Any]) -> Experiment:
    """The experiment with knobs at texts of theirs or at other values; those not named at their defaults."""
    space = widget(prefix, name).space
    turned = {}
    for knob, it in space.knobs.items():
        value = values.get(knob, it.texts[it.default])
        turned[knob] = it.values[it.texts.index(value)] if value in it.texts else value
    return variant(space.source, turned)


def by_python(prefix: str, name: str, result: Result) -> Shown:
    """What a recording would hold."""
    shown = widget(prefix, name)
    with np.errstate(invalid="ignore"):  # of no packets none is lost: "nan"
        summary = shown.summarised(result)
    try:
        spec, data = shown.drawn(result)
    except EmptyFigureError as nothing:
        return Shown(summary, error=(type(nothing).__name__, str(nothing)))
    bare = {key: item for key, item in spec.items() if key not in FRAME}
    plain = json.loads(json.dumps({"spec": bare, "data": data}, default=lambda value: value.item()))
    return Shown(summary, plain["spec"], plain["data"], spec["description"])


@dataclass(frozen=True)
class Question:
    """A result, whose widget's it is, and that widget's chart at its default point."""

    result: Result
    prefix: str
    widget: str
    chart: Json | None


def by_javascript(questions: Sequence[Question]) -> list[Shown]:
    """What the page's modules say to each, by one process for all."""
    asked = [
        {
            "raw": str(q.result.folder / "raw"),
            "manifest": str(q.result.folder / "manifest.json"),
            "chapter": q.prefix,
            "widget": q.widget,
            "values": {},
            "chart": q.chart,
        }
        for q in questions
    ]
    done = subprocess.run(
        ["node", DUMP], input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return [_shown(answer) for answer in json.loads(done.stdout)]


def _shown(answer: Json) -> Shown:
    summary, drawn = answer["summary"], answer["drawn"]
    if "error" in summary:
        raise AssertionError(summary["error"]["stack"])
    if "error" in drawn:
        error = drawn["error"]
        if error["name"] != "EmptyFigureError":
            raise AssertionError(error["stack"])
        return Shown(summary, error=(error["name"], error["message"]))
    spec = {key: item for key, item in drawn["spec"].items() if key not in FRAME}
    return Shown(summary, spec, drawn["data"], drawn["description"])


def differences(python: Shown, javascript: Shown) -> list[str]:
    """What is not the same, in words."""
    found = []
    for what in ("summary", "description", "error", "spec"):
        ours, theirs = getattr(python, what), getattr(javascript, what)
        if ours != theirs:
            found.append(f"{what}: {ours}\n in JavaScript {theirs}")
    if isinstance(python.summary, dict) and list(python.summary) != list(javascript.summary):
        found.append(f"summary: in the order {list(python.summary)}, {list(javascript.summary)}")
    return [*found, *differences_of_data(python.data or {}, javascript.data or {})]


def differences_of_figures(python: Any, javascript: Any) -> list[str]:
    """Of what figures.mjs tells: a figure, an error, or a summary."""
    if not isinstance(python, dict) or "error" in python or "error" in javascript:
        theirs = javascript.get("error", javascript) if isinstance(javascript, dict) else javascript
        ours = python.get("error", python) if isinstance(python, dict) else python
        if (
            isinstance(theirs, dict)
            and "stack" in theirs
            and ours == {key: theirs[key] for key in ("name", "message")}
        ):
            return []
        return [] if ours == theirs else [f"{ours}\n in JavaScript {theirs}"]
    found = [
        f"{what}: {python[what]}\n in JavaScript {javascript[what]}"
        for what in ("description", "chart")
        if python[what] != javascript[what]
    ]
    return [*found, *differences_of_data(python["data"], javascript["data"])]


def differences_of_data(ours: dict[str, list[Json]], theirs: dict[str, list[Json]]) -> list[str]:
    """Datasets by name and in their order, their rows one by one."""
    if list(ours) != list(theirs):
        return [f"datasets {list(ours)}, in JavaScript {list(theirs)}"]
    return [text for name in ours for text in _rows(name, ours[name], theirs[name])]


def _rows(name: str, ours: list[Json], theirs: list[Json]) -> list[str]:
    unlike = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if not _same(a, b)]
    found = [] if len(ours) == len(theirs) else [f"{name}: {len(ours)} rows, in JavaScript {len(theirs)}"]
    if unlike:
        i = unlike[0]
        found.append(
            f"{name}[{i}]: {ours[i]}, in JavaScript {theirs[i]}; so are {len(unlike)} of {len(ours)}"
        )
    return found


def _same(a: Json, b: Json) -> bool:
    return list(a) == list(b) and all(_alike(value, b[key]) for key, value in a.items())


def _alike(a: Any, b: Any) -> bool:
    if (
        isinstance(a, float | int)
        and isinstance(b, float | int)
        and isinstance(a, bool) == isinstance(b, bool)
    ):
        return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=0)
    return bool(a == b and type(a) is type(b))
