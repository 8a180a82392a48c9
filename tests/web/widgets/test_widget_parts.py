"""What widgets are drawn with: runs laid over each other, rows unpacked and thinned, words, knobs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from labkit.charts.vega import split
from labkit.widgets import payload
from tests.ran import Ran, made, saw
from tests.web.widgets import recorded

SCRIPT = Path(__file__).with_name("parts.mjs")
EXPLORERS = list(recorded.bundles(recorded.EXPLORER))
IDS = [f"{stem.partition('-')[0]}-{bundle[recorded.EXPLORER]['name']}" for stem, bundle in EXPLORERS]
MOST = (60, 200)
"""Rows to which tables are thinned."""
NODE_TESTS = ("ahead", "answer_words", "dots", "latest", "points", "runs", "scale", "spelled")

Json = dict[str, Any]

every_explorer = pytest.mark.parametrize(("bundle"), [bundle for _, bundle in EXPLORERS], ids=IDS)


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


@every_explorer
def test_rows_are_unpacked_as_they_were_packed_and_thinned_as_labkit_does_it(bundle: Json) -> None:
    fields = payload.x_fields(recorded.default_chart(bundle))
    points = [point["data"] for point in bundle[recorded.EXPLORER]["points"].values() if "data" in point]
    packed = [one for data in points[:3] for one in data.values()]
    tables = in_node(*(("rows", [columns]) for columns in packed))
    assert [payload.columns(rows) for rows in tables] == packed
    cases = [(rows, most) for rows in tables for most in MOST]
    [found_fields, *thinned] = in_node(
        ("xFields", [recorded.default_chart(bundle)]),
        *(("fewer", [rows, most, sorted(fields)]) for rows, most in cases),
    )
    assert found_fields == sorted(fields)
    assert thinned == [payload.fewer(rows, most, fields) for rows, most in cases]


def points(*charts: alt.typing.ChartType) -> list[Json]:
    """Runs, as an explorer draws them."""
    pairs = [split(chart.to_dict()) for chart in charts]
    return [{"summary": [], "chart": payload.bare(spec), "data": data} for spec, data in pairs]


def drawn(runs: list[Json]) -> str:
    """The picture of these runs, the first being the current one."""
    [found] = in_node(("together", [runs]))
    return str(vl_convert.vegalite_to_svg({**found["spec"], "datasets": found["data"]}))


def test_earlier_runs_are_drawn_dashed_behind_the_current_one() -> None:
    svg = drawn(points(*(saw(Ran(made(loss=loss))) for loss in ("0%", "1%", "5%"))))
    assert svg.count('stroke-dasharray="6,3"') == svg.count('stroke-dasharray="2,3"') == 2  # two lines a run
    assert svg.count("role-legend-entry") == 1
    assert "dasharray" not in drawn(points(saw(Ran(made()))))


@every_explorer
def test_recorded_runs_are_laid_over_each_other(bundle: Json) -> None:
    held = bundle[recorded.EXPLORER]
    runs = [
        {**point, "chart": held["charts"][point["chart"]]}
        for point in held["points"].values()
        if "data" in point
    ][:3]
    rows = iter(in_node(*(("rows", [columns]) for run in runs for columns in run["data"].values())))
    laid = [{**run, "data": {name: next(rows) for name in run["data"]}} for run in runs]
    [can] = in_node(("canOverlay", [laid[0]["chart"]]))
    assert can
    assert len(drawn(laid)) > len(drawn(laid[:1]))


def test_a_chart_that_names_data_of_none_is_drawn_empty() -> None:
    [found] = in_node(("together", [[{"chart": {"data": {"name": "lost"}, "mark": "tick"}, "data": {}}]]))
    assert found["data"] == {"lost": []}


def test_parts_of_a_stack_are_overlaid_one_by_one_and_facets_are_not() -> None:
    one = alt.Chart(alt.NamedData("cwnd")).mark_line().encode(x="t:Q", y="cwnd:Q")
    spec, _ = split(alt.vconcat(one, one).to_dict())
    table = pd.DataFrame({"x": [0, 1], "y": [0, 1], "flow": ["a", "b"]})
    facets, _ = split(alt.Chart(table).mark_bar().encode(x="x", y="y", row="flow").to_dict())
    runs = [{"chart": spec, "data": {"cwnd": []}}] * 2
    can, cannot, both = in_node(("canOverlay", [spec]), ("canOverlay", [facets]), ("together", [runs]))
    assert (can, cannot) == (True, False)
    assert [len(part["layer"]) for part in both["spec"]["vconcat"]] == [2, 2]


def test_words_knobs_and_the_rest() -> None:
    """By node's own runner."""
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    tests = [SCRIPT.with_name(f"{name}.test.mjs") for name in NODE_TESTS]
    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout


def test_the_scripts_of_site_and_notebook_are_made_of_what_is_there() -> None:
    web = SCRIPT.parents[3] / "web"
    if not (web / "node_modules/esbuild").is_dir():
        pytest.skip("no esbuild here: scripts/setup.sh check")
    done = subprocess.run(
        ["node", "build.mjs", "--check"], cwd=web, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
