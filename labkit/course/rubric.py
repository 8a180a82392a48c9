"""What an assignment's rubric.yaml says: questions, points, tolerances, and typical wrong answers with
their score."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from labkit.course.roster import CourseError
from labkit.errors.strangers_text import escaped
from labkit.schema import foreign_files

_NOTE = 1000
"""Characters of a note."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(_Part):
    """points: for a right answer. within: how far a number may be off, of the truth; or: at least so much
    in its own unit. says: what a student is told whose answer is wrong."""

    points: float = Field(gt=0)
    within: float = Field(0.0, ge=0, lt=1)
    or_: float = Field(0.0, ge=0, alias="or")
    says: str


class Wrong(_Part):
    """A typical wrong answer: Python that stands in front of the solution's last cell, and what it still
    scores. It binds names anew, and changes nothing of the solution's in place.

    scores: of the questions that it misses; the others have full marks. A pair is a lowest and a highest
    score."""

    name: str
    why: str
    cell: str
    scores: dict[str, float | tuple[float, float]]


class Rubric(_Part):
    """All of rubric.yaml. minutes: to do it; seconds: that the notebook may take to run, without those in
    which it waits for a processor."""

    title: str
    chapter: str
    minutes: int = Field(gt=0, le=600)
    seconds: int = Field(120, ge=10, le=1800)
    questions: dict[str, Question] = Field(min_length=1)
    wrong: tuple[Wrong, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> Rubric:
        names = [wrong.name for wrong in self.wrong]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"wrong answers of one name: {', '.join(twice)}")
        for wrong in self.wrong:
            if strange := sorted(wrong.scores.keys() - self.questions.keys()):
                raise ValueError(f"wrong answer {wrong.name!r} scores {', '.join(strange)}: no such question")
        return self

    @property
    def points(self) -> float:
        """Of all questions."""
        return sum(question.points for question in self.questions.values())

    @classmethod
    def load(cls, path: Path) -> Rubric:
        """From YAML. Raises CourseError, FileNotFoundError."""
        try:
            return cls.model_validate(yaml.safe_load(foreign_files.text(path, refused=CourseError)))
        except (yaml.YAMLError, ValidationError) as error:
            raise CourseError(f"{path}: {error}") from None


def shown(said: str) -> str:
    """What is said about an answer, or a whole submission, fit for a terminal, a table and a page: it may
    quote its student."""
    return escaped(" ".join(said[: 4 * _NOTE].split()), most=_NOTE)


class Mark(_Part):
    """One question of one student: points, of how many, and what is said about it."""

    question: str
    points: float
    of: float
    said: Annotated[str, AfterValidator(shown)]


def judged(name: str, question: Question, share: float, said: str = "") -> Mark:
    """A mark for a share (0 to 1) of a question's points, to a tenth of a point."""
    points = math.floor(10 * question.points * min(max(share, 0.0), 1.0) + 1e-6) / 10
    points = question.points if share >= 1 else points
    return Mark(
        question=name,
        points=points,
        of=question.points,
        said=said or ("right" if share >= 1 else question.says),
    )


def tolerance(truth: float, question: Question) -> float:
    """How far a number may be off."""
    return max(question.within * abs(truth), question.or_, 1e-9)


def near(value: Any, truth: float, question: Question) -> bool:
    """Whether a number that was handed in is the truth, within the question's tolerance."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return abs(value - truth) <= tolerance(truth, question)
