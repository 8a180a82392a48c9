"""Names at the ends of curves, in place of a legend: a reader's eye need not go to and fro."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import altair as alt

from labkit.charts import theme
from labkit.charts.figure import view

MOST = 6
"""So many curves have their names beside them; more have a legend."""
_LINE = 16  # pixels from one name to the next; fewer where the axis ends at a rounder number


def has_names(series: Sequence[str]) -> bool:
    """Whether curves of these series are named at their ends. A single one has no name: its axis says it."""
    return 1 < len(series) <= MOST


def names(name: str, data: str, x: alt.X, value: str, title: str, series: str, color: alt.Color) -> alt.Chart:
    """The names of curves over time_s at the right edge, each as high as its curve's last value and in its
    colour; those that would cover each other are moved apart, up and down by the same.

    data: its name; x, color: as the curves have them; value, series: columns; title: of the value's axis.
    """
    step = f"datum.top * {_LINE / theme.HEIGHT:.4g}"
    ends = view(f"{name}-names", data).mark_text(align="left", baseline="middle", dx=5, fontSize=12)
    text: alt.Chart = (
        ends.transform_aggregate(
            groupby=[series],
            last="argmax(time_s)",
            last_s="max(time_s)",
            highest=f"max({value})",
        )
        .transform_calculate(at=f"datum.last['{value}']")
        .transform_joinaggregate(top="max(highest)", time_s="max(last_s)")
        .transform_window(rank="row_number()", sort=_by("at", series, "ascending"))
        .transform_window(back="row_number()", sort=_by("at", series, "descending"))
        .transform_calculate(up=f"datum.at - datum.rank * {step}", down=f"datum.at + datum.back * {step}")
        .transform_window(pushed="max(up)", sort=_by("at", series, "ascending"))
        .transform_window(pulled="min(down)", sort=_by("at", series, "descending"))
        .transform_calculate(
            beside=f"(datum.pushed + datum.rank * {step} + datum.pulled - datum.back * {step}) / 2"
        )
        .encode(x, alt.Y("beside:Q", title=title), color, alt.Text(f"{series}:N"))
    )
    return text


def _by(value: str, series: str, order: Literal["ascending", "descending"]) -> list[alt.SortField]:
    return [alt.SortField(value, order=order), alt.SortField(series, order=order)]
