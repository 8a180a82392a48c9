"""Every assignment: the solution has full marks, each typical wrong answer what the rubric says. `make
course-test` has five students each; otherwise it is one, who is another one each time the assignments
change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from labkit.course.assignment import load
from labkit.course.checking import check
from labkit.course.course_folder import Course
from labkit.course.draw import Draw
from labkit.course.feedback import page
from labkit.course.grading import collected, marked
from labkit.course.releasing import notebook, release
from tests.course.whole import STUDENTS, each

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path for path in (ROOT / "assignments").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", each(FOLDERS))
def test_solution_and_wrong_answers_score_what_the_rubric_says(folder: Path) -> None:
    found = check(load(folder), STUDENTS, progress=False)
    assert len(found) == STUDENTS * (1 + len(load(folder).rubric.wrong))
    assert [f"{one.what}, {one.student}: {one.said}" for one in found if not one.right] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_starter_is_the_solution_without_its_answers(folder: Path) -> None:
    """Text, table of questions and the last cell are the same in both."""
    starter, solved = ((folder / name).read_text() for name in ("starter.md", "solution.md"))
    assert starter.partition("\n## Your work\n")[0] == solved.partition("\n## Solution\n")[0]
    last = "```{code-cell} ipython3\n:tags: [hand-in]\n"
    assert starter.partition(last)[2] == solved.partition(last)[2] != ""
    rows = [line.strip("| ").split(" | ") for line in starter.splitlines() if line.startswith("| `")]
    for name, question in load(folder).rubric.questions.items():
        points = next((row[-1] for row in rows if f"`{name}`" in row[0]), "")
        assert re.match(rf"{question.points:g}( each)?(, ±|$)", points), f"{name}: what it is, and its points"
        assert not question.within or f"± {100 * question.within:g} %" in points
        assert not question.or_ or points.endswith(f" {question.or_:g}")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_release_has_no_solution_no_rubric_and_no_key(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\n")
    course = Course(tmp_path, load(folder), make_key=True)
    release(course, progress=False)
    handed_out = course.folder / "handouts" / "ada"
    text = b"".join(path.read_bytes() for path in sorted(handed_out.rglob("*")) if path.is_file())
    assert (tmp_path / "key").read_text().strip().encode() not in text
    assert b"## Solution" not in text
    for question in course.assignment.rubric.questions.values():
        assert question.says.encode() not in text, "what a wrong answer is told gives the way away"
    names = {path.name for path in handed_out.iterdir()}
    assert {"case.json", f"{folder.name}.ipynb"} <= names
    assert not names & {"rubric.yaml", "solution.md", "solution.ipynb"}
    assert (course.folder / "handouts" / "ada.zip").is_file()
    assert notebook(folder / "starter.md") == (handed_out / f"{folder.name}.ipynb").read_text()


@pytest.mark.parametrize("folder", each(FOLDERS))
def test_the_starter_runs_to_its_end_as_released_and_earns_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("student\nada\n")
    course = Course(tmp_path, load(folder), make_key=True)
    (course.part("submissions") / "ada.ipynb").write_text(notebook(folder / "starter.md"))
    (ada,) = course.students
    found = collected(course, ada, 0)
    assert found.problem == ""
    graded = marked(course, ada, found)
    assert [mark for mark in graded.marks if mark.points] == []
    assert page(course, graded).count("<svg") >= 1, "their network's figures"


class Watched(Draw):
    """Notes what was dealt and what was chosen: name to values, in the roster's order."""

    dealt: ClassVar[dict[str, list[Any]]] = defaultdict(list)
    chosen: ClassVar[list[str]] = []

    def deal(self, name: str, options: Sequence[Any]) -> Any:
        self.dealt[name].append(found := super().deal(name, options))
        return found

    def choice(self, name: str, options: Sequence[Any]) -> Any:
        self.chosen.append(name)
        return super().choice(name, options)


def drawn(folder: Path, students: int, key: bytes = bytes(32)) -> list[Any]:
    """The cases of a class."""
    Watched.dealt.clear()
    Watched.chosen.clear()
    assignment = load(folder)
    return [assignment.case(Watched(key, folder.name, f"student{i}", i)) for i in range(students)]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_what_makes_a_case_hard_is_dealt_and_never_chosen(folder: Path) -> None:
    """In a whole deck every alternative comes equally often (test_course_parts.py)."""
    for students in (1, 37):
        drawn(folder, students)
        assert Watched.chosen == []
        assert all(len(values) == students for values in Watched.dealt.values())


def test_in_a_deck_each_algorithm_is_to_be_named_equally_often() -> None:
    (folder,) = (path for path in FOLDERS if path.name.startswith("05-"))
    cases = drawn(folder, 120)
    assert set(Counter(case.names["a"] for case in cases).values()) == {30}
    named = Counter(name for case in cases for name in case.names.values())
    assert len(named) == 7
    assert max(named.values()) - min(named.values()) < 36, (
        "a fourth of those with a `left`, half of the others"
    )


def test_the_instructors_guide_has_each_assignment_with_its_chapter_and_minutes() -> None:
    guide = (ROOT / "book" / "instructors.md").read_text()
    for folder in FOLDERS:
        rubric = load(folder).rubric
        row = re.search(rf"^\| `{folder.name}` \|.*\| {rubric.chapter} \| {rubric.minutes} \|$", guide, re.M)
        assert row, f"{folder.name}: chapter {rubric.chapter}, {rubric.minutes} minutes"


def twelve_weeks() -> list[dict[str, str]]:
    page = (ROOT / "book" / "twelve-weeks.md").read_text()
    weeks: list[dict[str, str]] = yaml.safe_load(page.partition("```{way} week\n")[2].partition("```")[0])
    return weeks


def test_the_twelve_weeks_read_the_whole_book() -> None:
    weeks = twelve_weeks()
    read = [chapter for week in weeks for chapter in week["read"].split()]
    written = [path.name.partition("-")[0].lstrip("0") for path in sorted((ROOT / "chapters").glob("*.md"))]
    assert len(weeks) == 12
    assert sorted(read) == sorted(written), "each chapter once"


def test_each_assignment_stands_in_the_week_of_its_chapter_or_beside_the_weeks() -> None:
    set_in = {week["assignment"]: week["read"].split() for week in twelve_weeks() if "assignment" in week}
    for folder in FOLDERS:
        rubric = load(folder).rubric
        if folder.name != "08-cellular-league":  # from its chapter to the end
            assert rubric.chapter in set_in[folder.name], folder.name
