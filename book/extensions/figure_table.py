"""The data behind a figure as an HTML table: what the chart's own table says, or else the chart's data.

A table: `{"columns": [...], "rows": [[...], ...]}` under `usermeta.labkit.table`. A column is a title, or a
list that begins with one; a list's second item is the column's values if there are no rows. Without a table,
each of the chart's datasets becomes one, of at most MOST rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

MOST = 60  # rows; more are no reading


@dataclass(frozen=True)
class Table:
    """titles: one per column; rows: lists of the same length; total: rows that the data has in all."""

    titles: Sequence[str]
    rows: Sequence[Sequence[Any]]
    total: int


def tables_of(payload: dict[str, Any], own: Any) -> list[Table]:
    """The tables of a figure: its own one if there is one. Raises ValueError if that is no table."""
    if own:
        return [_own(own)]
    return [_thinned(rows) for rows in _datasets(payload) if rows]


def _own(table: Any) -> Table:
    if not isinstance(table, dict) or not isinstance(table.get("columns"), list):
        raise ValueError('its table has no list of "columns"')
    columns, rows = table["columns"], table.get("rows")
    titles = [column if isinstance(column, str) else column[0] for column in columns]
    if rows is None:  # then each column brings its values
        rows = list(zip(*(column[1] for column in columns), strict=True))
    for number, row in enumerate(rows, 1):
        if len(row) != len(titles):
            raise ValueError(f"row {number} of its table has {len(row)} cells for {len(titles)} columns")
    return Table([str(title) for title in titles], rows, len(rows))


def _datasets(part: Any) -> Iterator[list[dict[str, Any]]]:
    """Named datasets first, then data that stands inside the chart's parts."""
    if isinstance(part, dict):
        named = part.get("datasets")
        if isinstance(named, dict):
            yield from (rows for rows in named.values() if _is_rows(rows))
        values = part["data"].get("values") if isinstance(part.get("data"), dict) else None
        if values is not None and _is_rows(values):
            yield values
        for key, value in part.items():
            if key not in ("data", "datasets", "usermeta"):
                yield from _datasets(value)
    elif isinstance(part, list):
        for item in part:
            yield from _datasets(item)


def _is_rows(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(row, dict) for row in values)


def _thinned(rows: list[dict[str, Any]]) -> Table:
    """At most MOST rows, evenly spaced, the first and the last among them."""
    titles = list(dict.fromkeys(title for row in rows for title in row))
    last, most = len(rows) - 1, min(MOST, len(rows))
    chosen = [rows[round(i * last / max(most - 1, 1))] for i in range(most)]
    return Table(titles, [[row.get(title) for title in titles] for row in chosen], len(rows))


def html(tables: Sequence[Table], caption: str) -> str:
    """The fold with its tables, or nothing if there are none. Caption: what the data is of, as text."""
    if not tables:
        return ""
    inner = "".join(_table(table, caption) for table in tables)
    return f'<details class="lp-table"><summary>Data as a table</summary>{inner}</details>'


def _table(table: Table, caption: str) -> str:
    said = escape(caption)
    if table.total > len(table.rows):
        said += f" ({len(table.rows)} of {table.total:,} rows, evenly spaced)"
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in table.titles)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.rows)
    return (
        f'<div class="lp-table-scroll" role="group" aria-label="{said}" tabindex="0"><table class="table">'
        f"<caption>{said}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return f"<td>{'' if value is None else ('yes' if value else 'no')}</td>"
    if isinstance(value, float):
        return f'<td class="lp-number">{value:.6g}</td>'
    if isinstance(value, int):
        return f'<td class="lp-number">{value}</td>'
    return f"<td>{escape(str(value))}</td>"
