"""The search for the constant answer that earns most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labkit.course.assignment import Assignment
from labkit.course.constants import best
from labkit.course.rubric import Rubric
from labkit.course.submitted import Answers

RUBRIC = """
title: Made up
chapter: "1"
minutes: 5
questions:
  number: {points: 4, within: 0.1, says: "no"}
  word: {points: 6, says: "no"}
wrong: [{name: none, why: none, cell: "", scores: {}}]
"""


class Given(Answers):
    number: float | None = None
    word: str | None = None


class MadeUp(Assignment):
    """A case is its truth."""

    answers = Given

    def case(self, draw: Any) -> Any:
        raise NotImplementedError

    def handout(self, case: Any, folder: Path) -> dict[str, Any]:
        raise NotImplementedError

    def truth(self, case: Any) -> dict[str, Any]:
        return dict(case)


@pytest.fixture
def made_up(tmp_path: Path) -> MadeUp:
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    return MadeUp(tmp_path, Rubric.load(tmp_path / "rubric.yaml"))


def test_the_best_number_may_be_nobodys_truth(made_up: MadeUp) -> None:
    """9.9 to 12.1, 10.8 to 13.2 and 11.7 to 14.3 overlap from 11.7 on, 18 to 22 with none of them."""
    cases = [{"number": number, "word": "a"} for number in (11.0, 12.0, 13.0, 20.0)]
    found = best(made_up, cases, [made_up.truth(case) for case in cases])
    assert found["number"].points == 4 * 3 / 4
    assert 11.7 <= found["number"].answer <= 12.1
    assert (found["word"].answer, found["word"].points) == ("a", 6)


def test_a_word_earns_as_often_as_it_is_right(made_up: MadeUp) -> None:
    cases = [{"number": 1.0 + 10 * i, "word": word} for i, word in enumerate("abcab")]
    found = best(made_up, cases, [made_up.truth(case) for case in cases])
    assert found["word"].answer in "ab"
    assert found["word"].points == pytest.approx(6 * 2 / 5)
    assert found["number"].points == pytest.approx(4 / 5)
