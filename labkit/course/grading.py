"""`labkit course grade`: submissions to marks. What a notebook hands in is kept, so that a mistake in the
rubric or the key of an assignment costs one command and no notebook is run twice."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.course import submitted as handed
from labkit.course.course_folder import MAKING, Course
from labkit.course.parallel import each
from labkit.course.releasing import handout
from labkit.course.roster import CourseError, Student
from labkit.course.rubric import Mark, shown
from labkit.course.sandbox import temporary_folders
from labkit.course.sandbox.bubblewrap import Limits
from labkit.course.sandbox.sandbox import HandedIn, notebook
from labkit.course.sandbox.selftest import require_walls
from labkit.errors import LabkitError
from labkit.schema import foreign_files

LARGEST = 32 << 20
"""Of a submission, in bytes."""


@dataclass(frozen=True)
class Graded:
    """A student's marks; note: what is said about the whole, as "nothing was handed in"."""

    student: Student
    marks: tuple[Mark, ...]
    note: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "note", shown(self.note))

    @property
    def total(self) -> float:
        """Points."""
        return round(sum(mark.points for mark in self.marks), 3)


@dataclass(frozen=True)
class Failure:
    """A student who could not be graded, for a fault that is not theirs."""

    student: Student
    said: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", shown(self.said))

    @classmethod
    def of(cls, student: Student, error: Exception) -> Failure:
        """What went wrong; with its kind, where it is no message for people."""
        kind = "" if isinstance(error, LabkitError) else f"{type(error).__name__}: "
        return cls(student, f"{kind}{error}")


@dataclass(frozen=True)
class Grading:
    """The class in the roster's order: who was graded, and who could not be."""

    graded: tuple[Graded, ...]
    failed: tuple[Failure, ...]


def grade(
    course: Course,
    *,
    workers: int | None = None,
    progress: bool = True,
    again: bool = False,
    weak: bool = False,
) -> Grading:
    """Marks of the whole class, kept in graded/. What goes wrong for one student is that student's failure,
    and the others are graded. again: run the notebooks anew, too; weak: also where a wall of
    the sandbox does not stand, which is said on stderr. Raises CourseError when nobody can be graded, as when
    one does not, OSError."""

    def one(student: Student, slot: int) -> Graded | Failure:
        marks = course.part("graded") / f"{student.student}.marks.json"
        try:
            graded = marked(course, student, collected(course, student, slot, again=again))
        except Exception as error:  # of the lab, the assignment or the machine: reported, by name
            marks.unlink(missing_ok=True)
            return Failure.of(student, error)
        _keep(marks, _plain(graded))
        return graded

    with course.alone():
        course.require_same_places()
        strangers(course)
        require_walls(weak=weak)
        found = each(course.students, one, workers, "graded", progress)
    return Grading(
        tuple(row for row in found if isinstance(row, Graded)),
        tuple(row for row in found if isinstance(row, Failure)),
    )


def strangers(course: Course) -> None:
    """Raises CourseError for files among the submissions that belong to nobody in the roster."""
    known = {f"{one.student}.ipynb" for one in course.students}
    if strange := sorted(
        path.name for path in course.part("submissions").iterdir() if path.name not in known
    ):
        raise CourseError(
            f"{course.folder / 'submissions'}: {', '.join(strange[:5])}: of nobody in roster.csv: "
            "name files STUDENT.ipynb"
        )


def collected(course: Course, student: Student, slot: int, *, again: bool = False) -> HandedIn:
    """What a submission hands in: as kept, if it is the same notebook, else by running it in a sandbox."""
    submission = course.part("submissions") / f"{student.student}.ipynb"
    kept = course.part("graded") / f"{student.student}.answers.json"
    try:
        handed_in = foreign_files.content(submission, LARGEST)
    except FileNotFoundError:
        return HandedIn(None, "nothing was handed in")
    except foreign_files.ForeignFileError:
        return HandedIn(None, f"the submission is no file of at most {LARGEST >> 20} MiB")
    seconds = float(course.assignment.rubric.seconds)
    with temporary_folders.folder() as folder:
        handout(course, student, folder)
        digest = _digest(handed_in, folder, seconds)
        if kept.is_file() and not again:
            before = json.loads(kept.read_text())
            if before["digest"] == digest:
                return HandedIn(before["text"], before["problem"])
        found = notebook(submission, folder, Limits(seconds=seconds), slot)
    _keep(kept, {"digest": digest, "text": found.text, "problem": found.problem})
    return found


def marked(course: Course, student: Student, found: HandedIn, truth: dict[str, Any] | None = None) -> Graded:
    """Marks for what was handed in. Nothing of the student's is run: the truth is the lab's, computed here
    where it is not given. Raises LabkitError."""
    assignment, case = course.assignment, course.case(student)
    if found.text is None:
        return Graded(student, assignment.nothing(found.problem), found.problem)
    try:
        given, faults = handed.checked(assignment.answers, handed.plain(found.text))
    except handed.Unreadable as error:
        return Graded(student, assignment.nothing(str(error)), str(error))
    truth = assignment.truth(case) if truth is None else truth
    marks = assignment.marks(case, truth, given, faults)  # type: ignore[arg-type]
    return Graded(student, marks, "")


def kept(course: Course) -> Grading:
    """The marks of the last grading; a student who has none yet is a failure."""
    graded, failed = [], []
    for student in course.students:
        path = course.part("graded") / f"{student.student}.marks.json"
        if path.is_file():
            row = json.loads(path.read_text())
            graded.append(Graded(student, tuple(Mark(**mark) for mark in row["marks"]), row["note"]))
        else:
            failed.append(Failure(student, "not graded yet: labkit course grade"))
    return Grading(tuple(graded), tuple(failed))


def _plain(graded: Graded) -> dict[str, Any]:
    return {"marks": [mark.model_dump() for mark in graded.marks], "note": graded.note, "total": graded.total}


def _digest(handed_in: bytes, folder: Path, seconds: float) -> str:
    """Of all that a notebook's run depends on here."""
    digest = hashlib.sha256(f"{seconds}\n".encode() + handed_in)
    for path in sorted(folder.rglob("*")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def _keep(path: Path, what: dict[str, Any]) -> None:
    """Whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=MAKING, delete=False) as file:
        json.dump(what, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(file.name, path)
