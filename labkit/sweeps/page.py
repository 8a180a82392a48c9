"""What a notebook shows of a sweep: a line about it, its means as a table, what failed.

Plain tables and texts go in; this file knows no Sweep.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from labkit.measures import vocabulary
from labkit.sweeps.axes import Axis


def page(said: str, shown: pd.DataFrame, failures: str) -> str:
    """HTML: what is said of the sweep, the table of `points`, and what failed ("" if nothing did)."""
    below = f"<p>{_escaped(failures)}</p>" if failures else ""
    return f"<div><p>{_escaped(said)}</p>{shown.to_html(border=0, index=False)}{below}</div>"


def points(summary: pd.DataFrame, axes: Sequence[Axis], keys: Sequence[str]) -> pd.DataFrame:
    """A sweep's summary as texts: a row per point (and flow, if there are several), a column per measure: its
    mean and half of its interval, in how many runs a flow was cut, and what was published.

    summary: as `Sweep.summary` gives it; keys: its columns that say of what a mean is ("flow").
    """
    several = [key for key in keys if summary[key].nunique(dropna=False) > 1]
    by = [*(axis.path for axis in axes), *keys]
    published = summary[summary["published"].notna()] if "published" in summary else summary.head(0)
    compared = set(published["measure"])
    rows = []
    for _, part in summary.groupby(by, sort=False, dropna=False):
        found = {str(row["measure"]): row for row in part.to_dict("records")}
        first = next(iter(found.values()))
        row = {axis.path: _value(first[axis.path], axis.unit) for axis in axes}
        row |= {key: str(first[key]) for key in several}
        for name, measured in found.items():
            unit = vocabulary.SHORT.get(name)
            row[f"{name} ({unit})" if unit else name] = _mean(measured)
            if name in compared:
                row[f"published {name}"] = _number(measured["published"])
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")


def _value(label: object, unit: str) -> str:
    """A value of an axis: shares in percent, numbers with their unit."""
    if isinstance(label, str | bool) or not unit:
        return str(label)
    number = float(str(label))
    return f"{100 * number:.4g} %" if unit == "share" else f"{number:.6g} {unit}"


def _mean(row: Mapping[Hashable, Any]) -> str:
    mean, half = row["mean"], (row["high"] - row["low"]) / 2
    cut = f" ({row['incomplete']} incomplete)" if row["incomplete"] else ""
    return (_number(mean) if half != half else f"{_number(mean)} ± {half:.2g}") + cut


def _number(value: float) -> str:
    return "" if value != value else f"{value:.4g}"
