"""The congestion window over time, with ssthresh and the moments at which the sender took a loss."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import altair as alt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import DIGITS, About, filled, finish, layered, most, rounded, view
from labkit.charts.lines import curves, framed, mean_over_time, time_axis
from labkit.charts.reactions import EVENTS, LOST, Source, events_of, retransmissions_of, source_of
from labkit.charts.runs import Runs, by_series, inside, labelled, recorded, series_of, within
from labkit.charts.sampling import first_of_each, last_before, steps, thin
from labkit.charts.summary_table import over_time
from labkit.results.protocol import Run

LOOKS = {
    EVENTS["Recovery"]: (theme.PURPLE, "triangle-down"),
    EVENTS["Loss"]: (theme.OCHRE, "cross"),
    EVENTS["CWR"]: (theme.SKY, "diamond"),
    LOST: (theme.VIOLET, "square"),
}
_UNSET = 2**31 - 1
_LINES, _MARKS, _RUG = 700, 120, 120


def cwnd(
    runs: Runs,
    flows: Sequence[str] | None = None,
    *,
    ssthresh: bool | None = None,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """cwnd in packets over time, per flow; of several runs ({"reno": result, ...}) per label.

    From tcp_probe, or TCP_INFO's samples if only these were recorded. Marks are where the sender
    entered recovery or a timeout: exactly with the probe "recovery", else by TCP_INFO's samples;
    with the probe "drops" alone they are the losses. ssthresh (the stored value, from TCP_INFO): None
    shows it if there is a single series and it was recorded. start, end: s. Raises EmptyFigureError,
    FigureError.
    """
    windows = within(by_series(runs, windows_of, flows), "cwnd", start, end)
    filled(windows, "cwnd", "no TCP sender was seen", 'add Flow("left", "right", size="1MB")')
    names = series_of(windows)
    events = inside(by_series(runs, events_of, flows), start, end)
    again = inside(by_series(runs, retransmissions_of, flows), start, end)
    lines = _named(windows, names, "cwnd")
    known = all(recorded(run, "tcp_info") for run in labelled(runs).values())
    if ssthresh or (ssthresh is None and len(names) == 1 and known):
        stored = inside(by_series(runs, ssthresh_of, flows), start, end)
        lines = pd.concat([lines, _named(stored, names, "ssthresh")], ignore_index=True)
    events = _levels(windows, events)
    data = {
        "cwnd": thin(steps(_round(lines), "packets", "line"), "time_s", "packets", "line", _LINES),
        "losses": first_of_each(_round(events), "time_s", "event", _MARKS),
        "retransmissions": first_of_each(_round(again), "time_s", "series", _RUG)[["time_s"]],
    }
    sources = {source_of(run) for run in labelled(runs).values()}
    shown = ", with ssthresh" if len(lines) > len(windows) else ""
    about = About(
        "cwnd",
        caption or f"The congestion window over time{shown}. Marks show where the sender took a loss.",
        describe(windows, events, again, sources),
        over_time(_round(windows), "time_s", "packets", "series", "cwnd (packets)"),
    )
    drawn = draw([str(name) for name in lines["line"].unique()], set(data["losses"]["event"]), start)
    return finish(drawn, about, data)


def windows_of(run: Run) -> pd.DataFrame:
    """time_s, flow, packets: cwnd at the sender."""
    sampled = recorded(run, "tcp_info") and not recorded(run, "tcp_probe")
    table = run.tcp_info if sampled else run.tcp_probe
    mine = table[table["side"] == "sender"]
    return mine[["time_s", "flow"]].assign(packets=mine["snd_cwnd"].astype("int64"))


def ssthresh_of(run: Run) -> pd.DataFrame:
    """time_s, flow, packets: ssthresh as the sender stores it, from the moment it is set."""
    table = run.tcp_info
    mine = table[(table["side"] == "sender") & (table["snd_ssthresh"] < _UNSET)]
    return mine[["time_s", "flow"]].assign(packets=mine["snd_ssthresh"].astype("int64"))


def describe(
    windows: pd.DataFrame, events: pd.DataFrame, again: pd.DataFrame, sources: Collection[Source]
) -> str:
    """What the figure shows, from unthinned tables with a column `series`. sources: of the events."""
    said = []
    for name in series_of(windows):
        mine = windows[windows["series"] == name]
        top, last = most(mine, "packets"), mine["packets"].iloc[-1]
        happened = events.loc[events["series"] == name, "event"]
        text = (
            f"cwnd of {name} begins at {words.number(mine['packets'].iloc[0])} packets, rises to "
            f"{words.number(top['packets'])} at {words.number(top['time_s'])} s, {_cuts(happened)} and ends "
            f"at {words.number(last)}; mean {words.number(mean_over_time(mine, 'packets', step=True))}."
        )
        if "drops" not in sources:
            resent = int(again.loc[again["series"] == name, "count"].sum())
            text += f" {words.count(resent, 'segment').capitalize()} sent again."
        said.append(text)
    first, last = words.number(windows["time_s"].min()), words.number(windows["time_s"].max())
    note = " Cuts are counted in samples: a short recovery between two of them is missed."
    return (
        f"Congestion window from {first} to {last} s. {words.limited(said, 8, 'series')}"
        f"{note if 'tcp_info' in sources else ''}"
    )


def _cuts(happened: pd.Series[Any]) -> str:
    """ "is cut twice (fast recovery once and timeout once)", or how many packets were lost."""
    if happened.empty:
        return "is never cut"
    if (happened == LOST).any():
        return f"sees {words.count(len(happened), 'packet')} lost"
    kinds = [f"{kind} {words.times(int(n))}" for kind, n in happened.value_counts(sort=False).items()]
    return f"is cut {words.times(len(happened))}" + (f" ({words.listing(kinds)})" if kinds else "")


def _named(table: pd.DataFrame, names: Sequence[str], what: str) -> pd.DataFrame:
    """With a column `line`: what it is, if there is one series only, else whose."""
    line = what if len(names) == 1 else table["series"] + ("" if what == "cwnd" else f", {what}")
    return table[["time_s", "packets"]].assign(line=line)


def _levels(windows: pd.DataFrame, events: pd.DataFrame) -> pd.DataFrame:
    """Each event with cwnd just before it; none of a flow whose cwnd was never seen (lost SYNs alone)."""
    parts = [
        mine.assign(packets=last_before(held, "packets", mine["time_s"]))
        for name, mine in events.groupby("series", sort=False)
        if len(held := windows[windows["series"] == name])
    ]
    return pd.concat([events.assign(packets=0).iloc[:0], *parts])


def _round(table: pd.DataFrame) -> pd.DataFrame:
    return rounded(table, time_s=DIGITS["time"])


def draw(lines: Sequence[str], happened: Collection[str], start: float | None = None) -> alt.LayerChart:
    """The figure without data and words. happened: the events that are in it."""
    time = time_axis(start)
    packets = alt.Y("packets:Q", title="cwnd (packets)")
    rug = view("cwnd-retransmissions", "retransmissions").mark_tick(
        orient="vertical", size=7, thickness=1, yOffset=-4, color=theme.GREY
    )
    marks = view("cwnd-losses", "losses").mark_point(filled=True, size=55, opacity=1, clip=True)
    said = [alt.Tooltip("time_s:Q", title="s"), alt.Tooltip("event:N"), alt.Tooltip("series:N")]
    kinds = [kind for kind in LOOKS if kind in happened]
    looks = theme.fixed("event", LOOKS, kinds, alt.Legend(orient="top"))
    again = [alt.Tooltip("time_s:Q", title="sent again, s")]
    layers = layered(
        *curves("cwnd", "cwnd", "packets", "cwnd (packets)", lines, "step-after", "line", start),
        rug.encode(time, alt.Y(value="height"), tooltip=again),
        marks.encode(time, packets, *looks, tooltip=said),
    )
    chart: alt.LayerChart = framed(layers, "Congestion window").resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    return chart
