"""Where the numbers of a chapter's prose come from: its cells and their outputs, or a source that is named.

A number is told if a cell of its section shows it (rounded as the text has it, or in per cent, milli- or
microseconds), if the chapter's cells have it (a parameter, a bound), or if its paragraph cites somebody. Else
a comment above its line says where it is from; several are parted by semicolons:

    % numbers: 62,500; 41: 10 Mbit/s times 50 ms, and that in packets of 1514 bytes
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.prose import prose

_NUMBER = re.compile(r"(?<![\w.,\-/\x00])\d[\d,]*(?:\.\d+)?(?![\w/]|\.\d)")
_ANY = re.compile(r"(?<![A-Za-z_])\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?")
_TOLD = re.compile(r"numbers:\s*(.+?)\s*:\s*\S")
_NAMES = re.compile(
    r"(RFCs?|[Cc]hapters?|[Ss]ections?|[Ff]igures?|[Tt]ables?|Linux|Python|version|port|ports|item|step|steps|page"
    r"|level|layer|IPv|Web100|numbers?|weeks?|parts?|exercises?|problems?)\s*$"
)
_YEAR = re.compile(r"(19|20)\d\d$")
_HEADING = re.compile(r"#{1,6}\s")
SMALL = 12
"""Whole numbers up to this are counts that a reader checks by looking."""


@dataclass
class Section:
    """Prose between two headings, with the cells in it. outputs: all text that they show."""

    lines: list[tuple[int, str, str]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


def sections(source: Path) -> Iterator[Section]:
    """Of a chapter and its recording, whose cells are in the same order."""
    text = source.read_text(encoding="utf-8")
    cells = iter(
        cell
        for cell in json.loads(source.with_suffix(".ipynb").read_text())["cells"]
        if cell["cell_type"] == "code"
    )
    read = {number: (line, comment) for number, line, comment in prose(text)}
    found = Section()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```{code-cell}"):
            found.outputs += shown(next(cells))
        elif number in read:
            if _HEADING.match(line):
                yield found
                found = Section()
            found.lines.append((number, *read[number]))
    yield found


def shown(cell: dict[str, Any]) -> Iterator[str]:
    """The texts of a cell's outputs: what was printed, tables, what figures say of themselves."""
    for output in cell.get("outputs", []):
        yield "".join(output.get("text", []))
        for kind, data in output.get("data", {}).items():
            if kind.startswith("text/") or "json" in kind:
                yield json.dumps(data) if not isinstance(data, str | list) else "".join(map(str, data))


def values(texts: Iterable[str]) -> set[float]:
    return {
        float(number.replace(",", "").replace("_", "")) for text in texts for number in _ANY.findall(text)
    }


def told(number: str, known: Iterable[float]) -> bool:
    """Whether one of these values is the number as it is rounded, or is in another unit."""
    plain = number.replace(",", "")
    digits = len(plain.partition(".")[2])
    wanted = float(plain)
    return any(
        round(value * scale, digits) == wanted for value in known for scale in (1, 100, 1e3, 1e6, 1e-3, 1e-6)
    )


def untold(source: Path) -> list[tuple[int, str]]:
    """(line, number) of every number in the prose of which nothing says where it is from."""
    code = [
        "".join(cell["source"])
        for cell in json.loads(source.with_suffix(".ipynb").read_text())["cells"]
        if cell["cell_type"] == "code"
    ]
    everywhere = values(code)
    return [
        (line, number)
        for section in sections(source)
        for line, number in _untold(section, everywhere | values(section.outputs))
    ]


def _untold(section: Section, known: set[float]) -> Iterator[tuple[int, str]]:
    for paragraph in paragraphs(section.lines):
        if any("{cite" in line for _, line, _ in paragraph):
            continue
        for at, line, comment in paragraph:
            allowed = _TOLD.match(comment)
            given = {one.strip() for one in allowed[1].split(";")} if allowed else set()
            for match in _NUMBER.finditer(line):
                number = match[0].rstrip(",")
                before = line[: match.start()]
                counts = "." not in number and float(number.replace(",", "")) <= SMALL
                if counts or _NAMES.search(before) or _YEAR.match(number) or number in given:
                    continue
                if not told(number, known):
                    yield at, number


def paragraphs(lines: Iterable[tuple[int, str, str]]) -> Iterator[list[tuple[int, str, str]]]:
    """Lines up to a blank one."""
    found: list[tuple[int, str, str]] = []
    for line in lines:
        if line[1].strip():
            found.append(line)
        elif found:
            yield found
            found = []
    if found:
        yield found
