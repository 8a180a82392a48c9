"""A way through the book (book/extensions/ways.py), of a book of three chapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_reference import extension

ways = extension("ways")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """1 and A of 30 and 25 minutes; 2, of 45, can be left out. One assignment, two parts."""
    for folder in ("chapters", "assignments/01-find-it", "book"):
        (tmp_path / folder).mkdir(parents=True)
    for name, minutes, more in (
        ("01-one", 30, ""),
        ("02-two", 45, "**Optional.** Read it if you\nhave a radio.\n\n"),
        ("A-last", 25, ""),
    ):
        text = f"# The {name}\n\n**{minutes} minutes to read and try** · **fast**\n\n{more}## Next\n"
        (tmp_path / f"chapters/{name}.md").write_text(text)
    (tmp_path / "assignments/01-find-it/rubric.yaml").write_text("title: Find it\nminutes: 90\n")
    parts = "parts:\n- {caption: First, chapters: [{file: chapters/01-one}, {file: chapters/02-two}]}\n"
    parts += "- {caption: Words, chapters: [{file: book/words}]}\n"
    parts += "- {caption: End, chapters: [{file: chapters/A-last}]}\n"
    (tmp_path / "book/_toc.yml").write_text(parts)
    return tmp_path


def test_a_row_says_what_to_read_how_long_it_takes_and_what_to_hand_in(root: Path) -> None:
    found = ways.rows(root, "week", [{"read": "1 2", "assignment": "01-find-it"}, {"read": "A"}])
    first, second, _, total = ways.table(found, "week").splitlines()[2:]
    assert first == (
        "| 1 | [1 The 01-one](/chapters/01-one.md)<br>*optional:* [2 The 02-two](/chapters/02-two.md). "
        "Read it if you have a radio. | 30 | Find it | 90 |"
    )
    assert second == "| 2 | [A The A-last](/chapters/A-last.md) | 25 |  |  |"
    assert total == (
        "To read and try, without the exercises: 1 hour, and 1 hour more with the optional chapters. "
        "The assignments take 1½ hours."
    )


def test_everything_is_the_contents_part_by_part(root: Path) -> None:
    found = ways.rows(root, "part", None)
    assert [(row.name, [one.number for one in row.chapters]) for row in found] == [
        ("First", ["1", "2"]),
        ("End", ["A"]),
    ]
    assert "assignment" not in ways.table(found, "part")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"read": "1 3"}, "week 1: there is no chapter 3"),
        ({"read": "1", "assignment": "02-other"}, "there is no assignment 02-other"),
    ],
)
def test_what_is_not_there_is_named(root: Path, row: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ways.rows(root, "week", [row])


def test_a_chapter_says_its_minutes(root: Path) -> None:
    (root / "chapters/01-one.md").write_text("# One\n\nWithout a line of times.\n")
    with pytest.raises(ValueError, match=r"01-one\.md: it needs a title and a line"):
        ways.rows(root, "week", [{"read": "1"}])


@pytest.mark.parametrize(
    ("minutes", "said"), [(10, "½ hour"), (55, "1 hour"), (80, "1½ hours"), (240, "4 hours")]
)
def test_hours_are_said_to_the_half(minutes: int, said: str) -> None:
    assert ways.hours(minutes) == said
