"""What a notebook shows of a sweep: a line about it, its means as a table, what failed."""

from __future__ import annotations

import html
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from labkit.sweeps import measures

if TYPE_CHECKING:
    from labkit.sweeps.swept import Sweep


def page(swept: Sweep) -> str:
    """HTML: a row per point (and flow, if there are several), a column per measure: its mean and half of
    its interval, and what was published."""
    counts = swept.table.groupby([axis.path for axis in swept.axes])["seed"].nunique()
    seeds = "1 seed" if counts.max() == 1 else f"{counts.max()} seeds"
    interval = "" if counts.max() == 1 else f", each with half of the {swept.summary().attrs['interval']}"
    said = html.escape(f"{swept.runs} runs; means of {seeds}{interval}.")
    shown = points(swept).to_html(border=0, index=False)
    failures = html.escape(swept.failures()).replace("\n", "<br>")
    return f"<div><p>{said}</p>{shown}" + (f"<p>{failures}</p>" if failures else "") + "</div>"


def points(swept: Sweep) -> pd.DataFrame:
    """The summary as texts, one row per point."""
    summary = swept.summary()
    keys = [key for key in swept.keys if summary[key].nunique(dropna=False) > 1]
    by = [*(axis.path for axis in swept.axes), *swept.keys]
    rows = []
    for _, part in summary.groupby(by, sort=False, dropna=False):
        found = {str(row["measure"]): row for row in part.to_dict("records")}
        first = next(iter(found.values()))
        row = {axis.path: _value(first[axis.path], axis.unit) for axis in swept.axes}
        row |= {key: str(first[key]) for key in keys}
        for name in swept.measures:
            unit = measures.SHORT.get(name)
            row[f"{name} ({unit})" if unit else name] = _mean(found[name])
            if "published" in summary and summary.loc[summary["measure"] == name, "published"].notna().any():
                row[f"published {name}"] = _number(found[name]["published"])
        rows.append(row)
    return pd.DataFrame(rows).fillna("")


def _value(label: object, unit: str) -> str:
    """A value of an axis: shares in percent, numbers with their unit."""
    if isinstance(label, str | bool) or not unit:
        return str(label)
    number = float(str(label))
    return f"{100 * number:.4g} %" if unit == "share" else f"{number:.6g} {unit}"


def _mean(row: Mapping[Hashable, Any]) -> str:
    mean, half = row["mean"], (row["high"] - row["low"]) / 2
    return _number(mean) if half != half else f"{_number(mean)} ± {half:.2g}"


def _number(value: float) -> str:
    return "" if value != value else f"{value:.4g}"
