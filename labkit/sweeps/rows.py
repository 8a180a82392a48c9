"""What was measured in each run of a sweep, as rows: numbers are measured, texts say of what ("flow")."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias

from labkit.errors import LabkitError

Plain: TypeAlias = float | int | str | bool | None
Row: TypeAlias = dict[str, Plain]
OWN = ("seed", "virtual_s", "incomplete", "error", "spec_digest")


class MeasureError(LabkitError, TypeError):
    """What `measure` gave is no row of numbers; says what it was."""


def rows_of(measured: Any) -> list[Row]:
    """What a measure gave, as rows of plain values: from one mapping, several, or a table.

    Raises MeasureError.
    """
    if hasattr(measured, "reset_index"):  # of pandas: a table, or a series with an index of flows
        table = measured.to_frame() if hasattr(measured, "to_frame") else measured
        measured = (table.reset_index() if table.index.name is not None else table).to_dict("records")
    if isinstance(measured, Mapping):
        measured = [measured]
    if isinstance(measured, str) or not isinstance(measured, Iterable):
        raise MeasureError(f'measure gave {measured!r}: it must give a mapping such as {{"goodput": 9.4}}')
    return [_row(row) for row in measured]


def _row(row: Any) -> Row:
    if not isinstance(row, Mapping):
        raise MeasureError(f'measure gave a row {row!r}: it must be a mapping such as {{"goodput": 9.4}}')
    for name in row:
        if name in OWN:
            raise MeasureError(f"measure gave {name!r}, which the table has of its own: name it otherwise")
    return {str(name): _plain(str(name), value) for name, value in row.items()}


def _plain(name: str, value: Any) -> Plain:
    if isinstance(value, str | bool):
        return str(value) if isinstance(value, str) else int(value)
    if value is None or type(value).__name__ == "NAType":
        return None
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return None if math.isnan(value) else float(value)
    raise MeasureError(f"measure gave {name}={value!r}: it must be a number, or a text that says of what")
