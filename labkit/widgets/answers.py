"""What a reader said beside what was measured, as a chart. Knows no widget, runs nothing."""

from __future__ import annotations

from typing import Any

import altair as alt

from labkit.charts import theme
from labkit.charts.words import number
from labkit.widgets.drawing import Json

YOU, MEASURED = "you", "measured"
DATA = "answers"


def quantity(value: float, unit: str) -> str:
    """ "9.5 Mbit/s"."""
    return f"{number(value)} {unit}".rstrip()


def axis_title(title: str, unit: str) -> str:
    """ "Goodput (Mbit/s)"; one of them alone if that is all, or if they say the same."""
    return f"{title} ({unit})" if title and unit and title != unit else title or unit


def value_chart(title: str, unit: str, spread: str = "") -> Json:
    """Two bars; data: rows of who, value. spread: a dataset of the same, drawn as ticks."""
    axis = axis_title(title, unit)
    across = alt.X("value:Q").title(axis or None).scale(zero=True)
    down = alt.Y("who:N").title(None).sort([YOU, MEASURED])
    chart: Any = (
        alt.Chart(alt.NamedData(DATA))
        .mark_bar()
        .encode(across, down, theme.color("who", [YOU, MEASURED], legend=None))
    )
    if spread:
        ticks = alt.Chart(alt.NamedData(spread)).mark_tick(thickness=2, color="black", opacity=0.6)
        chart = chart + ticks.encode(across, down)
    return _spec(chart.properties(width=500, height=70))


def curve_chart(x: list[Any], x_title: str, y_title: str, low: float, high: float, spread: str = "") -> Json:
    """Points joined by lines; data: rows of who, x, value. Numbers have a true scale, texts a step each.
    spread: a dataset of x, low, high, drawn as a band."""
    true_scale = all(isinstance(one, int | float) for one in x)
    across = alt.X("x:Q").axis(values=x) if true_scale else alt.X("x:O").sort(None).axis(labelAngle=0)
    ends = [min(x), max(x)] if true_scale else x
    across = across.title(x_title or None).scale(domain=ends)
    scale = alt.Scale(domain=[low, high])
    chart: Any = (
        alt.Chart(alt.NamedData(DATA))
        .mark_line(point={"size": 70})
        .encode(
            across,
            alt.Y("value:Q").title(y_title or None).scale(scale),
            theme.color("who", [YOU, MEASURED]),
            theme.dash("who", [YOU, MEASURED]),
        )
    )
    if spread:
        band = alt.Chart(alt.NamedData(spread)).mark_area(opacity=0.25, color=theme.VERMILLION, clip=True)
        chart = (
            band.encode(across, alt.Y("low:Q").title(y_title or None).scale(scale), alt.Y2("high:Q")) + chart
        )
    return _spec(chart.properties(width=500, height=240))


def _spec(chart: Any) -> Json:
    spec: Json = chart.to_dict()
    return spec
