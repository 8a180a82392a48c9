"""What a face is given of an explorer's runs, and what a recording holds of them: each point of the grid.

    format     2; a page that reads another one says so
    name, caption, description     as in any figure; the description is the default point's
    knobs      [{name, label, kind: choice|slider|toggle, texts, default}]
    charts     Vega-Lite without data, description and usermeta: mostly one, of all points
    points     {"0,2": {description, summary, chart, data}}, by the knobs' indices
      summary  the point's row of the table, as [[title, text], ...]
      chart    the number of its chart
      data     {dataset: {column: values}}; values is {"is": one value for all rows}, {"n": numbers
               with spaces between, "-" for none}, {"of": texts, "at": their indices with spaces
               between}, or a list; "" holds the number of rows. A notebook gives each item of a
               list a line of its own, hence the texts
      empty    in place of description, chart and data: why there is no figure of this run
    table      {columns, rows}: every point of the grid, for the fold below the figure

The text is the same for the same runs: floats are rounded, keys are in order of making. Beside it stands
the default point as an ordinary chart. At most 150 kB together.
"""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd

from labkit.charts.sampling import thin
from labkit.errors import LabkitError
from labkit.widgets.drawing import Json

FORMAT = 2
LIMIT_BYTES = 150_000
MOST_ROWS = 1500
"""Of a dataset, as a face draws it."""
_PICTURE_ROWS = 250
_ROWS = (MOST_ROWS, 1000, 700, 500, 350, 250, 150)  # of a dataset; with fewer a curve is a caricature
_DIGITS = 5


class PayloadTooLargeError(LabkitError):
    """An explorer of too many or too rich runs; says what to reduce."""


def columns(rows: list[Json]) -> Json:
    """Rows as columns of rounded numbers, constants and texts once each."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    packed: Json = {"": len(rows)}
    for name in names:
        values = [_plain(row.get(name)) for row in rows]
        distinct = list(dict.fromkeys(map(_key, values)))
        if len(distinct) == 1:
            packed[name] = {"is": values[0]}
        elif all(isinstance(value, str) for value in values):
            of = list(dict.fromkeys(values))
            packed[name] = {"of": of, "at": " ".join(str(of.index(value)) for value in values)}
        elif all(value is None or type(value) in (int, float) for value in values):
            packed[name] = {"n": " ".join("-" if value is None else repr(value) for value in values)}
        else:
            packed[name] = values
    return packed


def _key(value: Any) -> tuple[str, Any]:
    return type(value).__name__, json.dumps(value)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        short = float(f"{value:.{_DIGITS}g}")
        return int(short) if short == int(short) else short
    return value


def fewer(rows: list[Json], most: int, x_fields: set[str]) -> list[Json]:
    """At most about `most` rows; the extremes of every numeric column stay, per series."""
    if len(rows) <= most:
        return rows
    table = pd.DataFrame(rows)
    numeric = [str(name) for name in table if pd.api.types.is_numeric_dtype(table[name])]
    texts = [str(name) for name in table if name not in numeric]
    if not numeric:
        return rows[:: -(-len(rows) // most)]
    x = next((name for name in numeric if name in x_fields), numeric[0])
    values = [name for name in numeric if name != x and table[name].nunique() > 1] or [x]
    series = table.groupby(texts, sort=False, dropna=False).ngroup() if texts else 0
    marked = table.assign(_row=range(len(table)), _series=series)
    kept: set[int] = set()
    for value in values:
        share = max(most // len(values), 2)
        kept |= set(thin(marked, x, value, "_series", rows=share)["_row"].tolist())
    return [rows[i] for i in sorted(kept)]


def x_fields(part: Any) -> set[str]:
    """The fields that any view of a chart has on its x axis."""
    if isinstance(part, list):
        return set().union(*map(x_fields, part))
    if not isinstance(part, dict):
        return set()
    here = part.get("x")
    own = {here["field"]} if isinstance(here, dict) and isinstance(here.get("field"), str) else set()
    return own.union(*map(x_fields, part.values()))


def bare(chart: Json) -> Json:
    """A chart without what belongs to one run, as many runs share it."""
    return {key: item for key, item in chart.items() if key not in ("description", "usermeta")}


def fit(payload: Json, datasets: dict[str, dict[str, list[Json]]], default: Json) -> tuple[Json, Json]:
    """The payload with each point's data, and its picture, thinned until both fit together.

    default: the default point's chart; the picture is that with data. Raises PayloadTooLargeError.
    """
    fields = x_fields(default)
    start = ",".join(str(knob["default"]) for knob in payload["knobs"])
    pictured = datasets.get(start) or next(iter(datasets.values()))
    still = {**default, "datasets": {name: _still(rows, fields) for name, rows in pictured.items()}}
    room, goal, taken = LIMIT_BYTES - _size(still), float(_ROWS[0]), 0
    for most in _ROWS:
        if most > goal and most != _ROWS[-1]:
            continue
        datasets = {
            key: {name: fewer(rows, most, fields) for name, rows in held.items()}
            for key, held in datasets.items()
        }
        for key, held in datasets.items():
            payload["points"][key]["data"] = {name: columns(rows) for name, rows in held.items()}
        taken = _size(payload)
        if taken <= room:
            return payload, still
        goal = 1.5 * most * room / taken  # where it might fit
    count = len(payload["points"])
    kb = (taken + _size(still)) // 1000
    raise PayloadTooLargeError(
        f"explore: {count} recorded runs take {kb} kB, and a stored figure may take {LIMIT_BYTES // 1000}: "
        "use fewer knobs, fewer values on them, or a chart of fewer points"
    )


def _still(rows: list[Json], fields: set[str]) -> list[Json]:
    return [
        {name: _plain(value) for name, value in row.items()} for row in fewer(rows, _PICTURE_ROWS, fields)
    ]


def _size(stored: Json) -> int:
    return len(json.dumps(stored, separators=(",", ":"), ensure_ascii=False).encode())
