"""The class: who is in it, by which names the LMS knows them, and the secret key of the course."""

from __future__ import annotations

import csv
import io
import os
import re
import secrets
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from labkit.errors import LabkitError
from labkit.schema import foreign_files

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST = 16 << 20  # bytes of a roster
_LEAST = 16  # bytes of a key: nobody tries 2**128


class CourseError(LabkitError):
    """Something of a course is not as it has to be: names the file and what would be right."""


class Student(BaseModel):
    """A line of roster.csv. student: a short name, that of the file that is handed in."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    student: str
    name: str = ""
    email: str = ""
    id_number: str = ""
    canvas_id: str = ""
    section: str = ""


def read_roster(path: Path) -> tuple[Student, ...]:
    """The students of a CSV file with a column "student", and if wanted name, email, id_number, canvas_id,
    section. Raises CourseError, FileNotFoundError."""
    said = foreign_files.text(path, _MOST, encoding="utf-8-sig", refused=CourseError)
    try:
        rows = list(csv.DictReader(io.StringIO(said)))
    except csv.Error as error:
        raise CourseError(f"{path}: no CSV file: {error}") from None
    if not rows or "student" not in rows[0]:
        raise CourseError(f"{path}: its first line must name the columns, one of them student")
    found = tuple(
        Student(**{str(k): (v or "").strip() for k, v in row.items() if isinstance(v, str)}) for row in rows
    )
    for line, one in enumerate(found, start=2):
        if not _NAME.fullmatch(one.student):
            raise CourseError(
                f"{path}, line {line}: student={one.student!r}: letters, digits, dot, - and _, 64 at most"
            )
    names = [one.student.lower() for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise CourseError(f"{path}: there twice: {', '.join(twice)}")
    return found


def read_key(path: Path, *, make: bool = False) -> bytes:
    """The key, 64 hex digits; make: draw one if there is none, for its owner's eyes only. Raises
    CourseError."""
    if make and not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32) + "\n")
    try:
        key = bytes.fromhex(foreign_files.text(path, _MOST, refused=CourseError).strip())
    except FileNotFoundError:
        raise CourseError(f"{path}: there is no key: `labkit course release` makes one") from None
    except ValueError:
        raise CourseError(f"{path}: not a key: 64 hex digits") from None
    if len(key) < _LEAST:
        raise CourseError(f"{path}: {len(key)} bytes are no key: {_LEAST} at least")
    return key
