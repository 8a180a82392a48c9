"""What every figure has: data by fixed names, a description, a caption, a table. Draws nothing itself.

Values are rounded before they enter a figure, so that the same run gives the same figure on every
machine, whatever the last bit of a sum: `DIGITS` says how far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import altair as alt
import pandas as pd

from labkit.errors import LabkitError

# Decimals. Times: 0.1 ms in overviews, 1 µs where single packets are to be seen (sequence, ladder, ledger).
DIGITS = {"time": 4, "packet_time": 6, "ms": 3, "Mbit/s": 3, "share": 4, "packets": 2}
TABLE_ROWS = 60

Chart = TypeVar("Chart", alt.Chart, alt.LayerChart)


class EmptyFigureError(LabkitError):
    """A figure of nothing; names the figure, what is missing, and what would be right."""


class FigureError(LabkitError, ValueError):
    """A figure that cannot be drawn as asked for; names the argument and what would be right."""


@dataclass(frozen=True)
class About:
    """The words of a figure. table: one row per line behind the fold, headed by its column names.

    least: pixels of width below which a page lets the figure scroll rather than shrink; None: it may shrink.
    """

    name: str
    caption: str
    description: str
    table: pd.DataFrame
    least: int | None = None


def finish(chart: Chart, about: About, data: Mapping[str, pd.DataFrame]) -> Chart:
    """The chart with its data, which its layers name, and with its words."""
    table = about.table.head(TABLE_ROWS)
    shown = {
        "columns": [[title, title] for title in table.columns],
        "rows": [list(row.values()) for row in records(table)],
    }
    meta = {"name": about.name, "caption": about.caption, "table": shown}
    usermeta = {"labkit": meta if about.least is None else {**meta, "least": about.least}}
    worded = chart.properties(description=about.description, usermeta=usermeta)
    # Not by properties(), which would check each row against Vega-Lite's schema.
    worded.datasets = {name: records(frame) for name, frame in data.items()}
    return worded


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of plain Python values; what is missing is None."""
    plain = table.astype(object)
    rows = plain.where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def view(name: str, data: str, **options: Any) -> alt.Chart:
    """An empty view of the data of that name."""
    return alt.Chart(alt.NamedData(name=data), name=name, **options)


def layered(*layers: alt.Chart) -> alt.LayerChart:
    """One view over the other."""
    return alt.LayerChart(layer=list(layers))


def most(table: pd.DataFrame, column: str) -> dict[str, Any]:
    """The first row with the largest value."""
    return records(table.iloc[[int(table[column].argmax())]])[0]


def least(table: pd.DataFrame, column: str) -> dict[str, Any]:
    """The first row with the smallest value."""
    return records(table.iloc[[int(table[column].argmin())]])[0]


def filled(table: pd.DataFrame, figure: str, lacks: str, cure: str) -> pd.DataFrame:
    """The table, which has rows. Raises EmptyFigureError."""
    if table.empty:
        raise EmptyFigureError(f"{figure}: nothing to draw: {lacks}: {cure}")
    return table


def check_columns(table: pd.DataFrame, names: Iterable[str], figure: str) -> None:
    """Raises FigureError for a column that the table has not."""
    for name in names:
        if name not in table.columns:
            known = ", ".join(map(str, table.columns))
            raise FigureError(f"{figure}: no column {name!r}: columns are {known}")


def rounded(table: pd.DataFrame, **digits: int) -> pd.DataFrame:
    """Columns rounded to so many decimals; no -0.0."""
    return table.assign(**{name: table[name].astype("float64").round(n) + 0.0 for name, n in digits.items()})
