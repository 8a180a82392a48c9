"""Claims that hold for every figure: what is stored is valid, small, always the same, and has words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import altair as alt
import jsonschema
import numpy as np
import pandas as pd
import pytest
import vl_convert

from labkit import charts
from labkit.charts import theme
from labkit.charts.accessor import RunCharts
from labkit.spec.topologies import dumbbell, star
from scripts import chart_templates
from tests.ran import Ran, experiment
from tests.unit.charts_data import conversation

ONE = Ran(packets=conversation(400, lost=(100, 101, 250)))
FEW = Ran(packets=conversation(12, lost=(5,)))
MANY = Ran(experiment(8), rows=5000)
SEEDS = pd.DataFrame({"cc": ["reno", "cubic"] * 10, "seed": np.arange(20) // 2, "goodput": np.arange(20) / 7})
PAPER = pd.DataFrame({"case": ["1 %", "5 %"], "published": [3.0, 0.6], "measured": [6.0, 0.9]})
PAPER = PAPER.assign(measured_low=PAPER["measured"] - 0.1, measured_high=PAPER["measured"] + 0.1)

FIGURES: dict[str, Callable[[], Any]] = {
    "cwnd": lambda: charts.cwnd(ONE),
    "cwnd-many": lambda: charts.cwnd(MANY, ssthresh=True),
    "cwnd-runs": lambda: charts.cwnd({"reno": ONE, "cubic": FEW}),
    "cwnd-samples": lambda: charts.cwnd(Ran(experiment(1, ("tcp_info",)))),
    "time-sequence": lambda: charts.time_sequence(ONE),
    "goodput": lambda: charts.goodput(ONE),
    "goodput-many": lambda: charts.goodput(MANY, interval=0.1),
    "share": lambda: charts.share(MANY),
    "queue": lambda: charts.queue(ONE),
    "queue-samples": lambda: charts.queue(Ran(experiment(1, ("backlog",)))),
    "queue-many": lambda: charts.queue(MANY),
    "delay": lambda: charts.delay(ONE),
    "delay-samples": lambda: charts.delay(Ran(experiment(1, ("backlog",)))),
    "rtt": lambda: charts.rtt(ONE),
    "rtt-many": lambda: charts.rtt(MANY),
    "retransmit": lambda: charts.of_probe("retransmit", ONE),
    "retransmit-many": lambda: charts.of_probe("retransmit", {"reno": MANY, "cubic": ONE}),
    "ledger": lambda: charts.ledger(ONE),
    "ladder": lambda: charts.ladder(FEW),
    "distribution": lambda: charts.distribution(SEEDS, "goodput", "cc", unit="Mbit/s"),
    "published": lambda: charts.published(PAPER, "case"),
    "topology": lambda: charts.topology(dumbbell(3, rate="10mbit", delay="10ms", loss="1%")),
    "topology-star": lambda: charts.topology(star("a", "b", "c", rate="1mbit")),
    "noted": lambda: charts.noted(charts.rtt(MANY), {0.5: "here"}, title="Eight of them"),
    "stacked-noted": lambda: charts.stacked(charts.noted(charts.cwnd(ONE), {0.5: "cut"}), charts.rtt(ONE)),
    "stacked": lambda: charts.stacked(charts.cwnd(ONE), charts.queue(ONE), charts.rtt(ONE)),
    "stacked-same": lambda: charts.stacked(charts.cwnd(ONE), charts.cwnd(FEW)),
}
VALID = jsonschema.Draft7Validator(alt.load_schema())
every_figure = pytest.mark.parametrize("name", sorted(FIGURES))


@cache
def spec(name: str) -> dict[str, Any]:
    """As it is stored. Not to be changed."""
    with alt.theme.enable("labkit"):
        found: dict[str, Any] = FIGURES[name]().to_dict()
    return found


def walk(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from walk(value)
    elif isinstance(part, list):
        for value in part:
            yield from walk(value)


def views(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from walk(
        {name: value for name, value in whole.items() if name not in ("datasets", "usermeta", "config")}
    )


def encodings(whole: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in views(whole):
        yield from part.get("encoding", {}).items()


@every_figure
def test_it_is_valid_vega_lite(name: str) -> None:
    assert not list(VALID.iter_errors(spec(name)))


@every_figure
def test_built_twice_it_is_the_same(name: str) -> None:
    with alt.theme.enable("labkit"):
        again = FIGURES[name]().to_dict()
    assert json.dumps(again) == json.dumps(spec(name))


@every_figure
def test_no_name_is_made_up_by_altair(name: str) -> None:
    text = json.dumps(spec(name))
    assert not re.search(r'"(view|param|concat|layer)_\d+"|"data-[0-9a-f]{8,}"', text)


@every_figure
def test_every_view_names_a_dataset_that_is_there(name: str) -> None:
    whole = spec(name)
    named = {part["data"]["name"] for part in views(whole) if "data" in part}
    assert named == set(whole["datasets"])


@every_figure
def test_every_field_is_a_column(name: str) -> None:
    whole = spec(name)
    columns = {column for rows in whole["datasets"].values() for row in rows for column in row}
    columns |= {part["as"] for part in views(whole) if isinstance(part.get("as"), str)}
    assert {
        found["field"] for _, found in encodings(whole) if isinstance(found, dict) and "field" in found
    } <= columns


@every_figure
def test_it_takes_at_most_150_kB(name: str) -> None:  # noqa: N802
    assert len(json.dumps(spec(name)).encode()) <= 150_000


@every_figure
def test_it_has_words_and_a_table(name: str) -> None:
    whole = spec(name)
    words = whole["usermeta"]["labkit"]
    assert words["name"] and words["caption"].endswith(".")
    assert whole["description"].endswith(".")
    assert "nan" not in whole["description"]
    rows = words["table"]["rows"]
    assert 1 <= len(rows) <= 60
    assert {len(row) for row in rows} == {len(words["table"]["columns"])}


@every_figure
def test_its_numbers_are_rounded(name: str) -> None:
    for row in walk(spec(name)["datasets"]):
        for value in row.values():
            assert not isinstance(value, float) or value == round(value, 6)


@every_figure
def test_vega_draws_it_without_complaint(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    svg = vl_convert.vegalite_to_svg(spec(name))
    assert svg.count("aria-roledescription") > 3
    assert "NaN" not in svg and "undefined" not in svg
    assert "WARN" not in capfd.readouterr().err


@every_figure
def test_no_colour_of_text_axes_or_background_is_stored(name: str) -> None:
    whole = spec(name)
    assert whole["config"]["background"] == "transparent"
    painted = [
        key
        for part in walk(whole["config"])
        for key in part
        if re.search(r"(label|title|domain|tick|grid)Color", key)
    ]
    assert not painted
    texts = [part["mark"] for part in views(whole) if isinstance(part.get("mark"), dict)]
    assert not [mark for mark in texts if mark["type"] == "text" and "color" in mark]


@every_figure
def test_the_axis_of_a_quantity_says_its_unit(name: str) -> None:
    titles = {
        found["title"]
        for channel, found in encodings(spec(name))
        if channel in ("x", "y") and found.get("type") == "quantitative" and found.get("title")
    }
    assert all(
        re.search(r"\((s|ms|packets|bytes|Mbit/s)\)$", title) or title.startswith("Share") for title in titles
    )
    assert titles or name.startswith("topology")


OVER_TIME = ["cwnd-many", "goodput-many", "share", "rtt-many", "cwnd-runs"]


@pytest.mark.parametrize("name", OVER_TIME)
def test_series_differ_by_colour_and_dash(name: str) -> None:
    whole = spec(name)
    line = next(
        part for part in views(whole) if isinstance(part.get("mark"), dict) and part["mark"]["type"] == "line"
    )
    color, dash = (line["encoding"][channel]["scale"] for channel in ("color", "strokeDash"))
    assert color["domain"] == dash["domain"]
    looks = list(zip(color["range"], map(tuple, dash["range"]), strict=True))
    assert len(set(looks)) == len(looks) >= 2


@pytest.mark.parametrize("name", ["ledger", "published"])
def test_points_differ_by_colour_and_shape(name: str) -> None:
    points = [part for part in views(spec(name)) if "shape" in part.get("encoding", {})]
    scales = [[part["encoding"][channel]["scale"] for channel in ("color", "shape")] for part in points]
    assert scales
    for color, shape in scales:
        assert color["domain"] == shape["domain"]
        assert len(set(shape["range"])) == len(shape["range"]) == len(color["range"])


def test_a_caption_can_be_given() -> None:
    whole = charts.cwnd(ONE, caption="Mine.").to_dict()
    assert whole["usermeta"]["labkit"]["caption"] == "Mine."


def test_a_result_has_its_figures_as_methods() -> None:
    mine = RunCharts(FEW)
    for name in (
        "cwnd",
        "time_sequence",
        "goodput",
        "share",
        "queue",
        "delay",
        "rtt",
        "ledger",
        "ladder",
        "topology",
    ):
        assert getattr(mine, name)().to_dict() == getattr(charts, name)(FEW).to_dict()


def test_all_names_of_the_package_are_there() -> None:
    assert all(hasattr(charts, name) for name in charts.__all__)
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        charts.pie  # noqa: B018


def test_pages_have_the_drawings_as_they_are() -> None:
    current = chart_templates.FILE.read_text() == chart_templates.text()
    assert current, "run: python -m scripts.chart_templates"


def test_figures_stacked_share_their_time_and_keep_their_data() -> None:
    whole = spec("stacked-same")
    assert whole["resolve"]["scale"]["x"] == "shared"
    assert {"1-cwnd", "2-cwnd"} <= set(whole["datasets"])
    assert whole["datasets"]["1-cwnd"] == spec("cwnd")["datasets"]["cwnd"]
    with pytest.raises(charts.FigureError, match="1 figures: give two or more"):
        charts.stacked(charts.cwnd(ONE))


def luminance(color: str) -> float:
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("page", ["#ffffff", "#121212", "#14181e"])
@pytest.mark.parametrize("color", [*theme.COLORS, theme.GREY])
def test_a_mark_has_contrast_on_light_and_dark_pages(color: str, page: str) -> None:
    dark, light = sorted((luminance(color), luminance(page)))
    assert (light + 0.05) / (dark + 0.05) >= 3


def test_35_series_look_different_from_each_other() -> None:
    names = [f"flow {i}" for i in range(35)]
    colors = theme.color("series", names).to_dict()["scale"]["range"]
    dashes = theme.dash("series", names).to_dict()["scale"]["range"]
    assert len({(color, tuple(dash)) for color, dash in zip(colors, dashes, strict=True)}) == 35
