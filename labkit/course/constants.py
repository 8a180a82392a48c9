"""What somebody scores who never looks at a network: the constant answer that earns most over a class,
found by trying all that could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from labkit.course.assignment import Assignment, Case


@dataclass(frozen=True)
class Constant:
    """An answer to one question, and the mean of the points that it earns."""

    answer: Any
    points: float


def best(
    assignment: Assignment, cases: Sequence[Case], truths: Sequence[dict[str, Any]]
) -> dict[str, Constant]:
    """For each question the best of `assignment.guesses`. Their sum is the most that a constant submission
    earns. Tries what has to be tried in the lab. Raises LabkitError."""
    found = {}
    for name, question in assignment.rubric.questions.items():
        means = [
            (
                fmean(
                    assignment.share(name, case, truth, guess)[0]
                    for case, truth in zip(cases, truths, strict=True)
                ),
                guess,
            )
            for guess in assignment.guesses(name, cases, truths)
        ]
        share, guess = max(means, key=lambda one: one[0])
        found[name] = Constant(guess, question.points * share)
    return found
