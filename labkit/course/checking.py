"""`labkit course check`: the solution and each typical wrong answer through all of it, before anything is
released.

The wrong answers of a student share one notebook, as they differ from the solution in the last step only:
each is tried in a copy of the solution's names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.course.assignment import Assignment
from labkit.course.course_folder import Course
from labkit.course.grading import Graded, collected, marked
from labkit.course.parallel import each
from labkit.course.releasing import notebook
from labkit.course.roster import CourseError, Student
from labkit.course.rubric import Mark
from labkit.course.sandbox import temporary_folders
from labkit.course.sandbox.sandbox import HandedIn
from labkit.course.sandbox.selftest import require_walls

SOLUTION = "the solution"
_LAST = "hand-in"
_TRY_ALL = """
import json, pathlib
answers, found = pathlib.Path("answers.json"), {{}}
for name, cell in {cells!r}.items():
    answers.unlink(missing_ok=True)
    try:
        exec(cell, dict(globals()))
        found[name] = [answers.read_text(), ""]
    except Exception as error:
        found[name] = [None, f"{{type(error).__name__}}: {{error}}"]
answers.write_text(json.dumps(found))
"""


@dataclass(frozen=True)
class Checked:
    """One student with one set of answers. wanted: lowest and highest points for each question; said: of
    those that missed it."""

    student: str
    what: str
    points: dict[str, float]
    wanted: dict[str, tuple[float, float]]
    said: str

    @property
    def right(self) -> bool:
        """Every question has the points that the rubric says."""
        return all(
            low - 1e-9 <= self.points[name] <= high + 1e-9 for name, (low, high) in self.wanted.items()
        )


def check(
    assignment: Assignment,
    students: int = 5,
    *,
    key: str = "00" * 32,
    workers: int | None = None,
    progress: bool = True,
    weak: bool = False,
) -> list[Checked]:
    """Grade solution and wrong answers for so many students of a class made up for it; weak: as for
    `grade`. Raises CourseError."""
    require_walls(weak=weak)
    names = [f"student{number}" for number in range(1, students + 1)]
    with temporary_folders.folder() as folder:
        right, wrong = (
            _class(folder / what, assignment, names, key, book)
            for what, book in (("right", solution(assignment)), ("wrong", wrong_answers(assignment)))
        )
        rows = each(
            right.students, lambda one, slot: _one(right, wrong, one, slot), workers, "checked", progress
        )
    return [one for answer in zip(*rows, strict=True) for one in answer]


def _class(root: Path, assignment: Assignment, names: Sequence[str], key: str, book: str) -> Course:
    """In which each hands in the same notebook."""
    root.mkdir()
    (root / "key").write_text(key)
    (root / "roster.csv").write_text("student\n" + "\n".join(names) + "\n")
    course = Course(root, assignment)
    for name in names:
        (course.part("submissions") / f"{name}.ipynb").write_text(book)
    return course


def solution(assignment: Assignment) -> str:
    """The solution's notebook."""
    return notebook(assignment.folder / "solution.md", lambda book: _last_cell(assignment, book))


def wrong_answers(assignment: Assignment) -> str:
    """The solution's notebook, which hands in, in the place of its own answers, those of each wrong answer by
    its name."""

    def change(book: Any) -> None:
        cell = _last_cell(assignment, book)
        cells = {one.name: f"{one.cell}\n{cell.source}" for one in assignment.rubric.wrong}
        cell.source = _TRY_ALL.format(cells=cells)

    return notebook(assignment.folder / "solution.md", change)


def _last_cell(assignment: Assignment, book: Any) -> Any:
    """The one that hands in. Raises CourseError."""
    found = [cell for cell in book.cells if _LAST in cell.metadata.get("tags", [])]
    if len(found) != 1:
        raise CourseError(f"{assignment.folder / 'solution.md'}: one cell must have the tag {_LAST}")
    return found[0]


def _one(right: Course, wrong: Course, student: Student, slot: int) -> list[Checked]:
    """A student's solution, and each wrong answer."""
    assignment = right.assignment
    truth = assignment.truth(right.case(student))
    found: dict[str, HandedIn] = {SOLUTION: collected(right, student, slot)}
    all_wrong = collected(wrong, student, slot)
    handed: dict[str, Any] = {} if all_wrong.text is None else json.loads(all_wrong.text)
    for one in assignment.rubric.wrong:
        found[one.name] = HandedIn(*handed.get(one.name, (None, all_wrong.problem)))
    scores = {SOLUTION: {}, **{one.name: one.scores for one in assignment.rubric.wrong}}
    return [
        _judged(what, marked(right, student, found[what], truth), given) for what, given in scores.items()
    ]


def _judged(what: str, graded: Graded, scores: Mapping[str, float | tuple[float, float]]) -> Checked:
    wanted = {mark.question: (mark.of, mark.of) for mark in graded.marks}
    for name, score in scores.items():
        wanted[name] = score if isinstance(score, tuple) else (score, score)
    points = {mark.question: mark.points for mark in graded.marks}
    said = "; ".join(_missed(graded.marks, wanted))
    return Checked(graded.student.student, what, points, wanted, graded.note or said)


def _missed(marks: Sequence[Mark], wanted: dict[str, tuple[float, float]]) -> Iterator[str]:
    for mark in marks:
        low, high = wanted[mark.question]
        if not low - 1e-9 <= mark.points <= high + 1e-9:
            yield f"{mark.question}: {mark.points:g}, not {low:g} to {high:g} of {mark.of:g} ({mark.said})"
