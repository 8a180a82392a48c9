"""Runs in which a flow did not come to its end: their points are hollow, and the caption says so."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from labkit.charts import words

COLUMN = "incomplete"
"""Of a table that is drawn: in how many of a mean's runs, or whether in this run, a flow was cut."""
_HOLLOW = "Hollow: a flow did not come to its end there."


def of(table: pd.DataFrame, column: str = COLUMN) -> pd.Series[int]:
    """How many runs, per row; 0 where the table does not say."""
    if column not in table:
        return pd.Series(0, table.index)
    return table[column].fillna(0).astype("int64")


def caption(text: str, runs: pd.Series[int]) -> str:
    """The caption, with what hollow points mean if there are any."""
    return f"{text} {_HOLLOW}" if (runs > 0).any() else text


def described(row: dict[str, Any]) -> str:
    """What to say behind a value: "" or " (2 runs incomplete)"."""
    runs = int(row.get(COLUMN) or 0)
    return f" ({words.count(runs, 'run')} incomplete)" if runs else ""


def marks(
    chart: alt.Chart, runs: pd.Series[int], looks: list[Any], said: list[Any], **properties: Any
) -> list[alt.Chart]:
    """Points of a view whose data has the column `incomplete`: full ones and, if there are any, hollow ones.

    looks, said: encodings and tooltips of both; properties: of mark_point.
    """
    full = chart.mark_point(**properties, filled=True, opacity=1).encode(*looks, tooltip=said)
    if not (runs > 0).any():
        return [full]
    hollow = chart.mark_point(**properties, filled=False, opacity=1, strokeWidth=1.8).encode(
        *looks, tooltip=said
    )
    return [
        full.transform_filter("!(datum.incomplete > 0)"),
        hollow.transform_filter("datum.incomplete > 0").properties(name=f"{chart.name}-incomplete"),
    ]
