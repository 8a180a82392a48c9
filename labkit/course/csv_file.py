"""Tables as files: each cell is text, whoever wrote it.

A spreadsheet takes what begins like a formula for one, so that is led by an apostrophe (OWASP, "CSV
Injection").
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from labkit.errors.strangers_text import escaped

_FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")


def write(path: Path, head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> Path:
    """Words, and numbers to a thousandth. The same rows give the same bytes. Raises OSError."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows([_tame(cell) for cell in row] for row in rows)
    return path


def _tame(cell: str | float) -> str:
    if not isinstance(cell, str):
        return f"{cell:.3f}"
    return f"'{escaped(cell)}" if _FORMULA.match(cell) else escaped(cell)
