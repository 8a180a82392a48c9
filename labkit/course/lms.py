"""Grades for a learning management system: a plain CSV file, and what Moodle and Canvas import.

Moodle ("Grade import", docs.moodle.org): any columns, mapped by hand to a user's field and to a grade item;
feedback is a column of its own, to be mapped together with the grade, which is lost otherwise. Canvas ("How
do I import grades in the Gradebook?", and its importer, lib/gradebook_importer.rb): Student, ID, SIS User
ID, SIS Login ID, Section, in this order, then a column per assignment; the first row is "Points Possible".
Of the students, who has no ID is looked up by the two of the SIS, then by name. Both take UTF-8 with
commas. nbgrader: the columns of its own `nbgrader export` (nbgrader/plugins/export.py), for what reads
those."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labkit.course import csv_file
from labkit.course.course_folder import Course
from labkit.course.grading import Graded

_OF_NBGRADER = [
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
]


def write(course: Course, class_: Sequence[Graded]) -> list[Path]:
    """grades.csv, moodle.csv, canvas.csv, nbgrader.csv; the same grades give the same bytes."""
    rubric, folder = course.assignment.rubric, course.folder
    questions = list(rubric.questions)
    grades = [
        [
            one.student.student,
            one.student.name,
            *(_points(mark.points) for mark in one.marks),
            _points(one.total),
            one.note,
        ]
        for one in class_
    ]
    moodle = [
        [one.student.student, one.student.id_number, one.student.email, _points(one.total), _feedback(one)]
        for one in class_
    ]
    canvas = [
        [
            *(one.student.name or one.student.student, one.student.canvas_id, one.student.id_number),
            *(one.student.student, one.student.section, _points(one.total)),
        ]
        for one in class_
    ]
    nbgrader = [
        [
            *(course.assignment.name, "", "", one.student.student, *_last_and_first(one.student.name)),
            *(one.student.email, _points(one.total), "0", _points(one.total), _points(rubric.points)),
        ]
        for one in class_
    ]
    possible = ["Points Possible", "", "", "", "", _points(rubric.points)]
    return [
        csv_file.write(folder / "grades.csv", ["student", "name", *questions, "total", "note"], grades),
        csv_file.write(
            folder / "moodle.csv",
            ["Username", "ID number", "Email address", rubric.title, f"{rubric.title} (feedback)"],
            moodle,
        ),
        csv_file.write(
            folder / "canvas.csv",
            ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", rubric.title],
            [possible, *canvas],
        ),
        csv_file.write(folder / "nbgrader.csv", _OF_NBGRADER, nbgrader),
    ]


def _last_and_first(name: str) -> tuple[str, str]:
    """Of "Lovelace, Ada" or "Ada Lovelace"."""
    last, comma, first = name.partition(", ")
    if not comma:
        first, _, last = name.rpartition(" ")
    return last, first


def _feedback(one: Graded) -> str:
    said = [f"{mark.question}: {mark.points:g} of {mark.of:g}, {mark.said}" for mark in one.marks]
    return one.note or "; ".join(said)


def _points(value: float) -> str:
    return f"{value:g}"
