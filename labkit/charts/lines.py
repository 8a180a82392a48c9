"""Curves over time, one per series: what goodput, RTT, queue length and delay have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from labkit.charts import direct, theme
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
    format: str | None = None,
) -> list[alt.Chart]:
    """Layers: one curve per series (column `by`), told apart by colour and dash, and the names of a few.

    title: the value's, with its unit; format: of its axis. start: where the axis of time begins (s); None:
    at 0.
    """
    named = direct.has_names(series)
    legend = {"legend": None} if named else {}
    color, dash = theme.color(by, series, **legend), theme.dash(by, series, **legend)
    x, y = time_axis(start), alt.Y(f"{value}:Q", title=title)
    if format:
        y = y.axis(format=format)
    mark = view(f"{name}-lines", data).mark_line(interpolate=interpolate, clip=True)
    layers = [mark.encode(x, y, color, dash)]
    return [*layers, direct.names(name, data, x, value, title, by, color)] if named else layers


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
