"""`labkit course`: release, grade, feedback, check of an assignment; the league."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.cli import FAILED, OK
from labkit.cli.text import table
from labkit.execute.artifacts.ready import install

if TYPE_CHECKING:
    from labkit.course.course_folder import Course
    from labkit.course.grading import Failure


def main(arguments: argparse.Namespace) -> int:
    """One action. Raises LabkitError, OSError."""
    actions = {
        "release": _release,
        "grade": _grade,
        "feedback": _feedback,
        "check": _check,
        "league": _league,
    }
    try:
        return actions[arguments.action](arguments)
    except ModuleNotFoundError as error:
        print(f"labkit: {error.name} is missing: {install('course')}", file=sys.stderr)
        return FAILED


def _course(arguments: argparse.Namespace, *, make_key: bool = False) -> Course:
    from labkit.course.assignment import load
    from labkit.course.course_folder import Course

    return Course(Path(arguments.course), load(Path(arguments.assignment)), make_key)


def _release(arguments: argparse.Namespace) -> int:
    from labkit.course.releasing import release

    course = _course(arguments, make_key=True)
    number = release(course, workers=arguments.workers)
    print(f"{number} students: {course.folder / 'handouts'}")
    return OK


def _grade(arguments: argparse.Namespace) -> int:
    from labkit.course import lms, similarity
    from labkit.course.grading import grade

    course = _course(arguments)
    class_ = grade(course, workers=arguments.workers, again=arguments.again, weak=arguments.weak_sandbox)
    written = [*lms.write(course, class_.graded), similarity.report(course)]
    rows = [[one.student.student, f"{one.total:g}", one.note] for one in class_.graded]
    print(table(["student", f"of {course.assignment.rubric.points:g}", ""], rows, right=frozenset({1})))
    print("\n" + "\n".join(str(path) for path in written))
    return _told(class_.failed, "not graded")


def _feedback(arguments: argparse.Namespace) -> int:
    from labkit.course.feedback import pages

    course = _course(arguments)
    written, failed = pages(course, workers=arguments.workers)
    print(f"{len(written)} pages: {course.folder / 'feedback'}")
    return _told(failed, "no page")


def _told(failed: Sequence[Failure], what: str) -> int:
    """Who was left out, and why."""
    for one in failed:
        print(f"labkit: {what}: {one.student.student}: {one.said}", file=sys.stderr)
    return FAILED if failed else OK


def _check(arguments: argparse.Namespace) -> int:
    from labkit.course.assignment import load
    from labkit.course.checking import check

    found = check(
        load(Path(arguments.assignment)),
        arguments.students,
        workers=arguments.workers,
        weak=arguments.weak_sandbox,
    )
    rows = [
        [
            one.what,
            one.student,
            f"{sum(one.points.values()):g}",
            "as the rubric says" if one.right else one.said,
        ]
        for one in found
    ]
    print(table(["handed in", "student", "points", ""], rows, right=frozenset({2})))
    return OK if all(one.right for one in found) else FAILED


def _league(arguments: argparse.Namespace) -> int:
    from labkit.course.league import league

    root = Path(arguments.course)
    rows = league(
        Path(arguments.assignment),
        root / "key",
        root / "league.csv",
        workers=arguments.workers,
        weak=arguments.weak_sandbox,
    )
    shown = [
        [row.author, *(f"{n:.2f}" for n in (row.hidden, row.public, row.mbit, row.delay_ms)), row.said[:60]]
        for row in rows
    ]
    head = ["author", "hidden", "public", "Mbit/s", "delay ms", ""]
    print(table(head, shown, right=frozenset({1, 2, 3, 4})) + f"\n\n{root / 'league.csv'}")
    return OK
