"""The packet ladder: two hosts, time running down, an arrow for each of a few dozen packets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import altair as alt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import (
    DIGITS,
    TABLE_ROWS,
    About,
    FigureError,
    filled,
    finish,
    layered,
    records,
    rounded,
    view,
)
from labkit.charts.runs import one_flow, within
from labkit.results.protocol import Run

MAX_PACKETS = 60
_KEY = ["src", "dst", "protocol", "sport", "dport", "ip_id", "seq", "ack", "payload"]
_EDGE = 0.5  # room for text beside each host, in units of the distance between the hosts
_LINE = 13  # pixels from one line of text to the next
_BREAK = "\n"  # where a text goes on in the next line: before what is long
_HEAD = "M0,0L-0.45,1.3L0.45,1.3Z"  # upwards, its tip where the arrow ends
_FLAGS = {"S": "SYN", "F": "FIN", "R": "RST"}


def ladder(
    source: Run | Mapping[str, pd.DataFrame | None],
    flow: str | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    windows: bool = False,
    caption: str | None = None,
) -> alt.LayerChart:
    """A message sequence chart of the packets between two hosts, at most 60.

    source: a result (flow: which one; None: the first of TCP), or {"left": packet_table, "right":
    packet_table}; None in place of a table for a host without capture: then arrows are level, as
    nobody knows when their other end was. A packet that the other host's capture lacks ends in a
    cross halfway; without one if it was sent so late that it may have been under way at the end.
    start, end: s, by when a packet was sent. windows: with the window (bytes) that each ACK of the right host
    offers. Raises EmptyFigureError, FigureError.
    """
    tables = _tables(source, flow)
    packets = matched(tables, windows)
    filled(packets, "ladder", "the captures hold no packet between the two hosts", "capture one of the hosts")
    packets = within(packets, "ladder", start, end, "sent_s")
    if len(packets) > MAX_PACKETS:
        times = packets["sent_s"]
        raise FigureError(
            f"ladder: {len(packets)} packets from {times.iloc[0]:.6g} to {times.iloc[-1]:.6g} s: at most "
            f"{MAX_PACKETS} can be read: give start= and end= (s), such as end={_early(times):.6g}"
        )
    left, right = tables
    height = max(200, 24 * len(packets))
    arrows = _arrows(packets, height)
    about = About(
        "ladder",
        caption or f"The packets between {left} and {right}. Time runs down; a cross is a lost packet.",
        describe(packets, left, right),
        _shown(packets, left, right),
        least=340,
    )
    hosts = pd.DataFrame({"x": [0, 1], "name": [left, right]})
    data = {"hosts": hosts, "packets": arrows}
    return finish(_draw(data, height), about, data)


def matched(tables: Mapping[str, pd.DataFrame | None], windows: bool = False) -> pd.DataFrame:
    """One row per packet: sent_s, arrived_s (NaN: not), left (who sent it), halfway (did not arrive), lost
    (did not, and was not just under way when the captures ended), label; by sent_s.

    tables: packet tables of the left and the right host. A packet is the same in both if addresses,
    ports, IP ID, sequence and acknowledgement numbers and payload are; of equal ones the n-th is. windows: as
    of `label`.
    """
    left, right = tables.values()
    end_s = max(table["time_s"].max() for table in (left, right) if table is not None)
    parts = [_one_way(left, right, True, end_s), _one_way(right, left, False, end_s, windows)]
    both = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    return both.sort_values("sent_s", kind="stable", ignore_index=True)


def label(packet: Mapping[str, object], windows: bool = False) -> str:
    """What is written beside an arrow: "SYN", "1:1449", "ACK 1449, SACK 2897:4345 +1"; "ACK 1, window 0"."""
    payload, protocol = int(str(packet["payload"])), str(packet["protocol"])
    if protocol != "tcp":
        return f"{protocol.upper()}, {payload} bytes"
    flags, seq = str(packet["flags"]), int(str(packet["seq"]))
    parts = [name for flag, name in _FLAGS.items() if flag in flags]
    if payload:
        parts.append(f"{seq}:{seq + payload}")
    elif "A" in flags and "S" in flags:
        parts.append("ACK")
    elif "A" in flags:
        parts.append(f"ACK {packet['ack']}")
        if windows:
            parts.append(f"window {packet['window']}")
    blocks = int(str(packet["sacks"]))
    if blocks:
        more = f" +{blocks - 1}" if blocks > 1 else ""
        parts.append(f"SACK {packet['sack1_left']}:{packet['sack1_right']}{more}")
    return ", ".join(parts)


def describe(packets: pd.DataFrame, left: str, right: str) -> str:
    """What the figure shows, from `matched`."""
    first, last = packets["sent_s"].min(), packets["sent_s"].max()
    ours, lost = packets[packets["left"]], packets[packets["lost"]]
    text = (
        f"Message sequence chart from {words.number(first)} to {words.number(last)} s: "
        f"{words.count(len(ours), 'packet')} from {left} to {right}, "
        f"{words.count(len(packets) - len(ours), 'packet')} from {right} to {left}."
    )
    under_way = len(packets[packets["halfway"]]) - len(lost)
    if under_way:
        text += f" {words.count(under_way, 'packet').capitalize()} under way at the end."
    if lost.empty:
        return text + (" None is lost." if packets["arrived_s"].notna().all() else "")
    named = [f"{row['label']} of {words.number(row['sent_s'])} s" for row in records(lost)[:5]]
    return f"{text} {words.count(len(lost), 'packet').capitalize()} lost: {words.listing(named)}" + (
        "." if len(lost) <= 5 else ", and more."
    )


def _tables(
    source: Run | Mapping[str, pd.DataFrame | None], flow: str | None
) -> dict[str, pd.DataFrame | None]:
    if isinstance(source, Mapping):
        tables = dict(source)
        if len(tables) != 2 or all(table is None for table in tables.values()):
            raise FigureError(
                'ladder: needs two hosts, one with a table: write {"left": table, "right": None}'
            )
        return {host: _of(table, flow) for host, table in tables.items()}
    name = one_flow(source, flow, "ladder")
    hosts = [str(source.flows.loc[name, end]) for end in ("src", "dst")]
    return {host: _of(source.packet_table(host), name) for host in hosts}


def _of(table: pd.DataFrame | None, flow: str | None) -> pd.DataFrame | None:
    return table if table is None or flow is None else table[table["flow"] == flow]


def _one_way(
    sender: pd.DataFrame | None,
    receiver: pd.DataFrame | None,
    left: bool,
    end_s: float,
    windows: bool = False,
) -> pd.DataFrame:
    """The packets from one host to the other."""
    there = _keyed(receiver, "in")
    sent = _keyed(sender, "out")
    if sent is None:
        assert there is not None
        sent = there.assign(arrived_s=there["time_s"])
    elif there is None:
        sent = sent.assign(arrived_s=float("nan"))
    else:
        arrived = there[[*_KEY, "nth", "time_s"]].rename(columns={"time_s": "arrived_s"})
        sent = sent.merge(arrived, on=[*_KEY, "nth"], how="left")
    halfway = sent["arrived_s"].isna() & (there is not None)
    under_way = sent["time_s"] + (sent["arrived_s"] - sent["time_s"]).min() > end_s
    labels = [label(row, windows) for row in records(sent)]
    return pd.DataFrame(
        {
            "sent_s": sent["time_s"],
            "arrived_s": sent["arrived_s"],
            "left": left,
            "halfway": halfway,
            "lost": halfway & ~under_way,
            "label": labels,
        }
    )


def _keyed(table: pd.DataFrame | None, direction: str) -> pd.DataFrame | None:
    if table is None:
        return None
    mine = table[table["direction"] == direction].sort_values("time_s", kind="stable")
    mine = mine.astype(dict.fromkeys(("src", "dst", "protocol", "flags"), "str"))
    return mine.assign(nth=mine.groupby(_KEY, sort=False).cumcount())


def _early(times: pd.Series[float]) -> float:
    return (float(times.iloc[MAX_PACKETS - 1]) + float(times.iloc[MAX_PACKETS])) / 2


def _arrows(packets: pd.DataFrame, height: int) -> pd.DataFrame:
    """Where arrows and texts go: x from 0 (left host) to 1, times in s."""
    transit = (
        (packets["arrived_s"] - packets["sent_s"]).groupby(packets["left"]).transform("median").fillna(0.0)
    )
    half = packets["sent_s"] + transit / 2
    to_s = packets["arrived_s"].where(
        packets["arrived_s"].notna(), half.where(packets["halfway"], packets["sent_s"])
    )
    from_x = (~packets["left"]).astype("float64")
    to_x = (1 - from_x).where(~packets["halfway"], 0.5)
    span = max(float(to_s.max() - packets["sent_s"].min()), 1e-6)
    texts = packets["label"].str.replace(r", (?=SACK|window)", _BREAK, regex=True)
    table = pd.DataFrame(
        {
            "sent_s": packets["sent_s"],
            "to_s": to_s,
            "from_x": from_x,
            "to_x": to_x,
            "fate": packets["lost"].map({True: "lost", False: "arrived"}),
            "label": texts,
            "side": packets["left"].map({True: "left", False: "right"}),
            "label_x": from_x.map({0.0: -0.04, 1.0: 1.04}),
            "label_s": _spread(packets.assign(label=texts), span / height * _LINE),
        }
    )
    return rounded(
        table, sent_s=DIGITS["packet_time"], to_s=DIGITS["packet_time"], label_s=DIGITS["packet_time"]
    )


def _spread(packets: pd.DataFrame, step: float) -> list[float]:
    """When each text begins: at its packet's time, or below the one before it on its side. step: s a line."""
    free = {True: -math.inf, False: -math.inf}
    times = []
    for time, left, text in zip(packets["sent_s"], packets["left"], packets["label"], strict=True):
        at = max(float(time), free[bool(left)])
        free[bool(left)] = at + step * (text.count(_BREAK) + 1)
        times.append(at)
    return times


def _shown(packets: pd.DataFrame, left: str, right: str) -> pd.DataFrame:
    table = rounded(packets, sent_s=DIGITS["packet_time"], arrived_s=DIGITS["packet_time"])
    return pd.DataFrame(
        {
            "Sent (s)": table["sent_s"],
            "Arrived (s)": table["arrived_s"],
            "From": table["left"].map({True: left, False: right}),
            "Packet": table["label"],
            "Lost": table["lost"].map({True: "lost", False: ""}),
        }
    ).head(TABLE_ROWS)


def _draw(data: Mapping[str, pd.DataFrame], height: int) -> alt.LayerChart:
    x = alt.X("from_x:Q", axis=None, scale=alt.Scale(domain=[-_EDGE, 1 + _EDGE], nice=False))
    down = alt.Scale(reverse=True, nice=False, zero=False)
    y = alt.Y("sent_s:Q", title="Time (s)", scale=down, axis=alt.Axis(grid=False, format="~g"))
    fate = alt.Color("fate:N", scale=_fates(theme.BLUE, theme.VERMILLION), legend=None)
    arrows = view("ladder-arrows", "packets").mark_rule(strokeWidth=1.4)
    turn = alt.expr(
        "90 + atan2(scale('y', datum.to_s) - scale('y', datum.sent_s),"
        " scale('x', datum.to_x) - scale('x', datum.from_x)) * 180 / PI"
    )
    heads = view("ladder-heads", "packets").mark_point(filled=True, size=110, opacity=1, angle=turn)
    shape = alt.Shape("fate:N", scale=_fates(_HEAD, "cross"), legend=None)
    leaders = view("ladder-leaders", "packets").mark_rule(color=theme.GREY, opacity=0.5)
    layers: list[alt.Chart] = [
        view("ladder-hosts", "hosts")
        .mark_rule(strokeWidth=2, color=theme.GREY)
        .encode(alt.X("x:Q", axis=None)),
        view("ladder-names", "hosts")
        .mark_text(fontSize=13, fontWeight="bold", dy=-10)
        .encode(alt.X("x:Q", axis=None), text="name:N", y=alt.value(0)),
        arrows.encode(x, y, alt.X2("to_x:Q"), alt.Y2("to_s:Q"), fate),
        heads.encode(alt.X("to_x:Q", axis=None), alt.Y("to_s:Q"), fate, shape),
        leaders.encode(x, y, alt.X2("label_x:Q"), alt.Y2("label_s:Q")),
        _texts("left", "right"),
        _texts("right", "left"),
    ]
    return layered(*layers).properties(width=theme.WIDTH, height=height, title="Packet by packet")


def _texts(side: str, align: Literal["left", "right"]) -> alt.Chart:
    dx = -4 if side == "left" else 4
    text = view(f"ladder-labels-{side}", "packets").mark_text(
        align=align,
        dx=dx,
        lineBreak=_BREAK,
        lineHeight=_LINE - 1,
        fontSize=alt.expr("width < 400 ? 9 : 11"),
    )
    chart: alt.Chart = text.encode(alt.X("label_x:Q", axis=None), alt.Y("label_s:Q"), text="label:N")
    return chart.transform_filter(f"datum.side === '{side}'")


def _fates(arrived: str, lost: str) -> alt.Scale:
    looks: Sequence[str] = [arrived, lost]
    return alt.Scale(domain=["arrived", "lost"], range=looks)
