"""What a reader said against what was measured, in words and as a chart. Knows no widget, runs nothing."""

from __future__ import annotations

from typing import Any

import altair as alt

from labkit.charts import theme
from labkit.charts.words import number
from labkit.widgets.overlay import Json

# Upper bound of measured / said, and what to say of it: halfway between two phrases, as ratios go.
RATIOS: tuple[tuple[float | None, str], ...] = (
    (1 / 75, "a hundredth of it, or less"),
    (1 / 30, "fifty times less"),
    (1 / 14, "twenty times less"),
    (1 / 7, "ten times less"),
    (1 / 4.5, "a fifth of it"),
    (1 / 3.5, "a quarter of it"),
    (1 / 2.5, "a third of it"),
    (1 / 1.75, "half of it"),
    (1 / 1.25, "two thirds of it"),
    (1 / 1.05, "a little less"),
    (1.05, "right, within 5 %"),
    (1.25, "a little more"),
    (1.75, "half as much again"),
    (2.5, "twice as much"),
    (3.5, "three times as much"),
    (4.5, "four times as much"),
    (7, "five times as much"),
    (14, "ten times as much"),
    (30, "twenty times as much"),
    (75, "fifty times as much"),
    (None, "a hundred times as much, or more"),
)
NEAR = ("right", "exactly", "a little")
YOU, MEASURED = "you", "measured"
DATA = "answers"


def difference(said: float, measured: float, unit: str = "") -> str:
    """How far the measured value is from what was said."""
    if said == measured:
        return "exactly right"
    if said * measured <= 0:
        more = "more" if measured > said else "less"
        return f"{quantity(abs(measured - said), unit)} {more}"
    ratio = measured / said
    return next(text for bound, text in RATIOS if bound is None or ratio < bound)


def quantity(value: float, unit: str) -> str:
    """ "9.5 Mbit/s"."""
    return f"{number(value)} {unit}".rstrip()


def of_value(said: float, measured: float, unit: str) -> str:
    """One sentence on a value."""
    how = difference(said, measured, unit)
    return f"You said {quantity(said, unit)}; measured {quantity(measured, unit)}: {how}."


def of_choice(said: str, measured: str) -> str:
    """One sentence on a choice."""
    if said == measured:
        return f"You said {said}, and so it is."
    return f"You said {said}; measured: {measured}."


def of_curve(x_title: str, x: list[str], said: list[float], measured: list[float], unit: str) -> str:
    """Where it was farthest off, and how often it was near: within a quarter, as `RATIOS` has it."""
    how = [difference(s, m) for s, m in zip(said, measured, strict=True)]
    near = sum(one.startswith(NEAR) for one in how)
    off = max(range(len(x)), key=lambda i: abs(said[i] - measured[i]))
    farthest = of_value(said[off], measured[off], unit).removeprefix("You").strip()
    place = f"{x_title or 'x'} is {x[off]}"
    return f"Near at {near} of {len(x)} points. Farthest off where {place}: you {farthest}"


def value_chart(title: str, unit: str, spread: str = "") -> Json:
    """Two bars; data: rows of who, value. spread: a dataset of the same, drawn as ticks."""
    axis = f"{title} ({unit})" if title and unit else title or unit
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
