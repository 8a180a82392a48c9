"""The smoothed round-trip time over time."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from labkit.charts import words
from labkit.charts.figure import DIGITS, About, filled, finish, layered, least, most, rounded
from labkit.charts.lines import curves, framed, mean_over_time
from labkit.charts.runs import Runs, by_series, recorded, series_of, within
from labkit.charts.sampling import thin
from labkit.charts.summary_table import over_time
from labkit.results.protocol import Run


def rtt(
    runs: Runs,
    flows: Sequence[str] | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """The sender's smoothed RTT (RFC 6298) in ms over time, per flow or per run's label.

    From tcp_probe (at each arriving segment), or TCP_INFO's samples if only these were recorded.
    Raises EmptyFigureError, FigureError.
    """
    trips = within(by_series(runs, trips_of, flows), "rtt", start, end)
    filled(trips, "rtt", "no TCP sender measured one", 'add Flow("left", "right", size="1MB")')
    names = series_of(trips)
    said = [_said(name, trips[trips["series"] == name]) for name in names]
    shown = rounded(trips, time_s=DIGITS["time"], ms=DIGITS["ms"])[["time_s", "series", "ms"]]
    about = About(
        "rtt",
        caption or "The round-trip time as the sender sees it, smoothed (RFC 6298).",
        f"Smoothed round-trip time. {words.limited(said, 8, 'series')}",
        over_time(shown, "time_s", "ms", "series", "RTT (ms)"),
    )
    return finish(draw(names, start), about, {"rtt": thin(shown, "time_s", "ms", "series")})


def draw(names: Sequence[str], start: float | None = None) -> alt.LayerChart:
    """The figure without data and words."""
    lines = curves("rtt", "rtt", "ms", "Smoothed RTT (ms)", names, start=start)
    return framed(layered(*lines), "Round-trip time")


def trips_of(run: Run) -> pd.DataFrame:
    """time_s, flow, ms: smoothed RTT at the sender, once there is one."""
    if recorded(run, "tcp_probe") or not recorded(run, "tcp_info"):
        table, column = run.tcp_probe, "srtt_us"
    else:
        table, column = run.tcp_info, "rtt"
    mine = table[(table["side"] == "sender") & (table[column] > 0)]
    return mine[["time_s", "flow"]].assign(ms=mine[column] / 1000)


def _said(name: str, mine: pd.DataFrame) -> str:
    low, high = least(mine, "ms"), most(mine, "ms")
    return (
        f"{name}: least {words.number(low['ms'])} ms at {words.number(low['time_s'])} s, most "
        f"{words.number(high['ms'])} ms at {words.number(high['time_s'])} s, mean over time "
        f"{words.number(mean_over_time(mine, 'ms'))} ms."
    )
