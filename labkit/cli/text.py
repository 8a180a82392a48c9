"""Plain text for terminals: tables, sizes, JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from labkit.errors.strangers_text import escaped


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: frozenset[int] = frozenset()) -> str:
    """Columns two spaces apart; those whose number is in `right` are set flush right. A cell is shown as
    text, whoever wrote it."""
    lines = [list(head), *([escaped(cell) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def size(count: float) -> str:
    """Bytes for people: 9.1 MB."""
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min(int(math.log10(max(count, 1)) / 3), len(units) - 1)
    number = count / 1000**power
    return f"{number:.0f} {units[power]}" if power == 0 else f"{number:.1f} {units[power]}"


def dump(value: Any) -> str:
    """JSON with null for what is not a number."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Only what JSON has: of numpy and pandas the plain value, null for NaN and NA."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    if hasattr(value, "item"):
        return _plain(value.item())
    number = float(value) if isinstance(value, float) else math.nan
    return number if math.isfinite(number) else None
