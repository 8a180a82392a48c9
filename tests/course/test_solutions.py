"""Every assignment over many keys: whoever follows the published solution has full marks, and no constant
answer has more than three points in ten. `make course-test` has ten keys, `make course-test KEYS=100` a
hundred."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit.course.assignment import load
from labkit.course.constants import best
from tests.course.followed import case_of, class_of, followed
from tests.course.whole import KEYS, each, only_whole

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path for path in (ROOT / "assignments").iterdir() if path.is_dir())
MOST = 0.3
"""Of an assignment's points."""
FEWEST = 40
"""Students of the class in which constants are sought: of few, many an answer suits several by luck."""
SLOW = ("07", "08")
"""In which a guess is a module to be driven, and what it has to meet is dealt: as many students as there
are keys."""


@pytest.mark.parametrize("folder", each(FOLDERS))
def test_whoever_follows_the_published_solution_has_full_marks(folder: Path, tmp_path: Path) -> None:
    assignment, missed = load(folder), []
    for number in range(KEYS):
        marks = followed(assignment, case_of(assignment, number), tmp_path / str(number))
        missed += [f"key {number}, {mark.question}: {mark.said}" for mark in marks if mark.points < mark.of]
    assert missed == []


@only_whole
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_best_constant_answer_earns_three_points_in_ten(folder: Path) -> None:
    assignment = load(folder)
    cases = class_of(assignment, KEYS if folder.name.startswith(SLOW) else max(KEYS, FEWEST))
    found = best(assignment, cases, [assignment.truth(case) for case in cases])
    points = sum(one.points for one in found.values())
    print(f"{assignment.name}: {points:.2f} of {assignment.rubric.points:g} in a class of {len(cases)}")
    assert points <= MOST * assignment.rubric.points, {name: str(one)[:200] for name, one in found.items()}
