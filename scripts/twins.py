"""`python -m scripts.twins`: how many lines of JavaScript say what Python says, by rooms, and how many lines
of tests hold them together.

A room of JavaScript has the name of its twin in Python. What is made by a script is not counted: it is said
once. Nor are widgets, but for one file: their face is in JavaScript alone, for pages and notebooks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

TWINS = {
    "web/decode": "labkit/decode",
    "web/traffic": "labkit/traffic",
    "web/spec": "labkit/spec",
    "web/results": "labkit/results",
    "web/measures": "labkit/measures",
    "web/charts": "labkit/charts",
    "web/player": "labkit/player",
    "web/widgets/fewer_rows.mjs": "labkit/widgets/payload.py",
    "web/chapters": "chapters",
}
"""Of JavaScript: of Python. Chapters' cells are no files of Python."""
TESTS = (
    *("tests/web/decode", "tests/web/charts", "tests/web/measures", "tests/web/results", "tests/web/player"),
    *("tests/web/chapters", "tests/guest/parity"),
)
MADE = "Made by scripts/"


@dataclass(frozen=True)
class Room:
    """Lines of both: javascript, python."""

    name: str
    javascript: int
    python: int


def rooms(root: Path = ROOT) -> list[Room]:
    """All that are there."""
    return [
        Room(room, lines(root / room, "*.mjs"), lines(root / twin, "*.py"))
        for room, twin in TWINS.items()
        if (root / room).exists()
    ]


def javascript(root: Path = ROOT) -> int:
    """Lines of JavaScript that say what Python says."""
    return sum(room.javascript for room in rooms(root))


def tests(root: Path = ROOT) -> int:
    """Lines of tests that hold the twins together."""
    return sum(lines(root / folder, kind) for folder in TESTS for kind in ("*.py", "*.mjs"))


def lines(place: Path, kind: str) -> int:
    """Of a file, or of the files below a folder, that nobody has generated."""
    return sum(len(text.splitlines()) for text in _written(place, kind))


def _written(place: Path, kind: str) -> Iterator[str]:
    for path in [place] if place.is_file() else sorted(place.rglob(kind)):
        text = path.read_text(encoding="utf-8")
        if MADE not in text[:400]:
            yield text


def main() -> int:
    """Prints the table; of another checkout if that is named."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    for room in rooms(root):
        print(f"{room.javascript:6}  {room.name} (Python: {room.python})")
    print(f"{javascript(root):6}  lines of JavaScript that say what Python says")
    print(f"{tests(root):6}  lines of tests that hold them together")
    return 0


if __name__ == "__main__":
    sys.exit(main())
