"""Curves over time, one per series: what goodput, RTT, queue length and delay have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from labkit.charts import theme
from labkit.charts.figure import view


def time_axis(start: float | None = None, field: str = "time_s:Q") -> alt.X:
    """The axis of time, from `start` (s) on; None: from 0."""
    scale = alt.Scale(nice=False, zero=False, domainMin=start or 0)
    return alt.X(field, title="Time (s)", scale=scale)


def curves(
    name: str,
    data: str,
    value: str,
    title: str,
    series: Sequence[str],
    interpolate: Any = "linear",
    by: str = "series",
    start: float | None = None,
) -> alt.Chart:
    """One curve per series (column `by`), told apart by colour and dash.

    title: the value's, with its unit. start: where the axis of time begins (s); None: at 0.
    """
    mark = view(name, data).mark_line(interpolate=interpolate, clip=True)
    axis = alt.Y(f"{value}:Q", title=title)
    chart: alt.Chart = mark.encode(time_axis(start), axis, theme.color(by, series), theme.dash(by, series))
    return chart


def framed(chart: alt.LayerChart, title: str) -> alt.LayerChart:
    """With the size of every figure over time, and a title."""
    return chart.properties(width=theme.WIDTH, height=theme.HEIGHT, title=title)
