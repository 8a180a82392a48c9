"""Goodput over time, and each flow's share of it: from the bytes that the sender saw acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import DIGITS, About, FigureError, filled, finish, layered, most, rounded, view
from labkit.charts.lines import curves, framed
from labkit.charts.runs import Runs, by_series, series_of, within
from labkit.charts.sampling import thin
from labkit.charts.summary_table import nice, over_time
from labkit.results.acknowledged import acked_of
from labkit.results.protocol import Run

_PIECES = 100
_MOST_SHARES = 40
_CURE = 'add Flow("left", "right", duration="30s")'


def goodput(
    runs: Runs,
    flows: Sequence[str] | None = None,
    *,
    interval: float | None = None,
    sacked: bool = False,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Mbit/s of payload over time, per TCP flow; of several runs ({"reno": result, ...}) per label.

    interval: what one value is the mean of (s); None: a hundredth of the time shown, in round
    numbers. sacked: what arrived behind a gap counts when it is selectively acknowledged, else when the gap
    is filled, all at once, which can exceed the rate of the link. Raises EmptyFigureError, FigureError.
    """
    acked = within(by_series(runs, partial(acked_of, sacked=sacked), flows), "goodput", start, end)
    rates = rates_of(_filled(acked, "goodput"), interval)
    names, width = series_of(rates), _width(acked, interval)
    said = [_said(name, rates[rates["series"] == name]) for name in names]
    shown = rounded(rates, time_s=DIGITS["time"], mbit_s=DIGITS["Mbit/s"])[["time_s", "series", "mbit_s"]]
    about = About(
        "goodput",
        caption or f"Goodput per flow, in means over {width:g} s: payload that the sender saw acknowledged.",
        f"Goodput in means over {words.number(width)} s. {words.limited(said, 8, 'series')}",
        over_time(shown, "time_s", "mbit_s", "series", "goodput (Mbit/s)"),
    )
    data = {"goodput": thin(shown, "time_s", "mbit_s", "series")}
    return finish(draw_goodput(names, start), about, data)


def draw_goodput(names: Sequence[str], start: float | None = None) -> alt.LayerChart:
    """The figure without data and words."""
    lines = curves("goodput", "goodput", "mbit_s", "Goodput (Mbit/s)", names, "step-after", start=start)
    return framed(layered(*lines), "Goodput")


def share(
    run: Run,
    flows: Sequence[str] | None = None,
    *,
    interval: float | None = None,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Each TCP flow's share of the goodput of all over time. Raises EmptyFigureError, FigureError.

    interval, start, end: as for `goodput`. The description has Jain's index (Jain, Chiu, Hawe: DEC-TR-301,
    1984) of the bytes acknowledged in all of the time shown: 1 if all got the same, 1/n if one of n got
    everything. A flow that was never there, or died, has its part in it.
    """
    acked = within(by_series(run, acked_of, flows), "share", start, end)
    rates = rates_of(_filled(acked, "share"), interval)
    names = series_of(rates)
    if len(names) > _MOST_SHARES:
        raise FigureError(
            f"share: {len(names)} flows: at most {_MOST_SHARES} can be told apart: give flows=[...]"
        )
    rates = _everywhere(rates)
    total = rates.groupby("time_s")["mbit_s"].transform("sum")
    rates = rates.assign(share=(rates["mbit_s"] / total.where(total > 0)).fillna(0.0))
    whole = _whole(acked)
    index = jain(whole.to_numpy())
    said = [f"{name} has {100 * part:.0f} %" for name, part in (whole / (whole.sum() or 1.0)).items()]
    shown = rounded(rates, time_s=DIGITS["time"], share=DIGITS["share"])[["time_s", "series", "share"]]
    about = About(
        "share",
        caption or f"Each flow's share of the goodput, in means over {_width(acked, interval):g} s.",
        f"Shares of the goodput of {words.count(len(names), 'flow')}, over the whole time: "
        f"{words.listing(said)}. Jain's index of fairness is {index:.2f}.",
        over_time(shown, "time_s", "share", "series", "share"),
    )
    lines = curves(
        "share", "share", "share", "Share of the goodput", names, "step-after", start=start, format="%"
    )
    equal = view("share-equal", "equal").mark_rule(strokeDash=[2, 3], color=theme.GREY)
    data = {"share": thin(shown, "time_s", "share", "series"), "equal": _equal(len(names))}
    return finish(
        framed(layered(equal.encode(alt.Y("share:Q")), *lines), "Share of the goodput"), about, data
    )


def rates_of(acked: pd.DataFrame, interval: float | None) -> pd.DataFrame:
    """time_s (where the piece begins), series, mbit_s: the mean of each piece; the last value repeated.

    Of each series the pieces in which it was there. Between samples the bytes grow evenly. Where a
    loss is repaired, much is acknowledged at once: a piece can exceed the rate of the link.
    """
    width = _width(acked, interval)
    first, last = float(acked["time_s"].min()), float(acked["time_s"].max())
    pieces = max(1, int(np.ceil((last - first) / width - 1e-6)))
    edges = np.minimum(first + width * np.arange(pieces + 1), last)
    parts = []
    for name, mine in acked.groupby("series", sort=False):
        grown = np.diff(np.interp(edges, mine["time_s"], mine["bytes"]))
        rate = 8e-6 * grown / np.diff(edges)
        there = np.flatnonzero((edges[1:] > mine["time_s"].min()) & (edges[:-1] < mine["time_s"].max()))
        shown = rate[there[0] : there[-1] + 1]
        times = edges[there[0] : there[-1] + 2]
        parts.append(pd.DataFrame({"time_s": times, "series": name, "mbit_s": np.append(shown, shown[-1])}))
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return table


def jain(rates: npt.NDArray[np.floating[Any]]) -> float:
    """Jain's index of fairness: (sum x)^2 / (n sum x^2)."""
    squares = float((rates**2).sum())
    return float(rates.sum()) ** 2 / (len(rates) * squares) if squares else float("nan")


def _filled(acked: pd.DataFrame, figure: str) -> pd.DataFrame:
    moments = acked.groupby("series")["time_s"].nunique() if len(acked) else pd.Series(dtype="int64")
    return filled(
        acked[acked["series"].isin(moments[moments > 1].index)],
        figure,
        "no TCP flow has two samples in it",
        _CURE,
    )


def _width(acked: pd.DataFrame, interval: float | None) -> float:
    if interval is None:
        span = float(acked["time_s"].max() - acked["time_s"].min())
        gaps = acked.groupby("series")["time_s"].diff().median()
        return nice(max(span / _PIECES, float(gaps)))
    if not interval > 0:
        raise FigureError(f"interval={interval}: must be more than 0 s, such as 0.5")
    return interval


def _everywhere(rates: pd.DataFrame) -> pd.DataFrame:
    """Every series in every piece: 0 where it was not there."""
    wide = rates.pivot(index="time_s", columns="series", values="mbit_s")[series_of(rates)].fillna(0.0)
    return wide.reset_index().melt("time_s", var_name="series", value_name="mbit_s")


def _equal(flows: int) -> pd.DataFrame:
    return pd.DataFrame({"share": [round(1 / flows, DIGITS["share"])]})


def _whole(acked: pd.DataFrame) -> pd.Series[float]:
    """Bytes of each series over the whole time."""
    groups = acked.groupby("series", sort=False)["bytes"]
    return (groups.max() - groups.min()).astype("float64")


def _said(name: str, mine: pd.DataFrame) -> str:
    pieces = mine.iloc[:-1]
    top, rates = most(pieces, "mbit_s"), pieces["mbit_s"]
    return (
        f"{name}: mean {words.number(rates.mean())} Mbit/s, at least {words.number(rates.min())}, at most "
        f"{words.number(top['mbit_s'])} from {words.number(top['time_s'])} s on."
    )
