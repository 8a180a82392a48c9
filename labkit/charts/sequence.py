"""The time-sequence diagram, as tcptrace draws it: what one sender sent and what came back for it.

Tcptrace: S. Ostermann, Ohio University, 1994 to 2003; the diagram: V. Jacobson, RFC 1185's time.
"""

from __future__ import annotations

from collections.abc import Collection

import altair as alt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import DIGITS, About, filled, finish, layered, most, rounded, view
from labkit.charts.lines import time_axis
from labkit.charts.runs import one_flow, within
from labkit.charts.sampling import spans, steps, thin
from labkit.charts.summary_table import over_time
from labkit.results.protocol import Run

SPANS = {"data": theme.BLUE, "sent again": theme.VERMILLION, "SACK": theme.PURPLE}
LINES = {"acknowledged": theme.GREEN, "window": theme.OCHRE}
_SPAN_ROWS, _LINE_ROWS = {"data": 500, "sent again": 250, "SACK": 350}, 500
_HEIGHT = 320


def time_sequence(
    run: Run,
    flow: str | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    window: bool = True,
    caption: str | None = None,
) -> alt.LayerChart:
    """Sequence number over time at the sender of one TCP flow (None: the first).

    Each segment is a bar from its first to its last byte; segments sent again have a colour and a
    mark of their own. Below run the acknowledgements, above them the SACK blocks and, with
    `window`, the receiver's window. start, end: s; a short range shows single segments. Raises
    EmptyFigureError, FigureError.
    """
    name = one_flow(run, flow, "time_sequence")
    packets = run.packet_table(str(run.flows.loc[name, "src"]))
    packets = packets[(packets["flow"] == name) & (packets["protocol"] == "tcp")]
    sent, back = sent_of(packets), acks_of(packets)
    filled(sent, "time_sequence", f"the capture has no data of {name}", "capture the sender's interface")
    sent = within(sent, "time_sequence", start, end)
    first, last = _range(sent, back, start, end)
    back = back[back["time_s"].between(first, last)]
    blocks = sacks_of(back)
    bars = pd.concat([_thinned(table, kind) for kind, table in _kinds(sent, blocks)], ignore_index=True)
    again = bars.loc[bars["kind"] == "sent again", ["time_s", "high"]]
    lines = pd.concat(
        [_line(back, "ack", "acknowledged"), _line(back, "edge", "window")[: None if window else 0]]
    )
    data = {
        "segments": rounded(bars, time_s=DIGITS["packet_time"]),
        "again": rounded(again, time_s=DIGITS["packet_time"]),
        "lines": rounded(lines, time_s=DIGITS["packet_time"]),
    }
    shown = pd.concat(
        [sent[["time_s", "kind"]].assign(seq=sent["high"]), _as_series(back)], ignore_index=True
    )
    about = About(
        "time-sequence",
        caption or f"What the sender of {name} sent, and what was acknowledged.",
        describe(name, sent, back, blocks),
        over_time(
            rounded(shown, time_s=DIGITS["packet_time"]), "time_s", "seq", "kind", "sequence number (bytes)"
        ),
    )
    kinds = {*data["segments"]["kind"], *data["lines"]["kind"]}
    return finish(draw(name, kinds, start), about, data)


def sent_of(packets: pd.DataFrame) -> pd.DataFrame:
    """time_s, kind, low, high: each segment with payload that left; kind "data" or "sent again".

    A segment is sent again if its bytes do not reach beyond all that was sent before it.
    """
    out = packets[(packets["direction"] == "out") & (packets["payload"] > 0)].sort_values(
        "time_s", kind="stable"
    )
    high = out["seq"] + out["payload"]
    again = high <= high.cummax().shift(fill_value=-1)
    kind = again.map({True: "sent again", False: "data"})
    table = pd.DataFrame({"time_s": out["time_s"], "kind": kind, "low": out["seq"], "high": high})
    return table.reset_index(drop=True)


def acks_of(packets: pd.DataFrame) -> pd.DataFrame:
    """time_s, ack, edge (ack + window, scaled), and the SACK blocks, of each segment that came back."""
    back = packets[(packets["direction"] == "in") & ~packets["flags"].astype("str").str.contains("[SR]")]
    table = back.assign(edge=back["ack"] + back["window"]).sort_values("time_s", kind="stable")
    blocks = [name for name in table.columns if name.startswith("sack")]
    return table[["time_s", "ack", "edge", *blocks]].reset_index(drop=True)


def sacks_of(back: pd.DataFrame) -> pd.DataFrame:
    """time_s, low, high: each block of each acknowledgement (RFC 2018)."""
    parts = []
    for i in range(1, 5):
        mine = back[back[f"sack{i}_left"] >= 0]
        low, high = mine[f"sack{i}_left"], mine[f"sack{i}_right"]
        parts.append(pd.DataFrame({"time_s": mine["time_s"], "low": low, "high": high}))
    return pd.concat(parts).sort_values(["time_s", "low"], kind="stable", ignore_index=True)


def describe(name: str, sent: pd.DataFrame, back: pd.DataFrame, blocks: pd.DataFrame) -> str:
    """What the figure shows, from unthinned tables."""
    again = sent[sent["kind"] == "sent again"]
    first, last = sent["time_s"].min(), sent["time_s"].max()
    text = (
        f"Sequence numbers of {name} from {words.number(first)} to {words.number(last)} s. The sender sends "
        f"{words.count(len(sent), 'segment')} up to byte {sent['high'].max() - 1:,}; "
        f"{words.count(len(again), 'segment')} of them again"
    )
    text += f", the first at {words.number(again['time_s'].min())} s." if len(again) else "."
    if len(back):
        text += f" Acknowledgements rise to byte {back['ack'].max() - 1:,}."
        new = back[back["ack"] != back["ack"].shift()]
        still = new.assign(still_s=new["time_s"].diff()).dropna(subset="still_s")
        if len(still):
            longest = most(still, "still_s")
            since, time = longest["time_s"] - longest["still_s"], longest["still_s"]
            text += f" They stand still longest from {words.number(since)} s, for {words.number(time)} s."
    return text + f" Receiver's SACK blocks: {words.count(len(blocks), 'block')}."


def _kinds(sent: pd.DataFrame, blocks: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """In the order in which they are drawn: what matters most last."""
    return [
        ("SACK", blocks.assign(kind="SACK")),
        *((str(kind), t) for kind, t in sent.groupby("kind", sort=True)),
    ]


def _thinned(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    return spans(table, "time_s", "low", "high", "kind", _SPAN_ROWS[kind])


def _line(back: pd.DataFrame, column: str, kind: str) -> pd.DataFrame:
    table = back[["time_s"]].assign(seq=back[column], kind=kind)
    return thin(steps(table, "seq", "kind"), "time_s", "seq", "kind", _LINE_ROWS) if len(table) else table


def _as_series(back: pd.DataFrame) -> pd.DataFrame:
    return back[["time_s"]].assign(kind="acknowledged", seq=back["ack"])


def _range(
    sent: pd.DataFrame, back: pd.DataFrame, start: float | None, end: float | None
) -> tuple[float, float]:
    times = pd.concat([sent["time_s"], back["time_s"]])
    return float(times.min()) if start is None else start, float(times.max()) if end is None else end


def draw(flow: str, kinds: Collection[str], start: float | None = None) -> alt.LayerChart:
    """The figure of a flow without data and words. kinds: of SPANS and LINES those that are in it."""
    looks = {kind: color for kind, color in {**SPANS, **LINES}.items() if kind in kinds}
    scale = alt.Scale(domain=list(looks), range=list(looks.values()))
    color = alt.Color(
        "kind:N", scale=scale, title=None, legend=alt.Legend(symbolType="stroke", symbolStrokeWidth=3)
    )
    low = alt.Y("low:Q", title="Sequence number (bytes)", axis=alt.Axis(format="~s"))
    low = low.scale(zero=False, nice=False)
    said = [alt.Tooltip("time_s:Q", title="s"), "kind:N", alt.Tooltip("low:Q", title="from byte"), "high:Q"]
    width = alt.condition("datum.kind === 'SACK'", alt.value(1), alt.value(2.5))
    faint = alt.condition("datum.kind === 'SACK'", alt.value(0.5), alt.value(1))
    bars = view("sequence-segments", "segments").mark_rule(clip=True)
    bars = bars.encode(
        time_axis(start), low, alt.Y2("high:Q"), color, strokeWidth=width, opacity=faint, tooltip=said
    )
    layers: list[alt.Chart] = [bars]
    curves = view("sequence-lines", "lines").mark_line(interpolate="step-after", strokeWidth=1.2, clip=True)
    dashes = alt.Scale(domain=list(LINES), range=[[1, 0], [5, 3]])
    dash = alt.StrokeDash("kind:N", scale=dashes, legend=None)
    layers.append(curves.encode(time_axis(start), alt.Y("seq:Q"), color, dash))
    marks = view("sequence-again", "again").mark_point(
        shape="triangle-down", size=50, filled=True, yOffset=-6
    )
    marks = marks.encode(
        time_axis(start), alt.Y("high:Q"), color=alt.value(theme.VERMILLION), opacity=alt.value(1)
    )
    chart = layered(*layers, marks)
    return chart.properties(width=theme.WIDTH, height=_HEIGHT, title=f"Time and sequence number, {flow}")
