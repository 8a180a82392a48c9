"""What an assignment is: a folder with rubric.yaml, starter.md, solution.md, and one Python file for the
grader.

That file has a subclass of Assignment. It is the instructor's, and so are rubric and solution: none of the
three is released.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from labkit.course.draw import Draw
from labkit.course.roster import CourseError
from labkit.course.rubric import Mark, Question, Rubric, judged, near, tolerance
from labkit.course.submitted import Answers

Case = Any
"""A student's numbers: whatever `case` of an assignment makes, a frozen dataclass as a rule."""


@dataclass(frozen=True)
class Figure:
    """A chart of Altair for a student's feedback, and the sentence above it."""

    said: str
    chart: Any


class Assignment(ABC):
    """answers: what may be handed in, a field for each question. The questions are rubric.yaml's."""

    answers: ClassVar[type[Answers]]

    def __init__(self, folder: Path, rubric: Rubric) -> None:
        self.folder, self.name, self.rubric = folder, folder.name, rubric
        if strange := set(rubric.questions) ^ set(self.answers.model_fields):
            raise CourseError(f"{folder}: rubric.yaml and the answers differ in {', '.join(sorted(strange))}")

    @abstractmethod
    def case(self, draw: Draw) -> Case:
        """The student's own numbers."""

    @abstractmethod
    def handout(self, case: Case, folder: Path) -> dict[str, Any]:
        """Write what the student gets into their folder; returns what case.json tells them."""

    @abstractmethod
    def truth(self, case: Case) -> dict[str, Any]:
        """The right answers, computed by the lab: for each question, and whatever else marks need."""

    def share(self, name: str, case: Case, truth: dict[str, Any], value: Any) -> tuple[float, str]:
        """Which share of a question's points an answer has, and what is said ("": the rubric's words).
        Here: a number is near the truth, or a word is the truth."""
        wanted, question = truth[name], self.rubric.questions[name]
        right = value == wanted if isinstance(wanted, str) else near(value, wanted, question)
        return float(right), ""

    def guesses(self, name: str, cases: Sequence[Case], truths: Sequence[dict[str, Any]]) -> list[Any]:
        """Answers to a question that might suit many of these students at once (constants.py). Here: each
        one's truth, and of a number the edges of its tolerance, among which is the best of all numbers."""
        question, found = self.rubric.questions[name], []
        for truth in truths:
            found.append(value := truth[name])
            if isinstance(value, int | float):
                off = tolerance(value, question) * (1 - 1e-9)
                found += [value - off, value + off]
        return found

    def figures(self, case: Case, truth: dict[str, Any]) -> Sequence[Figure]:
        """Of the student's own network, for their feedback."""
        return ()

    def marks(
        self, case: Case, truth: dict[str, Any], given: Answers, faults: dict[str, str]
    ) -> tuple[Mark, ...]:
        """A mark for each question; faults: what could not be read, by question."""
        return tuple(
            self._mark(name, question, case, truth, getattr(given, name), faults.get(name, ""))
            for name, question in self.rubric.questions.items()
        )

    def _mark(
        self, name: str, question: Question, case: Case, truth: dict[str, Any], value: Any, fault: str
    ) -> Mark:
        if value is None:
            return judged(name, question, 0, fault or "no answer")
        share, said = self.share(name, case, truth, value)
        return judged(name, question, share, said)

    def nothing(self, said: str) -> tuple[Mark, ...]:
        """The marks of who handed nothing in that can be read."""
        return tuple(judged(name, question, 0, said) for name, question in self.rubric.questions.items())


def load(folder: Path) -> Assignment:
    """The assignment of a folder. Raises CourseError."""
    folder = folder.resolve()
    for name in ("rubric.yaml", "starter.md", "solution.md"):
        if not (folder / name).is_file():
            raise CourseError(
                f"{folder}: no {name}: an assignment has rubric.yaml, starter.md and solution.md"
            )
    modules = sorted(folder.glob("*.py"))
    if len(modules) != 1:
        raise CourseError(f"{folder}: {len(modules)} Python files: one, with a subclass of Assignment")
    name = "labkit_assignment_" + re.sub(r"\W", "_", folder.name)
    spec = importlib.util.spec_from_file_location(name, modules[0])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    kinds = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Assignment) and kind.__module__ == name
    ]
    if len(kinds) != 1:
        raise CourseError(f"{modules[0]}: {len(kinds)} subclasses of Assignment: one")
    found: Assignment = kinds[0](folder, Rubric.load(folder / "rubric.yaml"))
    return found
