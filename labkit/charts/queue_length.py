"""Queue length and queueing delay: of every packet (probe "queue"), or sampled (probe "backlog")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import altair as alt
import pandas as pd

from labkit.charts import theme, words
from labkit.charts.figure import (
    DIGITS,
    About,
    EmptyFigureError,
    FigureError,
    filled,
    finish,
    layered,
    most,
    rounded,
    view,
)
from labkit.charts.lines import curves, framed, mean_over_time, time_axis
from labkit.charts.runs import Runs, inside, labelled, recorded, series_of, within
from labkit.charts.sampling import first_of_each, last_before, thin
from labkit.charts.summary_table import over_time
from labkit.results.protocol import Run

_CURE = 'give the link a rate, such as rate="10mbit", and the experiment probes={"queue"}'
_MARKS, _POINTS = 120, 730


def queue(
    runs: Runs,
    at: tuple[str, str] | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Packets waiting in one queue over time; of several runs one curve per label.

    at: the queue, as (host, towards which host); None: the one where most packets waited. Exact with
    the probe "queue", else the samples of "backlog". Packets that it dropped are marked if the run
    was made with the probe "drops". start, end: s. Raises EmptyFigureError, FigureError.
    """
    place = at or fullest(runs)
    lengths = within(_by_label(runs, place, length_of), "queue", start, end)
    lost = inside(_by_label(runs, place, drops_of), start, end)
    names = series_of(lengths)
    shown = rounded(lengths, time_s=DIGITS["time"])[["time_s", "series", "packets"]]
    data = {
        "queue": thin(shown, "time_s", "packets", "series", _POINTS),
        "drops": first_of_each(rounded(lost, time_s=DIGITS["time"]), "time_s", "series", _MARKS),
    }
    where = f"the queue from {place[0]} to {place[1]}"
    said = [_length_said(n, lengths[lengths["series"] == n], lost[lost["series"] == n]) for n in names]
    about = About(
        "queue",
        caption or f"Packets waiting in {where}.",
        f"Packets waiting in {where}. {words.limited(said, 8, 'series')}",
        over_time(shown, "time_s", "packets", "series", "waiting (packets)"),
    )
    return finish(draw_queue(names, _arrow(place), start), about, data)


def draw_queue(names: Sequence[str], at: str, start: float | None = None) -> alt.LayerChart:
    """The figure of a queue ("r1 → r2") without data and words."""
    marks = view("queue-drops", "drops").mark_point(
        shape="cross", size=45, angle=45, filled=True, opacity=1, color=theme.VERMILLION
    )
    chart = layered(
        *curves("queue", "queue", "packets", "Queue (packets)", names, start=start),
        marks.encode(
            time_axis(start), alt.Y("packets:Q"), tooltip=[alt.Tooltip("time_s:Q", title="dropped, s")]
        ),
    )
    return framed(chart, f"Queue {at}")


def delay(
    runs: Runs,
    at: tuple[str, str] | None = None,
    *,
    start: float | None = None,
    end: float | None = None,
    caption: str | None = None,
) -> alt.LayerChart:
    """Time that packets spend in one queue (ms), over the time at which they came.

    Each packet's own wait if every packet was recorded (probe "queue"); else the sampled backlog
    divided by the link's rate. at, start, end: as for `queue`. Raises EmptyFigureError, FigureError.
    """
    place = at or fullest(runs)
    waits = within(_by_label(runs, place, wait_of), "delay", start, end)
    names = series_of(waits)
    shown = rounded(waits, time_s=DIGITS["time"], ms=DIGITS["ms"])[["time_s", "series", "ms"]]
    where = f"the queue from {place[0]} to {place[1]}"
    said = [_wait_said(n, waits[waits["series"] == n]) for n in names]
    about = About(
        "delay",
        caption or f"Time spent in {where}.",
        f"Time that packets spend in {where}. {words.limited(said, 8, 'series')}",
        over_time(shown, "time_s", "ms", "series", "delay (ms)"),
    )
    data = {"delay": thin(shown, "time_s", "ms", "series")}
    return finish(draw_delay(names, _arrow(place), start), about, data)


def draw_delay(names: Sequence[str], at: str, start: float | None = None) -> alt.LayerChart:
    """The figure of a queue ("r1 → r2") without data and words."""
    lines = curves("delay", "delay", "ms", "Queueing delay (ms)", names, start=start)
    return framed(layered(*lines), f"Queueing delay {at}")


def fullest(runs: Runs) -> tuple[str, str]:
    """The queue, as (host, peer), that held most packets in the first run. Raises EmptyFigureError."""
    run = next(iter(labelled(runs).values()))
    exact = recorded(run, "queue")
    table = run.queue if exact else run.backlog
    filled(table, "queue", "no packet reached a queue", _CURE)
    column = "packets" if exact else "backlog_packets"
    longest = most(table.sort_values(["host", "peer"], kind="stable"), column)
    return str(longest["host"]), str(longest["peer"])


def length_of(run: Run, at: tuple[str, str]) -> pd.DataFrame:
    """time_s, packets: what waits in a queue. Exact at each arrival: before and after it.

    Between arrivals the queue only gets shorter: where it ran empty, the moment is in it.
    """
    if not recorded(run, "queue"):
        table = _at(run.backlog, at)
        return table[["time_s"]].assign(packets=table["backlog_packets"].astype("int64"))
    table = _at(run.queue, at).sort_values("enqueued_s", kind="stable", ignore_index=True)
    came, ahead = table["enqueued_s"], table["packets"].astype("int64")
    left = table["dequeued_s"].cummax().ffill().shift()
    parts = [
        pd.DataFrame({"time_s": left, "packets": 0, "turn": 0})[(ahead == 0) & (left < came)],
        pd.DataFrame({"time_s": came, "packets": ahead, "turn": 1}),
        pd.DataFrame({"time_s": came, "packets": ahead + 1, "turn": 2}),
    ]
    points = pd.concat(parts).reset_index(names="row").sort_values(["row", "turn"], kind="stable")
    return points[["time_s", "packets"]].reset_index(drop=True)


def drops_of(run: Run, at: tuple[str, str]) -> pd.DataFrame:
    """time_s, packets: each packet that was dropped here, with what was waiting. Empty without the probe."""
    lengths = length_of(run, at)
    if not recorded(run, "drops"):
        return lengths.iloc[:0]
    table = run.drops
    lost = table[(table["place"] == "queue") & (table["host"] == at[0]) & (table["peer"] == at[1])]
    times = lost["time_s"].sort_values()
    return pd.DataFrame({"time_s": times, "packets": last_before(lengths, "packets", times)})


def wait_of(run: Run, at: tuple[str, str]) -> pd.DataFrame:
    """time_s, ms: how long the packet that came then waited."""
    if recorded(run, "queue"):
        table = _at(run.queue, at)
        kept = table[table["wait_s"].notna()]
        return pd.DataFrame({"time_s": kept["enqueued_s"], "ms": 1000 * kept["wait_s"]})
    rate = _rate(run, at)
    if rate is None:
        raise EmptyFigureError(
            f"delay: the link {at[0]} to {at[1]} has no rate: nothing waits there: {_CURE}"
        )
    table = _at(run.backlog, at)
    return pd.DataFrame({"time_s": table["time_s"], "ms": 8000 * table["backlog_bytes"] / rate})


def _at(table: pd.DataFrame, at: tuple[str, str]) -> pd.DataFrame:
    mine = table[(table["host"] == at[0]) & (table["peer"] == at[1])]
    if mine.empty and len(table):
        known = table[["host", "peer"]].astype("str").drop_duplicates()
        named = ", ".join(f"({host!r}, {peer!r})" for host, peer in known.itertuples(index=False))
        raise FigureError(f"at={at}: no packet reached such a queue: there are {named}")
    return filled(mine, "queue", f"no packet reached the queue from {at[0]} to {at[1]}", _CURE)


def _by_label(
    runs: Runs, at: tuple[str, str], read: Callable[[Run, tuple[str, str]], pd.DataFrame]
) -> pd.DataFrame:
    parts = [read(run, at).assign(series=label or _arrow(at)) for label, run in labelled(runs).items()]
    return pd.concat(parts, ignore_index=True)


def _arrow(at: tuple[str, str]) -> str:
    return f"{at[0]} → {at[1]}"


def _rate(run: Run, at: tuple[str, str]) -> int | None:
    """bit/s at which a queue is emptied: with ports, the speed of the slower one."""
    link = run.experiment.topology.link(*at)
    speeds = [port.speed for port in (link.nic_a, link.nic_b) if port is not None]
    return min(speeds) if speeds else (link.forward if link.a == at[0] else link.backward).rate


def _length_said(name: str, mine: pd.DataFrame, lost: pd.DataFrame) -> str:
    mean = words.number(mean_over_time(mine, "packets"))
    text = f"{_most_said(name, mine, 'packets')}; mean over time {mean}"
    if len(lost):
        first = words.number(lost["time_s"].min())
        text += f"; {words.count(len(lost), 'packet')} dropped, the first at {first} s"
    return text + "."


def _wait_said(name: str, mine: pd.DataFrame) -> str:
    """The median is of packets, or of samples: what a packet meets, not what a moment is like."""
    return (
        f"{_most_said(name, mine, 'ms')}; median of {len(mine):,} values {words.number(mine['ms'].median())}."
    )


def _most_said(name: str, mine: pd.DataFrame, unit: str) -> str:
    top = most(mine, unit)
    return f"{name}: at most {words.number(top[unit])} {unit}, at {words.number(top['time_s'])} s"
