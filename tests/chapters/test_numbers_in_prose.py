"""Every number in a chapter's prose is one that its cells show, or says where it is from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chapters.numbers_in_prose import untold
from tests.project.test_house_words import NOT_YET

ROOT = Path(__file__).parents[2]
CHAPTERS = sorted(path for path in (ROOT / "chapters").glob("*.md") if path.name not in NOT_YET)


@pytest.mark.parametrize("source", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapters_numbers_are_those_of_its_runs(source: Path) -> None:
    found = untold(source)
    assert not found, "\n" + "\n".join(
        f"{source.name}:{line}: {number}: no cell shows it" for line, number in found
    )


def chapter(folder: Path, text: str, *outputs: str) -> Path:
    """A chapter of this text, in which CELL stands for a cell each, and its recording."""
    source = folder / "01-made-up.md"
    source.write_text(text.replace("CELL", '```{code-cell} ipython3\nrun(loss="5%")\n```'))
    cells = [
        {"cell_type": "code", "source": ['run(loss="5%")'], "outputs": [{"text": [output]}]}
        for output in outputs
    ]
    source.with_suffix(".ipynb").write_text(json.dumps({"cells": cells}))
    return source


@pytest.mark.parametrize(
    ("text", "outputs", "found"),
    [
        ("CELL\n\nIt gets 2.44 Mbit/s.", ["goodput 2.4378"], []),
        ("CELL\n\nIt gets 2.45 Mbit/s.", ["goodput 2.4378"], [(5, "2.45")]),
        ("CELL\n\nThat is 24 % of it.", ["share 0.2404"], []),
        ("CELL\n\nIt waits 250 ms.", ["0.25 s"], []),
        ("CELL\n\nWith 5 % loss.", ["nothing"], []),
        ("CELL\n\n62,500 bytes.", ["62500"], []),
        ("CELL\n\n## Other\n\n2.44 Mbit/s.\n\nCELL", ["2.4378", "3.1"], [(7, "2.44")]),
        ("They had 97 Mbit/s {cite:p}`x2013`.", [], []),
        ("It is of 2013, RFC 8985, chapter 17, `99`, $88$ and six of 12.", [], []),
        ("% numbers: 41; 77: by hand\n41, 77 and 78 packets.", [], [(2, "78")]),
        ("% numbers: 41:\n41 packets.", [], [(2, "41")]),
    ],
)
def test_a_number_without_a_source_is_found(
    text: str, outputs: list[str], found: list[tuple[int, str]], tmp_path: Path
) -> None:
    assert untold(chapter(tmp_path, text, *outputs)) == found
