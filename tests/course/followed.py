"""A student's path through an assignment: the published solution, cell by cell, in a folder that holds what
a student gets and nothing else."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import jupytext

from labkit.course.assignment import Assignment
from labkit.course.draw import Draw
from labkit.course.handing_in import FILE
from labkit.course.rubric import Mark
from labkit.course.submitted import checked, plain


def case_of(assignment: Assignment, number: int) -> Any:
    """Of a student of a class of its own, with a key of its own."""
    return assignment.case(Draw(number.to_bytes(32, "big"), assignment.name, f"student{number}", number))


def class_of(assignment: Assignment, students: int) -> list[Any]:
    """The cases of one class."""
    return [
        assignment.case(Draw(bytes(32), assignment.name, f"student{number}", number))
        for number in range(students)
    ]


def followed(assignment: Assignment, case: Any, folder: Path) -> tuple[Mark, ...]:
    """The marks of what the solution hands in."""
    folder.mkdir()
    told = assignment.handout(case, folder)
    (folder / "case.json").write_text(json.dumps({"assignment": assignment.name, "student": "ada", **told}))
    cells = jupytext.read(assignment.folder / "solution.md").cells
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, assignment.name, "exec"), names)
    given, faults = checked(assignment.answers, plain((folder / FILE).read_text()))
    return assignment.marks(case, assignment.truth(case), given, faults)
