"""What an algorithm does, and not how it starts: a quantity's mean once it has settled, or why there is none.

The method is labkit.models.steady_state: MSER-5 finds the end of the warm-up, ten batches give the interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.errors import LabkitError, SpecError
from labkit.models.steady_state import FEWEST, Unsettled, steady_state
from labkit.results.acknowledged import acked_in, acked_of, connections
from labkit.schema.base import did_you_mean

if TYPE_CHECKING:
    from labkit.results.result import Result

QUANTITIES: Mapping[str, str] = {
    "goodput": "Mbit/s of payload acknowledged",
    "share": "of the goodput of all flows here",
    "cwnd": "packets",
    "queue": "packets waiting",
}
UNITS: dict[str, str] = {
    "value": "the mean from from_s on, in the quantity's unit",
    "low": "lower end of its 95 % confidence interval",
    "high": "upper end",
    "from_s": "s: when the warm-up is over",
    "until_s": "s: when the first of these flows ends",
}
_MOST = 1000
"""Intervals into which a run is cut: MSER-5 then has means of 200 fives."""
Edges = npt.NDArray[np.float64]


class NotSettledError(LabkitError):
    """There is no steady state to speak of yet; names whose, why, and how long it would take."""


def settled(
    result: Result,
    quantity: str,
    flows: Sequence[str] | None = None,
    *,
    at: tuple[str, str] | None = None,
) -> pd.DataFrame:
    """A quantity's mean once it has settled, with its 95 % confidence interval: one row per flow.

    quantity: "goodput", "share", "cwnd", of the time while all `flows` are there (None: all of TCP), or
    "queue" (at: as (host, towards which host); None: where most packets waited). The warm-up is found by
    MSER-5 and left out; the interval is Student's t of ten batch means: see labkit.models.steady_state.
    Columns: value, low, high, from_s, until_s (s); units are in the table's `attrs`.

    Raises NotSettledError where the warm-up takes more than half of the time, where a trend is left (of over
    a twentieth of the mean, with a chance of under 1 %), or where the quantity swings so slowly that ten
    batches are not independent. Raises SpecError for a quantity or flow that is not there, and for a run that
    is too short to say.
    """
    if quantity not in QUANTITIES:
        hint = did_you_mean(quantity, list(QUANTITIES)) or f": there are {', '.join(QUANTITIES)}"
        raise SpecError(f"settled: quantity={quantity!r}: no such quantity{hint}")
    if quantity == "queue":
        start, end, series = _queue(result, at)
    else:
        chosen = _chosen(result, flows)
        start, end = _together(result, chosen)
        series = _OF_FLOWS[quantity](result, chosen)
    edges = _edges(result, quantity, start, end)
    width = float(edges[1] - edges[0])
    rows = {}
    for name, values in series(edges).items():
        found = steady_state(values)
        if isinstance(found, Unsettled):
            raise NotSettledError(_said(quantity, str(name), found, start, end))
        rows[name] = (found.mean, found.low, found.high, float(edges[0]) + width * found.first, end)
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(UNITS)).rename_axis("flow")
    table.attrs["units"] = {
        "value": QUANTITIES[quantity],
        **{name: UNITS[name] for name in ("from_s", "until_s")},
    }
    return table


def _chosen(result: Result, flows: Sequence[str] | None) -> list[str]:
    known = connections(result)
    chosen = known if flows is None else [flows] if isinstance(flows, str) else list(flows)
    for name in chosen:
        if name not in known:
            raise SpecError(
                f"settled: flow {name!r}: no such TCP flow: flows are {', '.join(known) or 'none'}"
            )
    if not chosen:
        raise SpecError('settled: the run has no TCP flow: add Flow("left", "right", duration="120s")')
    return chosen


def _together(result: Result, flows: Sequence[str]) -> tuple[float, float]:
    """From when until when (s) all of them are there."""
    started = result.flows.loc[list(flows), "established_s"]
    start, end = float(started.max()), float(result.given_until()[list(flows)].min())
    if started.isna().any():
        missing = started.index[started.isna()][0]
        raise SpecError(f"settled: flow {missing!r} was never there: see result.flows")
    if not start < end:
        raise SpecError(f"settled: {', '.join(flows)} are at no time there together: see result.flows")
    return start, end


def _edges(result: Result, quantity: str, start: float, end: float) -> Edges:
    """Of equal intervals, none shorter than that of the samples. Raises SpecError if they are too few."""
    sample = result.experiment.sample_interval
    count = min(_MOST, int((end - start) / sample + 1e-9))
    if count < FEWEST:
        raise SpecError(
            f"settled: {quantity}: {end - start:.3g} s of it, by samples each {sample:g} s, are {count} "
            f"values: at least {FEWEST} are needed: run it for {FEWEST * sample:g} s or longer, or give a "
            "smaller sample_interval"
        )
    found: Edges = np.linspace(start, end, count + 1)
    return found


Series = Callable[[Edges], pd.DataFrame]


def _goodput(result: Result, flows: Sequence[str]) -> Series:
    acked = acked_of(result)
    return lambda edges: 8e-6 * acked_in(acked, edges)[list(flows)] / (edges[1] - edges[0])


def _share(result: Result, flows: Sequence[str]) -> Series:
    rates = _goodput(result, flows)

    def of(edges: Edges) -> pd.DataFrame:
        got = rates(edges)
        return got.div(got.sum(axis=1).replace(0.0, np.nan), axis=0).ffill().fillna(1 / len(flows))

    return of


def _cwnd(result: Result, flows: Sequence[str]) -> Series:
    from labkit.charts.windows import windows_of

    windows = windows_of(result)

    def of(edges: Edges) -> pd.DataFrame:
        each = {name: windows[windows["flow"].astype("str") == name] for name in flows}
        return pd.DataFrame(
            {name: _means(table, "packets", edges, step=True) for name, table in each.items()}
        )

    return of


_OF_FLOWS: Mapping[str, Callable[[Result, Sequence[str]], Series]] = {
    "goodput": _goodput,
    "share": _share,
    "cwnd": _cwnd,
}


def _queue(result: Result, at: tuple[str, str] | None) -> tuple[float, float, Series]:
    """From when until when (s), and the lengths of this queue."""
    from labkit.charts.queue_length import fullest, length_of

    place = at or fullest(result)
    lengths = length_of(result, place)
    start, end = float(lengths["time_s"].min()), float(lengths["time_s"].max())
    name = f"{place[0]} → {place[1]}"
    return start, end, lambda edges: pd.DataFrame({name: _means(lengths, "packets", edges, step=False)})


def _means(curve: pd.DataFrame, column: str, edges: Edges, *, step: bool) -> Edges:
    """The mean of a curve over time in each interval. step: a value stays until the next; else it is linear
    between."""
    times, values = curve["time_s"].to_numpy("float64"), curve[column].to_numpy("float64")
    height = values[:-1] if step else (values[1:] + values[:-1]) / 2
    area = np.concatenate([[0.0], np.cumsum(height * np.diff(times))])
    if step:
        within = np.searchsorted(times, edges, "right").clip(1) - 1
        at_edges = area[within] + values[within] * (edges - times[within]).clip(0)
    else:
        at_edges = np.interp(edges, times, area)
    found: Edges = np.diff(at_edges) / np.diff(edges)
    return found


def _said(quantity: str, name: str, found: Unsettled, start: float, end: float) -> str:
    longer = (
        f"run it for {start + found.times * (end - start):.0f} s or longer, or say that it is of the start"
    )
    way = "rises" if found.drift > 0 else "falls"
    size = (
        f"{abs(found.drift):.3g} {QUANTITIES[quantity].split()[0]}"
        if quantity != "share"
        else f"{abs(found.drift):.2g}"
    )
    why = {
        "warm-up": f"its warm-up takes more than half of the {end - start:.3g} s",
        "trend": f"it still {way}, by {size} over the time that counts",
        "slow swings": f"it swings so slowly that {end - start:.3g} s hold too few swings",
    }[found.fault]
    return f"settled: {quantity} of {name} has not settled: {why}: {longer}"
