"""Congestion controls of one's own that were written in this process (%%cc): by name, for whoever names one.

What a cell holds is known here, nothing is compiled. Experiments take one by its name alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class CustomCC:
    """A congestion control: its name, the text of its cell, the number of that text's first line in the
    cell, and the source of the kernel module that was made of it."""

    name: str
    cell: str
    first: int
    source: str

    def line(self, number: int) -> str:
        """A line of the cell by its number, "" if it has none such."""
        lines = self.cell.splitlines()
        return lines[number - self.first] if 0 <= number - self.first < len(lines) else ""

    def shown(self, number: int) -> str:
        """A line as a message shows it, with its number."""
        return f"{number:5} | {self.line(number).expandtabs(4)}"

    def line_with(self, word: str) -> int | None:
        """The number of the first line that has this word."""
        return self._first_match(rf"\b{re.escape(word)}\b")

    def empty_loop(self) -> int | None:
        """The number of the first line with a loop whose body is empty."""
        return self._first_match(r"\b(?:while|for)\s*\(.*\)\s*(?:;|\{\s*\})")

    def _first_match(self, pattern: str) -> int | None:
        numbered = enumerate(self.cell.splitlines(), self.first)
        return next((number for number, line in numbered if re.search(pattern, line)), None)


_known: dict[str, CustomCC] = {}


def know(own: CustomCC) -> None:
    """From now on experiments find it by its name; what had this name before is gone."""
    _known[own.name] = own


def forget(name: str) -> None:
    """Nothing has this name any more."""
    _known.pop(name, None)


def find(name: str) -> CustomCC | None:
    """The one of this name."""
    return _known.get(name)


def names() -> list[str]:
    """All that there are, in the order in which they were first written."""
    return list(_known)


def modules_for(ccs: Iterable[str | None], given: tuple[str, ...]) -> tuple[str, ...]:
    """given, and those of one's own that flows ask for (ccs: each flow's congestion control)."""
    needed = [cc for cc in ccs if cc in _known and cc not in given]
    return (*given, *dict.fromkeys(cc for cc in needed if cc is not None))
