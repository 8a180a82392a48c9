"""Prose has the field's terms and not this house's words: house_words.toml has them, and what to write."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.prose import prose

ROOT = Path(__file__).parents[2]
WORDS = tomllib.loads((Path(__file__).parent / "house_words.toml").read_text())["words"]
_PASSED = re.compile(r"house words:\s*([^:]+?)\s*:\s*\S")


class Found(NamedTuple):
    """A house word in a line of a file."""

    line: int
    word: str
    instead: str


def house_words(text: str) -> list[Found]:
    """All of them, with a phrase's that goes on in the next line."""
    lines = list(prose(text))
    found = []
    for at, (number, line, comment) in enumerate(lines):
        passed = _PASSED.match(comment.lower())
        nearby = lines[at + 1][1] if at + 1 < len(lines) and lines[at + 1][0] == number + 1 else ""
        whole = f"{line.rstrip()} {nearby.strip()}"
        for word in WORDS:
            for match in re.finditer(rf"\b(?:{word['not']})(?!\w)", whole, re.IGNORECASE):
                if match.start() < len(line.rstrip()) and not (passed and match[0].lower() == passed[1]):
                    found.append(Found(number, match[0], word["but"]))
    return found


REWRITTEN = ("01", "02", "03", "04", "05", "06", "15", "26")
NOT_YET = frozenset(
    [
        *(path.name for path in (ROOT / "chapters").glob("*.md") if not path.name.startswith(REWRITTEN)),
        *("caia.md", "cottrell.md", "geni.md", "sjtu.md", "thesis.md", "ucl.md"),
    ]
)
"""Pages that are to be rewritten: a chapter's number comes above when it is, and stays there."""
PAGES = sorted(
    path
    for pattern in ("chapters/*.md", "book/*.md", "assignments/*/*.md", "README.md")
    for path in ROOT.glob(pattern)
    if path.name not in NOT_YET
)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_has_the_fields_terms(path: Path) -> None:
    found = house_words(path.read_text(encoding="utf-8"))
    said = [f"{path.relative_to(ROOT)}:{one.line}: {one.word!r}: write {one.instead}" for one in found]
    assert not said, "\n" + "\n".join(said)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The segment is sent again.", [1]),
        ("A queue\n\nis full: the segment is sent\nagain at once.", [3]),
        ("```{admonition} Note\nThe segment is sent again.\n```", [2]),
        (":::{tip}\n```{code-cell} ipython3\n'sent again'\n```\nThe way back.\n:::", [5]),
        ("The kind `sent again` is a column.", []),
        ("> The segment is sent again.", []),
        ("% house words: sent again: a quotation\nThe segment is sent again.", []),
        ("% house words: sent again: a quotation\nThe segment is sent again, in vain.", [2]),
        ("% house words: sent again:\nThe segment is sent again.", [2]),
        ("It is sent against all odds, and transmitted once more.", []),
    ],
)
def test_a_fault_is_found_where_it_is(text: str, found: list[int]) -> None:
    assert [one.line for one in house_words(text)] == found


def test_pages_that_are_to_be_rewritten_are_there() -> None:
    there = {path.name for folder in ("chapters", "book") for path in (ROOT / folder).glob("*.md")}
    assert there >= NOT_YET
