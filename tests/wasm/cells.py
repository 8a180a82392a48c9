"""Two results, table by table and cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pandas as pd

from labkit import Result, probes
from labkit.results.replay import ProbeMissingError
from labkit.traffic import TABLES

ALWAYS = ("flows", "counters", "interfaces", "qdiscs", "loss_states", *TABLES)


def tables(result: Result) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every table that a run recorded, by name."""
    for name in ALWAYS:
        yield name, getattr(result, name)
    for probe in sorted(result.experiment.probes):
        for name in probes.KINDS[probe].tables:
            with suppress(ProbeMissingError):  # there was nothing to trace
                yield name, result.table(name)
    if "drops" in result.experiment.probes:
        yield "drops", result.drops
    for host in dict.fromkeys(capture.host for capture in result.experiment.capture):
        yield f"packets of {host}", result.packet_table(host)


def differing(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, int]:
    """Column -> in how many rows two tables differ; "rows" alone: by so many they differ in length."""
    if len(one) != len(other):
        return {"rows": len(other) - len(one)}
    found = {}
    mine, theirs = one.reset_index(), other.reset_index()
    for column in mine:
        here, there = _plain(mine[column]), _plain(theirs[column])
        same = (here == there) | (here.isna() & there.isna())
        if not same.all():
            found[str(column)] = int((~same).sum())
    return found


def _plain(column: pd.Series) -> pd.Series:
    """Words as words: those of two results may be numbered otherwise."""
    return column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column


def compared(one: Result, other: Result) -> dict[str, dict[str, int]]:
    """Table -> what differs there, of all tables that have a row."""
    both = zip(tables(one), tables(other), strict=True)
    found = {}
    for (name, mine), (same, theirs) in both:
        assert name == same
        if len(mine) or len(theirs):
            found[name] = differing(mine, theirs)
    return found
