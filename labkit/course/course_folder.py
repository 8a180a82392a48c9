"""The folder of a course: the key, the roster, and per assignment what was released, handed in and graded.

key                              secret, made by the first release
roster.csv                       a line per student; new ones at the end
01-sick-network/handouts/ada/    what ada gets; handouts/ada.zip is the same
01-sick-network/submissions/     ada.ipynb, put there by the instructor
01-sick-network/graded/          answers and marks, a file per student: what a second grading starts from
01-sick-network/feedback/        ada.html
01-sick-network/grades.csv       and moodle.csv, canvas.csv, nbgrader.csv, similarity.csv
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from labkit.course.assignment import Assignment, Case
from labkit.course.draw import Draw
from labkit.course.roster import CourseError, Student, read_key, read_roster
from labkit.execute.artifacts import locks

_DEALT = "dealt.json"
MAKING = ".making-"
"""Begins the name of what is not whole yet."""


@dataclass(frozen=True)
class Course:
    """One course and one of its assignments. make_key: draw a key if there is none."""

    root: Path
    assignment: Assignment
    make_key: bool = False

    @cached_property
    def key(self) -> bytes:
        """Of the course. Raises CourseError."""
        return read_key(self.root / "key", make=self.make_key)

    @cached_property
    def students(self) -> tuple[Student, ...]:
        """Of the roster, in its order. Raises CourseError, OSError."""
        path = self.root / "roster.csv"
        if not path.is_file():
            raise CourseError(f"{path}: there is no roster: a CSV file with a column student")
        return read_roster(path)

    @property
    def folder(self) -> Path:
        """Of this assignment."""
        return self.root / self.assignment.name

    def part(self, name: str) -> Path:
        """A folder in it, made if need be."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else releases or grades this assignment meanwhile; what a killed one left half made is
        removed. Raises CourseError when somebody does, or there is no roster."""
        if not self.students:
            raise CourseError(f"{self.root / 'roster.csv'}: nobody is in it")
        self.folder.mkdir(parents=True, exist_ok=True)
        held = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                locks.lock(held, wait=False)
            except BlockingIOError:
                raise CourseError(
                    f"{self.folder}: another labkit course is at work here: wait for it"
                ) from None
            for path in self.folder.glob(f"*/{MAKING}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            yield
        finally:
            os.close(held)

    def case(self, student: Student) -> Case:
        """A student's own numbers."""
        place = self.students.index(student)
        return self.assignment.case(Draw(self.key, self.assignment.name, student.student, place))

    def require_same_places(self) -> None:
        """Cases are dealt by a student's line. Raises CourseError when a line went or moved after the
        release."""
        path, now = self.folder / _DEALT, [one.student for one in self.students]
        then = json.loads(path.read_text()) if path.is_file() else []
        if now[: len(then)] != then:
            moved = next(
                name
                for name, other in zip(then, [*now, *([None] * len(then))], strict=False)
                if name != other
            )
            raise CourseError(
                f"{self.root / 'roster.csv'}: {moved} has another line than at the release, and would be "
                "marked by another student's network: put the lines back in order, new students at the end"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now, indent=0) + "\n")
