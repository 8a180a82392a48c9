"""What somebody scores who never looks at a network: the constant answer that earns most over a class,
found by trying all that could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labkit.course.assignment import Assignment, Case


@dataclass(frozen=True)
class Constant:
    """An answer to one question. points: the mean of what it earns in the class in which it is best;
    elsewhere: the mean of what the best answer of all others in the class earns for each one. The first is
    too much for a few students, of whom many an answer suits several by luck."""

    answer: Any
    points: float
    elsewhere: float


def best(
    assignment: Assignment, cases: Sequence[Case], truths: Sequence[dict[str, Any]]
) -> dict[str, Constant]:
    """For each question the best of `assignment.guesses`. Their sum is the most that a constant submission
    earns. Tries what has to be tried in the lab. Raises LabkitError."""
    found = {}
    for name, question in assignment.rubric.questions.items():
        guesses = assignment.guesses(name, cases, truths)
        points = question.points * np.array(
            [
                [
                    assignment.share(name, case, truth, guess)[0]
                    for case, truth in zip(cases, truths, strict=True)
                ]
                for guess in guesses
            ]
        )
        first = int(points.mean(axis=1).argmax())
        found[name] = Constant(guesses[first], float(points[first].mean()), _elsewhere(points))
    return found


def _elsewhere(points: np.ndarray) -> float:
    """points: of each guess (row) for each student (column). Of guesses that are equally good, the mean."""
    without = points.sum(axis=1, keepdims=True) - points
    chosen = np.isclose(without, without.max(axis=0))
    return float(((points * chosen).sum(axis=0) / chosen.sum(axis=0)).mean())
