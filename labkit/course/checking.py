"""`labkit course check`: the solution and each typical wrong answer through all of it, before anything is
released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from labkit.course.assignment import Assignment
from labkit.course.at_once import each
from labkit.course.course_folder import Course
from labkit.course.grading import collected, marked
from labkit.course.releasing import notebook
from labkit.course.roster import CourseError, Student
from labkit.course.rubric import Wrong
from labkit.course.sandbox import leftovers
from labkit.course.sandbox.selftest import require_walls

SOLUTION = "the solution"
_LAST = "hand-in"


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
) -> list[Checked]:
    """Grade solution and wrong answers for so many students of a class made up for it. Raises CourseError."""
    require_walls()
    with leftovers.folder() as folder:
        names = [f"student{number}" for number in range(1, students + 1)]
        courses = []
        for number, wrong in enumerate([None, *assignment.rubric.wrong]):
            root = folder / str(number)
            root.mkdir()
            (root / "key").write_text(key)
            (root / "roster.csv").write_text("student\n" + "\n".join(names) + "\n")
            course = Course(root, assignment)
            for name in names:
                path = course.part("submissions") / f"{name}.ipynb"
                path.write_text(solution(assignment, wrong))
            courses.append((course, wrong))
        work = [(course, wrong, student) for course, wrong in courses for student in course.students]
        return each(work, lambda item, slot: _one(*item, slot), workers, "checked", progress)


def solution(assignment: Assignment, wrong: Wrong | None = None) -> str:
    """The solution's notebook, a wrong answer's cell in front of the cell that hands it in."""
    import nbformat

    def change(book: Any) -> None:
        last = [i for i, cell in enumerate(book.cells) if _LAST in cell.metadata.get("tags", [])]
        if len(last) != 1:
            raise CourseError(f"{assignment.folder / 'solution.md'}: one cell must have the tag {_LAST}")
        if wrong is not None:
            book.cells.insert(last[0], nbformat.v4.new_code_cell(wrong.cell))

    return notebook(assignment.folder / "solution.md", change)


def _one(course: Course, wrong: Wrong | None, student: Student, slot: int) -> Checked:
    rubric = course.assignment.rubric
    graded = marked(course, student, collected(course, student, slot))
    wanted = {name: (question.points, question.points) for name, question in rubric.questions.items()}
    for name, score in ({} if wrong is None else wrong.scores).items():
        wanted[name] = score if isinstance(score, tuple) else (score, score)
    points = {mark.question: mark.points for mark in graded.marks}
    said = "; ".join(_missed(graded.marks, wanted))
    return Checked(
        student.student, SOLUTION if wrong is None else wrong.name, points, wanted, graded.note or said
    )


def _missed(marks: Sequence[Any], wanted: dict[str, tuple[float, float]]) -> Iterator[str]:
    for mark in marks:
        low, high = wanted[mark.question]
        if not low - 1e-9 <= mark.points <= high + 1e-9:
            yield f"{mark.question}: {mark.points:g}, not {low:g} to {high:g} of {mark.of:g} ({mark.said})"
