"""The loss ledger as a timeline: every lost packet, why, how that was found, when it was made good."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import (
    DIGITS,
    TABLE_ROWS,
    About,
    filled,
    finish,
    layered,
    most,
    records,
    rounded,
    view,
)
from labkit.charts.lines import time_axis
from labkit.charts.runs import check_flows, within
from labkit.charts.sampling import first_of_each
from labkit.results.protocol import Run

NOBODY = "nobody looked"
_FOUND = {  # as the ledger says it -> as the field writes it, and how it looks
    "sack": ("SACK", theme.BLUE, "circle"),
    "rack": ("RACK", theme.VERMILLION, "triangle-up"),
    "tlp": ("TLP", theme.PURPLE, "diamond"),
    "rto": ("RTO", theme.OCHRE, "cross"),
    "dupack": ("dupACK", theme.GREEN, "triangle-down"),
    "partial ack": ("partial ACK", theme.SKY, "triangle-left"),
    "syn timeout": ("SYN timeout", theme.VIOLET, "triangle-right"),
    "not needed": ("not needed", theme.GREY, "square"),
    "not found": ("not found", theme.VERMILLION, "stroke"),
    NOBODY: (NOBODY, theme.SKY, "wedge"),
}
_LANE, _STEPS, _MARKS = 84, 9, 600
_TABLE = {
    "lost_s": "Lost (s)",
    "flow": "Flow",
    "way": "Way",
    "seq": "First byte",
    "transmission": "Transmission",
    "place": "Where",
    "cause": "Cause",
    "found_by": "Found by",
    "retransmitted_s": "Sent again (s)",
    "recovered_s": "Recovered (s)",
}


def ledger(
    run: Run,
    flow: str | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Every lost packet at the time of its loss: a lane per cause and place, a shape per way of finding it.

    A line goes from the loss to when the sender knew that it was made good; hollow marks never were.
    Within a lane height means nothing: it keeps neighbours apart. start, end: s. Raises
    EmptyFigureError (nothing was lost), FigureError.
    """
    check_flows(None if flow is None else [flow], run)
    table = run.ledger()
    if flow is not None:
        table = table[table["flow"] == flow]
    filled(table, "ledger", "no packet was lost", 'lose some, such as loss="1%", or take a smaller queue')
    table = lanes_of(within(table, "ledger", start, end, "lost_s"))
    there = [kind for kind, _, _ in _FOUND.values() if (table["found_by"] == kind).any()]
    shown = rounded(
        table, **dict.fromkeys(("lost_s", "retransmitted_s", "recovered_s"), DIGITS["packet_time"])
    )
    marks = shown[["lost_s", "recovered_s", "lane", "height", "found_by", "seq", "transmission"]]
    data = {"ledger": first_of_each(marks, "lost_s", "lane", _MARKS)}
    about = About(
        "ledger",
        caption
        or "Every lost packet: where and why, how the sender found out, and until when it was missing.",
        describe(table),
        shown[list(_TABLE)].rename(columns=_TABLE).head(TABLE_ROWS),
    )
    return finish(_draw(list(shown["lane"].unique()), there, data, start), about, data)


def lanes_of(table: pd.DataFrame) -> pd.DataFrame:
    """The ledger with place ("r1 → r2"), lane (cause, place, number of packets) and height in it (0 to 1).

    What found a loss is written as the field writes it; "nobody looked" where no protocol mends.
    """
    table = table.sort_values("lost_s", kind="stable", ignore_index=True)
    names = ("flow", "way", "cause", "found_by", "host", "peer")
    texts = {name: table[name].astype("object").fillna("").astype("str") for name in names}
    found = texts["found_by"].replace("", NOBODY).map({kind: look[0] for kind, look in _FOUND.items()})
    between = texts["host"] + " → " + texts["peer"]
    place = between.where(texts["peer"] != "", "inside " + texts["host"])
    table = table.assign(**texts | {"found_by": found}, place=place)
    what = table["cause"] + np.where(table["way"] == "ack", " of ACKs", "")
    groups = table.groupby([what.rename("what"), "place"], sort=False)
    total = groups["lost_s"].transform("size")
    packets = pd.Series([words.count(int(n), "packet") for n in total], total.index)
    height = (groups.cumcount() % _STEPS + 1) / (_STEPS + 1)
    order = total.rank(method="dense", ascending=False)
    table = table.assign(
        lane=what + "|" + table["place"] + "|" + packets, height=height.round(3), _order=order
    )
    return table.sort_values(["_order", "lane", "lost_s"], kind="stable", ignore_index=True).drop(
        columns="_order"
    )


def describe(table: pd.DataFrame) -> str:
    """What the figure shows, from `lanes_of`."""
    causes = table.groupby(["cause", "place"], sort=False).size().rename("n").reset_index()
    why = [f"{row['cause']} at {row['place']} {words.times(row['n'])}" for row in records(causes)]
    found = table["found_by"].value_counts()
    how = [f"{kind} {words.times(int(n))}" for kind, n in found.items() if kind != NOBODY]
    first, last = table["lost_s"].min(), table["lost_s"].max()
    when = (
        f"at {words.number(first)} s"
        if len(table) == 1
        else f"from {words.number(first)} to {words.number(last)} s"
    )
    text = f"{words.count(len(table), 'packet').capitalize()} lost {when}: {words.listing(why)}. "
    text += f"Found by: {words.listing(how)}." if how else "Nobody looked for them."
    good = table.assign(took=table["recovered_s"] - table["lost_s"]).dropna(subset="took")
    if good.empty:
        return text + " None was made good."
    late, took = most(good, "took"), good["took"]
    return (
        f"{text} {words.count(len(took), 'loss', 'losses').capitalize()} made good, in a median of "
        f"{words.number(1000 * took.median())} ms; the slowest, of {words.number(late['lost_s'])} s, took "
        f"{words.number(1000 * late['took'])} ms."
    )


def _draw(
    lanes: list[str], there: list[str], data: dict[str, pd.DataFrame], start: float | None
) -> alt.LayerChart:
    x = time_axis(start, "lost_s:Q")
    axis = alt.Axis(
        labelExpr="split(datum.label, '|')", labelLimit=200, grid=True, tickBand="extent", domain=False
    )
    lane = alt.Y("lane:N", sort=lanes, title=None, axis=axis, scale=alt.Scale(paddingInner=0.1))
    height = alt.YOffset("height:Q", scale=alt.Scale(domain=[0, 1]))
    missing = view("ledger-missing", "ledger").mark_rule(color=theme.GREY, opacity=0.7, clip=True)
    missing = missing.transform_filter("datum.recovered_s !== null")
    lines = missing.encode(x, alt.X2("recovered_s:Q"), lane, height)
    made = "datum.recovered_s !== null"
    marks = view("ledger-losses", "ledger").mark_point(size=45, strokeWidth=1.5, opacity=1, clip=True)
    looks = {name: (color, shape) for name, color, shape in _FOUND.values()}
    color, shape = theme.fixed("found_by", looks, there, alt.Legend(title="found by"))
    said = [
        alt.Tooltip("lost_s:Q", title="lost, s"),
        alt.Tooltip("seq:Q", title="first byte"),
        alt.Tooltip("transmission:Q", title="transmission"),
        alt.Tooltip("found_by:N", title="found by"),
        alt.Tooltip("recovered_s:Q", title="recovered, s"),
    ]
    fill = alt.Fill("found_by:N", scale=color["scale"], legend=alt.Legend(title="found by"))
    hollow = alt.condition(made, alt.value(1), alt.value(0))
    points = marks.encode(x, lane, height, color, shape, fill=fill, fillOpacity=hollow, tooltip=said)
    chart = layered(lines, points)
    return chart.properties(width=theme.WIDTH - 60, height=_LANE * len(lanes), title="Lost packets")
