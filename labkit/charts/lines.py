"""Curves over time, one per series: what goodput, RTT, queue length and delay have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

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


def mean_over_time(curve: pd.DataFrame, value: str, *, step: bool = False) -> float:
    """The mean of what is drawn: every second counts the same, however many packets gave a value in it. (A
    mean over values would not count a stall.)

    curve: time_s (s, ascending) and `value`; step: it stays until the next row, else it is linear between.
    """
    times, values = curve["time_s"].to_numpy("float64"), curve[value].to_numpy("float64")
    if times[0] == times[-1]:
        return float(values.mean())
    area = (values[:-1] * np.diff(times)).sum() if step else np.trapezoid(values, times)
    return float(area / (times[-1] - times[0]))
