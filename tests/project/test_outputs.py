"""What a chapter's cells print and show is written for a reader, not for Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RECORDINGS = sorted((Path(__file__).parents[2] / "chapters").glob("*-*.ipynb"))
FOR_PYTHON = {
    "a number's type": re.compile(r"\bnp\.\w+\("),
    "an object's address": re.compile(r"<[\w.]+ object at 0x"),
    "a row without a name": re.compile(r"<th[^>]*>(nan|NaN|NaT|None)</th>"),
}


def shown(cell: dict[str, Any]) -> Iterator[str]:
    """The texts that a page or a notebook has of a cell's outputs."""
    for output in cell.get("outputs", ()):
        yield "".join(output.get("text", ""))
        for kind in ("text/plain", "text/html"):
            yield "".join(output.get("data", {}).get(kind, ""))


def faults(cells: list[dict[str, Any]]) -> list[str]:
    return [
        f"cell {number} shows {what}: {found[0]}"
        for number, cell in enumerate(cells)
        for text in shown(cell)
        for what, pattern in FOR_PYTHON.items()
        if (found := pattern.search(text))
    ]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_what_is_shown_is_for_readers(recording: Path) -> None:
    assert faults(json.loads(recording.read_text(encoding="utf-8"))["cells"]) == []


@pytest.mark.parametrize("said", ["[np.float64(0.354)]", "<labkit.Lab object at 0x7f>", "<th>nan</th>"])
def test_what_is_for_python_is_a_fault(said: str) -> None:
    assert len(faults([{"outputs": [{"text": [f"reno {said}\n"]}]}])) == 1
    assert len(faults([{}, {"outputs": [{"data": {"text/html": [said]}}]}])) == 1


def test_words_and_numbers_are_none() -> None:
    assert faults([{"outputs": [{"text": ["nanoseconds, Nancy, 0.354, None is lost\n"]}]}]) == []
