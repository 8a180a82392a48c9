"""How much is chance: one value per seed, their mean and its 95 % confidence interval, per group."""

from __future__ import annotations

import altair as alt
import pandas as pd

from labkit.charts import incomplete, theme, words
from labkit.charts.figure import (
    About,
    EmptyFigureError,
    check_columns,
    filled,
    finish,
    layered,
    least,
    most,
    records,
    rounded,
    view,
)
from labkit.models.intervals import t_half_width

_DIGITS = 4


def distribution(
    table: pd.DataFrame,
    value: str,
    by: str,
    *,
    unit: str = "",
    title: str | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """One point per row (a seed), and per group the mean with its 95 % confidence interval.

    table: tidy, one row per seed and group. value: its column of numbers, in `unit`; by: its column
    of groups. A column `incomplete`, if there is one, says whether a flow was cut in that run, which makes
    the point hollow. The interval is Student's t: it takes the seeds for independent and their mean for
    normally distributed. A group of one has none. Raises EmptyFigureError, FigureError.
    """
    check_columns(table, (value, by), "distribution")
    filled(table, "distribution", "the table has no rows", f"one row per seed, with {by!r} and {value!r}")
    points = pd.DataFrame(
        {
            "group": table[by].astype("str"),
            "value": table[value].astype("float64"),
            incomplete.COLUMN: incomplete.of(table),
        }
    ).dropna()
    if points.empty:
        raise EmptyFigureError(f"distribution: nothing to draw: {value!r} has no number in any row")
    means = means_of(points)
    what = f"{value} ({unit})" if unit else value
    digits = dict.fromkeys(("mean", "low", "high", "half"), _DIGITS)
    shown = rounded(means, **digits)
    cut = points[incomplete.COLUMN]
    said = f"{what} per seed (dots), the mean (diamond) and its 95 % confidence interval (Student's t)."
    about = About(
        "distribution",
        incomplete.caption(caption or said, cut),
        describe(means, what),
        shown.rename(
            columns={
                "group": by,
                "seeds": "Seeds",
                "mean": f"Mean {what}",
                "low": "95 % from",
                "high": "95 % to",
            }
        ).drop(columns=["half", *([] if cut.any() else [incomplete.COLUMN])]),
    )
    data = {"seeds": rounded(points, value=_DIGITS), "means": shown}
    chart = _draw(list(means["group"]), what, cut, data)
    return finish(chart.properties(title=title or f"{value} over seeds"), about, data)


def means_of(points: pd.DataFrame) -> pd.DataFrame:
    """group, seeds, mean, low, high, half (the interval's half width), incomplete (runs): of columns group
    and value, and incomplete if there is one.

    The interval is mean ± t · s / sqrt(n), s the sample's standard deviation. NaN for a single value.
    """
    groups = points.groupby("group", sort=False)["value"]
    found = groups.agg(["size", "mean", "std"]).reset_index()
    half = pd.Series([t_half_width(std, n) for std, n in zip(found["std"], found["size"], strict=True)])
    return pd.DataFrame(
        {
            "group": found["group"],
            "seeds": found["size"],
            "mean": found["mean"],
            "low": found["mean"] - half,
            "high": found["mean"] + half,
            "half": half,
            incomplete.COLUMN: list((incomplete.of(points) > 0).groupby(points["group"], sort=False).sum()),
        }
    )


def describe(means: pd.DataFrame, what: str) -> str:
    """What the figure shows, from `means_of`."""
    said = []
    for row in records(means):
        text = f"{row['group']}: mean {words.number(row['mean'])}"
        if row["seeds"] > 1:
            text += f", 95 % confidence interval {words.number(row['low'])} to {words.number(row['high'])}"
        said.append(f"{text}, of {words.count(row['seeds'], 'seed')}{incomplete.described(row)}.")
    text = f"{what} of {words.count(len(means), 'group')}. {words.limited(said, 12, 'groups')}"
    if len(means) < 2 or means["half"].isna().any():
        return text
    top, low = most(means, "mean"), least(means, "mean")
    apart = "do not overlap" if top["low"] > low["high"] else "overlap"
    return f"{text} Largest: {top['group']}, smallest: {low['group']}; their intervals {apart}."


def _draw(groups: list[str], what: str, cut: pd.Series[int], data: dict[str, pd.DataFrame]) -> alt.LayerChart:
    row = alt.Y("group:N", sort=groups, title=None, axis=alt.Axis(grid=False, labelLimit=220))
    x = alt.X("value:Q", title=what, scale=alt.Scale(zero=True), axis=alt.Axis(grid=True))
    dots = incomplete.marks(
        view("distribution-seeds", "seeds"),
        cut,
        [x, row],
        ["group:N", "value:Q"],
        size=40,
        color=theme.GREY,
        yOffset=9,
    )
    mean = view("distribution-means", "means").mark_point(
        shape="diamond", size=110, filled=True, opacity=1, yOffset=-4
    )
    bars = view("distribution-intervals", "means").mark_rule(strokeWidth=2.5, color=theme.BLUE, yOffset=-4)
    said = [
        alt.Tooltip("group:N"),
        alt.Tooltip("mean:Q"),
        alt.Tooltip("low:Q", title="95 % from"),
        alt.Tooltip("high:Q", title="to"),
    ]
    chart = layered(
        *dots,
        bars.encode(alt.X("low:Q", title=what), alt.X2("high:Q"), row).transform_filter("datum.low !== null"),
        mean.encode(alt.X("mean:Q", title=what), row, color=alt.value(theme.BLUE), tooltip=said),
    )
    return chart.properties(width=theme.WIDTH - 60, height=46 * len(groups) + 10)
