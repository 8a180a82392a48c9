"""A course made up for a test, and hostile notebooks in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.course.assignment import load
from labkit.course.course_folder import Course
from labkit.course.sandbox import selftest
from labkit.course.sandbox.groups import groups

MEMORY = "limit of memory"


def _limits_memory() -> bool:
    with groups(1 << 30, 64) as group:
        return "memory" in group.limited


LIMITED = _limits_memory()
"""Whether a cgroup can be made here: else that wall is missing, and graders refuse."""
ROOT = Path(__file__).parents[2]
NUMBERS = {"loss_share", "rtt_ms", "rate_mbit", "goodput_mbit"}


@pytest.fixture(autouse=True)
def walls_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where memory cannot be limited, the tests of everything else go on without."""
    if not LIMITED:
        monkeypatch.setattr(selftest, "WALLS", tuple(wall for wall in selftest.WALLS if wall != MEMORY))


@pytest.fixture
def made(tmp_path: Path) -> Callable[[dict[str, str]], Course]:
    """A course of assignment 3, with a notebook of one cell for each student: their name -> the cell's
    code."""

    def make(cells: dict[str, str]) -> Course:
        (tmp_path / "key").write_text("17" * 32)
        (tmp_path / "roster.csv").write_text("student\n" + "\n".join(cells) + "\n")
        course = Course(tmp_path, load(ROOT / "assignments/03-one-capture"))
        for name, code in cells.items():
            (course.part("submissions") / f"{name}.ipynb").write_text(notebook(code))
        return course

    return make


def notebook(code: str) -> str:
    """A notebook with one cell of code."""
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": code,
        "outputs": [],
        "execution_count": None,
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
