"""What takes minutes and belongs to `make course-test`; `make test` has one assignment of each such test."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ASKED = os.environ.get("LABKIT_COURSE", "")
STUDENTS = int(ASKED or 1)
"""So many of a class made up for each assignment."""
KEYS = int(os.environ.get("LABKIT_COURSE_KEYS") or 1)
"""So many keys under which a published solution is followed."""
ONE = "03-one-capture"
only_whole = pytest.mark.skipif(not ASKED, reason="takes minutes: make course-test")


def each(folders: list[Path]) -> list[Any]:
    """Parameters: all assignments, of which `make test` takes one."""
    return [
        pytest.param(path, id=path.name, marks=[] if path.name == ONE else only_whole) for path in folders
    ]
