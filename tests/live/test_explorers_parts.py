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
from tests.live import recorded

SCRIPT = Path(__file__).with_name("parity.mjs")
EXPLORERS = list(recorded.bundles(recorded.EXPLORER))
IDS = [f"{stem.partition('-')[0]}-{bundle[recorded.EXPLORER]['name']}" for stem, bundle in EXPLORERS]
Json = dict[str, Any]


def in_node(*cases: tuple[str, list[Any]]) -> list[Any]:
    """What book/live/widgets answers to these calls."""
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


@pytest.mark.parametrize(("stem", "bundle"), EXPLORERS, ids=IDS)
def test_the_frame_of_all_runs_is_the_recorded_one(stem: str, bundle: Json) -> None:
    held = bundle[recorded.EXPLORER]
    [[runs, spec]] = in_node(("frame", [recorded.default_chart(bundle)]))
    assert runs == held["runs"]
    assert spec == held["spec"], stem


@pytest.mark.parametrize(("stem", "bundle"), EXPLORERS, ids=IDS)
def test_a_chart_that_differs_is_patched_as_labkit_does_it(stem: str, bundle: Json) -> None:
    chart = recorded.default_chart(bundle)
    others = [chart, *(otherwise(chart, seed) for seed in range(8))]
    runs = bundle[recorded.EXPLORER]["runs"]
    found = in_node(
        *(("patches", [chart, other, runs]) for other in others),
        *(("diff", [chart, other]) for other in others),
        *(("changed", [chart, payload.diff(chart, other)]) for other in others),
    )
    count = len(others)
    assert found[:count] == [payload.patches(chart, other, runs) for other in others], stem
    assert found[count : 2 * count] == [payload.diff(chart, other) for other in others]
    assert found[2 * count :] == others


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


@pytest.mark.parametrize(("stem", "bundle"), EXPLORERS, ids=IDS)
def test_rows_are_packed_and_thinned_as_labkit_does_it(stem: str, bundle: Json) -> None:
    held, chart = bundle[recorded.EXPLORER], recorded.default_chart(bundle)
    points = [point["data"] for point in held["points"].values() if "data" in point]
    packed = [one for data in points[:3] for one in data.values()]
    tables = [rows_of(one) for one in packed]
    fields = payload.x_fields(chart)
    found = in_node(
        ("xFields", [chart]),
        *(("columns", [rows]) for rows in tables),
        *(("fewer", [rows, most, sorted(fields)]) for rows in tables for most in (60, 200)),
    )
    assert found[0] == sorted(fields)
    assert [rows_of(one) for one in found[1 : 1 + len(tables)]] == tables, stem
    thinned = [payload.fewer(rows, most, fields) for rows in tables for most in (60, 200)]
    assert found[1 + len(tables) :] == thinned


def test_floats_are_rounded_and_what_is_no_number_is_missing() -> None:
    rows = [{"x": 1.23456789, "y": 1e-7 / 3, "flow": "a"}, {"x": 2.0, "y": math.pi * 1e6, "flow": "a"}]
    [found] = in_node(("columns", [rows]))
    assert rows_of(found) == rows_of(payload.columns(rows))
    [missing] = in_node(("columns", [[{"x": 1, "more": 2}, {"x": None}]]))
    assert missing == {"": 2, "x": {"n": "1 -"}, "more": {"n": "2 -"}}


def test_what_is_typed_and_how_a_slider_goes_on_between_recorded_points() -> None:
    """scale.test.mjs and seeds, by node's own runner."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    tests = sorted(SCRIPT.parent.glob("*.test.mjs"))
    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, check=False, timeout=60)
    assert tests
    assert done.returncode == 0, done.stdout
