"""`labkit course release`: a folder for each student, and the same as a zip. No solution, no rubric, no
key."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from labkit.course.course_folder import MAKING, Course
from labkit.course.parallel import each
from labkit.course.roster import Student

CASE = "case.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip knows: the same bytes whenever it is made


def release(course: Course, *, workers: int | None = None, progress: bool = True) -> int:
    """Write what every student gets; returns for how many. Raises CourseError, LabkitError, OSError."""
    with course.alone():
        return _release(course, workers, progress)


def _release(course: Course, workers: int | None, progress: bool) -> int:
    course.require_same_places()
    book = notebook(course.assignment.folder / "starter.md")
    folder = course.part("handouts")

    def one(student: Student, slot: int) -> None:
        with tempfile.TemporaryDirectory(dir=folder, prefix=MAKING) as making:
            handout(course, student, Path(making))
            (Path(making) / f"{course.assignment.name}.ipynb").write_text(book)
            final = folder / student.student
            shutil.rmtree(final, ignore_errors=True)
            shutil.copytree(making, final)
        _zip(final, folder / f"{student.student}.zip")

    each(course.students, one, workers, "released", progress)
    return len(course.students)


def handout(course: Course, student: Student, folder: Path) -> None:
    """All that a student gets beside the notebook."""
    case = course.case(student)
    told = course.assignment.handout(case, folder)
    public = {"assignment": course.assignment.name, "student": student.student, **told}
    (folder / CASE).write_text(json.dumps(public, indent=1, sort_keys=True) + "\n")


def notebook(source: Path, change: Callable[[Any], None] = lambda book: None) -> str:
    """A MyST notebook as ipynb, the same bytes each time; change: what is done to it first."""
    import jupytext
    import nbformat

    book = jupytext.read(source)
    change(book)
    book.metadata.pop("jupytext", None)
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell-{number}"
    text: str = nbformat.writes(book, 4)
    return text + "\n"


def _zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                info = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", _EPOCH)
                info.external_attr, info.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
                archive.writestr(info, path.read_bytes())
