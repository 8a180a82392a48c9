"""What a live run adds to a recorded explorer: the page makes it as labkit does, over all charts."""

from __future__ import annotations

import copy
import json
import math
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit.widgets import payload
from tests.web.widgets import recorded

SCRIPT = Path(__file__).with_name("parity.mjs")
EXPLORERS = list(recorded.bundles(recorded.EXPLORER))
IDS = [f"{stem.partition('-')[0]}-{bundle[recorded.EXPLORER]['name']}" for stem, bundle in EXPLORERS]
MOST = (60, 200)
"""Rows to which tables are thinned."""
Json = dict[str, Any]
Answers = dict[str, dict[str, list[Any]]]

every_explorer = pytest.mark.parametrize(
    ("ident", "bundle"), [(ident, bundle) for ident, (_, bundle) in zip(IDS, EXPLORERS, strict=True)], ids=IDS
)


def in_node(*cases: tuple[str, list[Any]]) -> list[Any]:
    """What web/widgets answers to these calls."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    given = json.dumps([{"call": call, "arguments": arguments} for call, arguments in cases])
    done = subprocess.run(
        ["node", SCRIPT], input=given, capture_output=True, text=True, check=True, timeout=60
    )
    found: list[Any] = json.loads(done.stdout)
    return found


def places(part: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every path into a chart."""
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def otherwise(chart: Json, seed: int) -> Json:
    """The chart as another run might have it: a title, an axis, a mark or a layer is not as it was."""
    draw = random.Random(seed)
    changed: Any = copy.deepcopy(chart)
    for _ in range(draw.randint(1, 4)):
        *outer, last = draw.choice(list(places(changed)))
        part = changed
        for step in outer:
            part = part[step]
        kind = draw.choice(["number", "text", "list", "drop"])
        structural = isinstance(part[last], dict | list) or last in (
            "mark",
            "type",
            "field",
            "name",
            "$schema",
        )
        if structural:
            if last == "layer" and len(part[last]) > 1:
                part[last] = part[last][:-1]
        elif kind == "drop" and isinstance(part, dict):
            del part[last]
        else:
            part[last] = {"number": draw.random(), "text": "otherwise", "list": [1, 2, None]}.get(kind, 0)
    return changed


def rows_of(packed: Json) -> list[Json]:
    """As explorer.js unpacks them."""
    count, columns = packed[""], {}
    for name, held in packed.items():
        if name == "":
            continue
        if isinstance(held, list):
            columns[name] = held
        elif "is" in held:
            columns[name] = [held["is"]] * count
        elif "of" in held:
            columns[name] = [held["of"][int(i)] for i in held["at"].split()]
        else:
            columns[name] = [None if n == "-" else json.loads(n) for n in held["n"].split()]
    return [{name: values[i] for name, values in columns.items()} for i in range(count)]


Calls = list[tuple[str, list[Any]]]


def others(chart: Json) -> list[Json]:
    """The chart, and as it might be after other runs."""
    return [chart, *(otherwise(chart, seed) for seed in range(8))]


def tables(bundle: Json) -> list[list[Json]]:
    """Recorded rows of the explorer's first points."""
    points = [point["data"] for point in bundle[recorded.EXPLORER]["points"].values() if "data" in point]
    return [rows_of(one) for data in points[:3] for one in data.values()]


def calls(bundle: Json) -> dict[str, Calls]:
    """What is asked of the page's modules about an explorer."""
    chart, runs = recorded.default_chart(bundle), bundle[recorded.EXPLORER]["runs"]
    changed = others(chart)
    fields = sorted(payload.x_fields(chart))
    return {
        "frame": [("frame", [chart])],
        "patches": [("patches", [chart, other, runs]) for other in changed],
        "diff": [("diff", [chart, other]) for other in changed],
        "changed": [("changed", [chart, payload.diff(chart, other)]) for other in changed],
        "fields": [("xFields", [chart])],
        "columns": [("columns", [rows]) for rows in tables(bundle)],
        "fewer": [("fewer", [rows, most, fields]) for rows in tables(bundle) for most in MOST],
    }


@pytest.fixture(scope="module")
def answers() -> Answers:
    """What they answer, by explorer: one process of node for all."""
    asked = {ident: calls(bundle) for ident, (_, bundle) in zip(IDS, EXPLORERS, strict=True)}
    found = iter(in_node(*(call for of in asked.values() for one in of.values() for call in one)))
    return {
        ident: {what: [next(found) for _ in one] for what, one in of.items()} for ident, of in asked.items()
    }


@every_explorer
def test_the_frame_of_all_runs_is_the_recorded_one(answers: Answers, ident: str, bundle: Json) -> None:
    held = bundle[recorded.EXPLORER]
    assert answers[ident]["frame"] == [[held["runs"], held["spec"]]]


@every_explorer
def test_a_chart_that_differs_is_patched_as_labkit_does_it(
    answers: Answers, ident: str, bundle: Json
) -> None:
    chart, runs = recorded.default_chart(bundle), bundle[recorded.EXPLORER]["runs"]
    changed = others(chart)
    assert answers[ident]["patches"] == [payload.patches(chart, other, runs) for other in changed]
    assert answers[ident]["diff"] == [payload.diff(chart, other) for other in changed]
    assert answers[ident]["changed"] == changed


@every_explorer
def test_rows_are_packed_and_thinned_as_labkit_does_it(answers: Answers, ident: str, bundle: Json) -> None:
    fields = payload.x_fields(recorded.default_chart(bundle))
    assert answers[ident]["fields"] == [sorted(fields)]
    assert [rows_of(one) for one in answers[ident]["columns"]] == tables(bundle)
    thinned = [payload.fewer(rows, most, fields) for rows in tables(bundle) for most in MOST]
    assert answers[ident]["fewer"] == thinned


def test_floats_are_rounded_and_what_is_no_number_is_missing() -> None:
    rows = [{"x": 1.23456789, "y": 1e-7 / 3, "flow": "a"}, {"x": 2.0, "y": math.pi * 1e6, "flow": "a"}]
    [found] = in_node(("columns", [rows]))
    assert rows_of(found) == rows_of(payload.columns(rows))
    [missing] = in_node(("columns", [[{"x": 1, "more": 2}, {"x": None}]]))
    assert missing == {"": 2, "x": {"n": "1 -"}, "more": {"n": "2 -"}}


def test_what_is_typed_and_how_a_slider_goes_on_between_recorded_points() -> None:
    """By node's own runner."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    tests = [SCRIPT.with_name(f"{name}.test.mjs") for name in ("latest", "runs", "scale")]
    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout
