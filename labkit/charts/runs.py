"""What figures are made of: one run or several with labels, and their tables with one name per series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pandas as pd

from labkit.charts.figure import FigureError, filled
from labkit.results.acknowledged import connections
from labkit.results.protocol import Run

Runs: TypeAlias = Run | Mapping[str, Run]


def labelled(runs: Runs) -> dict[str, Run]:
    """The runs by their labels; a single one has the label ""."""
    if not isinstance(runs, Mapping):
        return {"": runs}
    if not runs:
        raise FigureError('runs: an empty mapping: write {"reno": result, "cubic": other}')
    return {str(label): run for label, run in runs.items()}


def recorded(run: Run, probe: str) -> bool:
    """Whether the run was made with this probe on."""
    return probe in {str(name) for name in run.experiment.probes}


def by_series(runs: Runs, read: Callable[[Run], pd.DataFrame], flows: Sequence[str] | None) -> pd.DataFrame:
    """The tables of all runs, with a column `series`: the flow, the run's label, or "label: flow".

    read: a run's table with a column `flow`. flows: which ones; None: all. Raises FigureError for
    a flow that no run has.
    """
    if isinstance(flows, str):
        flows = [flows]
    parts = []
    for label, run in labelled(runs).items():
        check_flows(flows, run)
        table = read(run)
        table = table.assign(flow=table["flow"].astype("str"))
        if flows is not None:
            table = table[table["flow"].isin(flows)]
        several = len(connections(run) if flows is None else flows) > 1
        names = {flow: _series(label, flow, several) for flow in table["flow"].unique()}
        parts.append(table.assign(series=table["flow"].map(names)))
    return pd.concat(parts, ignore_index=True)


def series_of(table: pd.DataFrame) -> list[str]:
    """The names of the series, in the order in which they appear."""
    return [str(name) for name in table["series"].unique()]


def check_flows(flows: Sequence[str] | None, run: Run) -> None:
    """Raises FigureError for a flow that the run has not."""
    names = [str(name) for name in run.flows.index]
    for flow in flows or ():
        if flow not in names:
            raise FigureError(f"flow {flow!r}: no such flow: flows are {', '.join(names) or 'none'}")


def one_flow(run: Run, flow: str | None, figure: str) -> str:
    """That flow, or else the first of TCP. Raises FigureError, EmptyFigureError."""
    check_flows(None if flow is None else [flow], run)
    if flow is not None:
        return flow
    tcp = run.flows.loc[connections(run)]
    filled(tcp, figure, "the run has no TCP flow", 'add Flow("left", "right", size="1MB")')
    return str(tcp.index[0])


def within(
    table: pd.DataFrame, figure: str, start: float | None, end: float | None, time: str = "time_s"
) -> pd.DataFrame:
    """The rows from start to end (s). Raises FigureError, EmptyFigureError."""
    if start is not None and end is not None and not start < end:
        raise FigureError(f"{figure}: start={start}, end={end}: the start must be before the end")
    if table.empty or (start is None and end is None):
        return table
    first, last = float(table[time].min()), float(table[time].max())
    kept = inside(table, start, end, time)
    lacks = f"no data from {_bound(start, first)} to {_bound(end, last)} s"
    return filled(kept, figure, lacks, f"there is some from {first:.6g} to {last:.6g} s")


def inside(table: pd.DataFrame, start: float | None, end: float | None, time: str = "time_s") -> pd.DataFrame:
    """The rows from start to end (s), be there any or none."""
    low, high = -float("inf") if start is None else start, float("inf") if end is None else end
    return table[table[time].between(low, high)]


def _bound(given: float | None, otherwise: float) -> str:
    return f"{otherwise if given is None else given:.6g}"


def _series(label: str, flow: str, several: bool) -> str:
    if not label:
        return flow
    return f"{label}: {flow}" if several else label
