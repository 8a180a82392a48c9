"""Names at the ends of curves, and words at moments of a curve: where they stand as Vega lays them out."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import altair as alt
import pandas as pd
import pytest
import vl_convert

from labkit import charts
from labkit.charts import direct, lines
from labkit.charts.figure import layered
from tests.ran import Ran, experiment

MANY = Ran(experiment(8), rows=500)
HEIGHT = 220


def drawn(ends: dict[str, float]) -> dict[str, float]:
    """Curves that end so, to the height of each name (pixels from above)."""
    rows = [{"time_s": at, "series": name, "ms": end} for name, end in ends.items() for at in (0, 10)]
    chart = lines.framed(layered(*lines.curves("some", "some", "ms", "RTT (ms)", list(ends))), "Some")
    chart.datasets = {"some": rows}
    svg = vl_convert.vegalite_to_svg(chart.to_dict())
    found = re.findall(r'text-anchor="start" transform="translate\(([\d.]+),([-\d.]+)\)"[^>]*>([^<]+)<', svg)
    return {text: float(y) for x, y, text in found if text in ends and float(x) > 600}


def test_each_name_is_beside_the_end_of_its_curve() -> None:
    heights = drawn({"low": 0.0, "middle": 50.0, "high": 100.0})
    assert heights["low"] == pytest.approx(HEIGHT, abs=6)  # the middle of the text, to its baseline
    assert heights["middle"] == pytest.approx(HEIGHT / 2, abs=6)
    assert heights["high"] == pytest.approx(0, abs=6)


@pytest.mark.parametrize(
    "ends",
    [
        [1.0, 1.0],
        [0.0, 0.0, 0.0, 100.0],
        [99.0, 100.0, 100.0, 100.0, 98.0, 100.0],
        [5.0, 6.0, 30.0, 31.0, 32.0, 90.0],
    ],
)
def test_names_do_not_cover_each_other_and_keep_their_order(ends: list[float]) -> None:
    named = {f"series {i}": end for i, end in enumerate(ends)}
    heights = drawn(named)
    assert heights.keys() == named.keys()
    order = sorted(named, key=lambda name: (-named[name], heights[name]))
    rows = [heights[name] for name in order]
    assert all(b - a >= 12 for a, b in pairwise(rows)), heights


def legends(chart: alt.LayerChart) -> list[Any]:
    layers = chart.to_dict(validate=False)["layer"]
    return [layer["encoding"][channel]["legend"] for layer in layers for channel in ("color", "strokeDash")]


def test_one_curve_has_no_name_and_too_many_have_a_legend() -> None:
    for count in (1, direct.MOST + 1):
        names = [f"series {i}" for i in range(count)]
        (only,) = lines.curves("some", "some", "ms", "RTT (ms)", names)
        assert [legend is None for legend in legends(layered(only))] == [count == 1] * 2


def row(**given: Any) -> dict[str, Any]:
    (found,) = charts.noted(charts.rtt(MANY), **given).datasets["notes"]
    return dict(found)


def values(series: str) -> pd.DataFrame:
    table = pd.DataFrame(charts.rtt(MANY).datasets["rtt"])
    return table[table["series"] == series]


def test_a_note_is_at_its_curve_and_above_all_of_them() -> None:
    series = charts.rtt(MANY).datasets["rtt"][-1]["series"]
    mine = values(series)
    at = float(mine["time_s"].iloc[len(mine) // 2])
    found = row(notes={at: "a word"}, series=series)
    assert found["value"] == mine.loc[mine["time_s"] <= at, "ms"].iloc[-1]
    every = pd.DataFrame(charts.rtt(MANY).datasets["rtt"])
    near = every[(every["time_s"] - at).between(0, 0.05)]
    assert found["over"] >= max(near["ms"].max(), found["value"])


def test_a_note_near_the_end_is_written_to_the_left() -> None:
    first = values(charts.rtt(MANY).datasets["rtt"][0]["series"])
    assert row(notes={float(first["time_s"].iloc[-1]): "at the end"})["side"] == "left"
    assert row(notes={float(first["time_s"].iloc[0]): "at the start"})["side"] == "right"


def test_notes_of_one_moment_do_not_cover_each_other() -> None:
    at = float(values(charts.rtt(MANY).datasets["rtt"][0]["series"])["time_s"].iloc[0])
    some = {at + i * 1e-5: "several words" for i in range(5)}
    heights = sorted(note["over"] for note in charts.noted(charts.rtt(MANY), some).datasets["notes"])
    highest = max(one["ms"] for one in charts.rtt(MANY).datasets["rtt"])
    assert all(b - a > 16 / HEIGHT * highest for a, b in pairwise(heights))


def test_notes_and_title_are_in_the_description() -> None:
    figure = charts.noted(charts.cwnd(MANY), {0.5: "slow start"}, title="A finding")
    assert figure.title == "A finding"
    assert figure.description.startswith("A finding. ")
    assert figure.description.endswith("Noted at 0.5 s: slow start.")


def test_a_note_where_no_curve_is() -> None:
    with pytest.raises(charts.FigureError, match="has nothing at 1000 s: it goes from"):
        charts.noted(charts.rtt(MANY), {1000: "too late"})
    with pytest.raises(charts.FigureError, match="no curve 'reno': there are"):
        charts.noted(charts.rtt(MANY), {0.5: "whose"}, series="reno")
    with pytest.raises(charts.FigureError, match="no curve over time"):
        charts.noted(charts.topology(experiment(1).topology), {0.5: "what"})
