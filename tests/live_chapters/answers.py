"""Predictions of chapters: what labkit's Python measures and draws, and what the page's JavaScript does."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.charts import vega
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.widgets.question import Question
from tests.live_chapters.slicing import recording, widget

ANSWERS = Path(__file__).with_name("answers.mjs")
FRAME = ("$schema", "config", "description", "usermeta", "datasets")
RELATIVE = 1e-9

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """measured: as `measure` gives it. chart: without frame, data and words."""

    measured: Any
    chart: Json | None
    data: dict[str, list[Json]] | None
    description: str


def recorded(prefix: str, name: str, seed: int = 0) -> list[Result]:
    """The widget's runs, with what it needs recorded from the start. seed: is added to each one's own."""

    def seeded(exp: Experiment) -> Experiment:
        return exp.replace(seed=exp.seed + seed)

    return [run(recording(prefix, name, seeded(exp))) for exp in widget(prefix, name).experiments]


def by_python(prefix: str, name: str, results: list[Result]) -> Answer:
    """What a notebook shows."""
    asked: Question = widget(prefix, name)
    measured = asked.measure(asked._together(results))
    plain = getattr(measured, "tolist", lambda: measured)()
    if asked.chart is None:
        return Answer(plain, None, None, "")
    spec, data = vega.split(asked.chart(asked._together(results)).to_dict())
    bare = {key: item for key, item in spec.items() if key not in FRAME}
    told = json.loads(json.dumps({"spec": bare, "data": data}, default=lambda value: value.item()))
    return Answer(plain, told["spec"], told["data"], spec["description"])


@dataclass(frozen=True)
class Asked:
    """A widget, its results, and the chart of what was recorded."""

    prefix: str
    name: str
    results: Sequence[Result]
    chart: Json | None


def by_javascript(asked: Sequence[Asked]) -> list[Answer]:
    """What the page's modules say to each, by one process for all. Raises AssertionError with their stack."""
    questions = [
        {
            "chapter": one.prefix,
            "widget": one.name,
            "results": [
                {"raw": str(r.folder / "raw"), "manifest": str(r.folder / "manifest.json")}
                for r in one.results
            ],
            "one": not isinstance(widget(one.prefix, one.name)._together(list(one.results)), list),
            "chart": one.chart,
        }
        for one in asked
    ]
    done = subprocess.run(
        ["node", ANSWERS],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [_answer(told) for told in json.loads(done.stdout)]


def _answer(told: Json) -> Answer:
    measured, drawn = told["measured"], told["drawn"]
    for one in (measured, drawn):
        if isinstance(one, dict) and "error" in one:
            raise AssertionError(one["error"]["stack"])
    if drawn is None:
        return Answer(measured, None, None, "")
    chart = {key: item for key, item in drawn["spec"].items() if key not in FRAME}
    return Answer(measured, chart, drawn["data"], drawn["description"])


def differences(python: Answer, javascript: Answer) -> list[str]:
    """What is not the same, in words: numbers to a billionth of themselves, the rest exactly."""
    found = []
    for what in ("measured", "description", "chart", "data"):
        ours, theirs = getattr(python, what), getattr(javascript, what)
        if ours != theirs and not (what in ("measured", "data") and _same(ours, theirs)):
            found.append(f"{what}: {ours}\n in JavaScript {theirs}")
    return found


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float | int) and isinstance(b, float | int):
        return isinstance(a, bool) == isinstance(b, bool) and math.isclose(a, b, rel_tol=RELATIVE)
    return bool(a == b and type(a) is type(b))
