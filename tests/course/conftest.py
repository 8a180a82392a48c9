"""A course made up for a test, and hostile notebooks in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit.course.assignment import load
from labkit.course.course_folder import Course

ROOT = Path(__file__).parents[2]
NUMBERS = {"loss_share", "rtt_ms", "rate_mbit", "goodput_mbit"}


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
