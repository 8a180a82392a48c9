"""A measure over a parameter: its mean and 95 % confidence interval at each value, one series or several."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from labkit.charts import incomplete, theme, words
from labkit.charts.figure import (
    About,
    check_columns,
    filled,
    finish,
    layered,
    records,
    rounded,
    view,
)

_DIGITS = 4
_X_DIGITS = 6


def swept(
    table: pd.DataFrame,
    x: str,
    series: str | None = None,
    *,
    what: str = "goodput",
    unit: str = "Mbit/s",
    x_unit: str = "",
    interval: str = "Student's t",
    title: str | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Means over the values of a parameter, with their intervals.

    table: one row per value and series, with columns x (numbers or texts), `series`, n, mean, low and high;
    low and high NaN: no interval there; `incomplete`, if there is such a column: in how many of the n runs a
    flow was cut, which makes the point hollow. what, in `unit`: what the means are of; x_unit: "share" is
    shown in percent. interval: how it was had. Raises EmptyFigureError, FigureError.
    """
    check_columns(table, (x, *([series] if series else []), "n", "mean", "low", "high"), "swept")
    numeric = pd.api.types.is_numeric_dtype(table[x]) and not pd.api.types.is_bool_dtype(table[x])
    points = pd.DataFrame(
        {
            "x": table[x].astype("float64") if numeric else table[x].astype("str"),
            "series": table[series].astype("str") if series else "",
            **{name: table[name] for name in ("n", "mean", "low", "high")},
            incomplete.COLUMN: incomplete.of(table),
        }
    ).dropna(subset="mean")
    filled(points, "swept", "no value of the parameter has a mean", "look at the errors of the sweep's runs")
    shown = rounded(points, **dict.fromkeys(("mean", "low", "high"), _DIGITS))
    shown = rounded(shown, x=_X_DIGITS) if numeric else shown
    names = list(dict.fromkeys(shown["series"]))
    y = f"{what} ({unit})" if unit else what
    over = f"{x} ({x_unit})" if x_unit not in ("", "share") else x
    cut = shown[incomplete.COLUMN]
    said = caption or f"{y} over {over}: means, and their 95 % confidence intervals ({interval})."
    behind = shown if cut.any() else shown.drop(columns=incomplete.COLUMN)
    about = About(
        "swept",
        incomplete.caption(said, cut),
        describe(shown, y, over, percent=x_unit == "share"),
        behind.rename(columns={"x": over, "low": "95 % from", "high": "95 % to", "mean": f"mean {y}"}),
    )
    axis = _axis(list(dict.fromkeys(shown["x"])), over, numeric=numeric, percent=x_unit == "share")
    has = bool(shown["low"].notna().any())
    chart = _draw(axis, names, over, y, cut, numeric=numeric, intervals=has)
    chart = chart.properties(
        width=theme.WIDTH, height=theme.HEIGHT, title=title or f"{what[:1].upper()}{what[1:]} over {x}"
    )
    return finish(chart, about, {"swept": shown})


def describe(points: pd.DataFrame, y: str, over: str, *, percent: bool = False) -> str:
    """What the figure shows: each series from its first value to its last."""
    said = []
    for name, part in points.groupby("series", sort=False):
        first, last = (records(part)[i] for i in (0, -1))
        line = f"{name!s}: " if name else ""
        ends = [
            f"{words.number(end['mean'])} at {_text(end['x'], percent)}{incomplete.described(end)}"
            for end in (first, last)
        ]
        said.append(line + (" to ".join(ends) if len(part) > 1 else ends[0]) + ".")
    seeds = sorted(set(points["n"]))
    of = words.count(int(seeds[0]), "seed") if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]} seeds"
    return f"{y} over {over}, means of {of}. {words.limited(said, 12, 'series')}"


def _text(value: Any, percent: bool) -> str:
    if isinstance(value, str):
        return value
    return f"{words.number(100 * value)} %" if percent else words.number(value)


def _axis(values: list[Any], title: str, *, numeric: bool, percent: bool) -> alt.X:
    if not numeric:
        return alt.X("x:N", title=title, sort=values, axis=alt.Axis(labelAngle=0, labelLimit=140))
    axis = alt.Axis(format="~%") if percent else alt.Axis()
    return alt.X("x:Q", title=title, axis=axis, scale=alt.Scale(zero=False, nice=False, padding=12))


def _draw(
    x: alt.X, names: list[str], over: str, y: str, cut: pd.Series[int], *, numeric: bool, intervals: bool
) -> alt.LayerChart:
    """Points for the means; intervals as bands under a line if x has distances, else as rules."""
    legend = alt.Legend(symbolOpacity=1) if len(names) > 1 else None  # not as pale as a band
    color = theme.color("series", names, legend=legend)
    shape = theme.shape("series", names, legend=legend)
    dash = theme.dash("series", names, legend=legend)
    axis = alt.Y("mean:Q", title=y, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True))
    low, high = alt.Y("low:Q", title=y), alt.Y2("high:Q")
    said = ["series:N", alt.Tooltip("x:Q" if numeric else "x:N", title=over)]
    said += ["mean:Q", "low:Q", "high:Q", "n:Q"]
    means = view("swept-means", "swept")
    ranges = view("swept-intervals", "swept").transform_filter("isValid(datum.low)")
    if numeric:
        lines = view("swept-lines", "swept").mark_line()
        looks = [x, axis, color, shape]
        drawn = [lines.encode(x, axis, color, dash), *incomplete.marks(means, cut, looks, said, size=55)]
        ranged = ranges.mark_area(opacity=0.2).encode(x, low, high, color)
    else:
        beside = alt.XOffset("series:N", sort=names)
        looks = [x, axis, color, shape, beside]
        drawn = incomplete.marks(means, cut, looks, said, size=55)
        ranged = ranges.mark_rule(strokeWidth=2).encode(x, low, high, color, beside)
    return layered(*([ranged] if intervals else []), *drawn)  # an axis of no intervals at all has no end
