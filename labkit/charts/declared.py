"""The figures that probes declare (labkit.probes): a point over time for each row of one of their tables."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from labkit import probes
from labkit.charts import theme, words
from labkit.charts.figure import DIGITS, About, FigureError, filled, finish, layered, rounded, view
from labkit.charts.lines import framed, time_axis
from labkit.charts.runs import Runs, by_series, labelled, series_of, within
from labkit.charts.sampling import thin
from labkit.charts.summary_table import over_time
from labkit.probes.probe import EventChart
from labkit.results.protocol import Run


def of_probe(
    name: str,
    runs: Runs,
    flows: Sequence[str] | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """The figure `name` of a probe, per flow (or what the figure tells apart) or per run's label.

    start, end: s. Raises EmptyFigureError, FigureError.
    """
    chart = probes.chart(name)
    if chart is None:
        raise FigureError(f"{name!r}: no probe has such a figure: there are {', '.join(probes.charts())}")
    rows = within(filled(_rows(chart, name, runs, flows), name, chart.lacks, chart.cure), name, start, end)
    names = series_of(rows)
    said = [_said(chart, series, rows[rows["series"] == series]) for series in names]
    shown = rounded(rows, time_s=DIGITS["time"])[["time_s", "series", chart.y]]
    about = About(
        name,
        caption or chart.caption,
        f"{chart.title}. {words.limited(said, 8, 'series')}",
        over_time(shown, "time_s", chart.y, "series", chart.y_title),
    )
    marks = view(f"{name}-points", name).mark_point(filled=True, size=30, opacity=1, clip=True)
    tooltip = [
        alt.Tooltip("time_s:Q", title="s"),
        alt.Tooltip(f"{chart.y}:Q", title=chart.y_title),
        alt.Tooltip("series:N"),
    ]
    points = marks.encode(
        time_axis(start),
        alt.Y(f"{chart.y}:Q", title=chart.y_title),
        theme.color("series", names),
        theme.shape("series", names),
        tooltip=tooltip,
    )
    data = {name: thin(shown, "time_s", chart.y, "series")}
    return finish(framed(layered(points), chart.title), about, data)


def _rows(chart: EventChart, name: str, runs: Runs, flows: Sequence[str] | None) -> pd.DataFrame:
    """The rows to be shown, with a column `series`."""

    def read(run: Run) -> pd.DataFrame:
        table = run.table(chart.table)
        for column, value in chart.only.items():
            table = table[table[column] == value]
        return table

    if chart.series == "flow":
        return by_series(runs, read, flows)
    if flows is not None:
        raise FigureError(f"{name}: flows={flows!r}: it shows a series per {chart.series}, not per flow")
    parts = []
    for label, run in labelled(runs).items():
        table = read(run)
        series = table[chart.series].astype("str")
        parts.append(table.assign(series=f"{label}: " + series if label else series))
    return pd.concat(parts, ignore_index=True)


def _said(chart: EventChart, series: str, mine: pd.DataFrame) -> str:
    return chart.each.format(
        series=series,
        rows=words.count(len(mine), *chart.rows),
        first=words.number(mine["time_s"].min()),
        last=words.number(mine["time_s"].max()),
        least=words.number(mine[chart.y].min()),
        most=words.number(mine[chart.y].max()),
    )
