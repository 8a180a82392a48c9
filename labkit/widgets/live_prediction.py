"""A Prediction in a running notebook: the reader answers, commits, and only then it is run."""

from __future__ import annotations

from labkit.results.result import Result
from labkit.spec import Experiment
from labkit.widgets import spread
from labkit.widgets.drawing import Json
from labkit.widgets.face import Face
from labkit.widgets.question import Question


class LivePrediction(Face):
    """`latest` is {runs, measured, result, spread}, as a recording has them; spread is null until other seeds
    have been run, which a question that is no word asks for."""

    def __init__(self, question: Question) -> None:
        self.question = question
        super().__init__("predict", {**question.asked(), "repeats": bool(question.repeated())})

    def run(self, asked: Json) -> None:
        """{seed, repeat}: with this seed, null for its own; repeat: with others, once it has run."""
        if asked.get("repeat"):
            self._repeat()
            return
        seed, exps = asked["seed"], self.question.experiments

        def which(nth: int) -> str:
            return f"Run {nth + 1} of {len(exps)}" if len(exps) > 1 else ""

        def found(results: list[Result]) -> Json:
            return {**self.question.found(results), "spread": None}

        self.start(exps if seed is None else _reseeded(exps, seed), found, which)

    def _repeat(self) -> None:
        repeated, before = self.question.repeated(), self.latest
        size = len(self.question.experiments)

        def which(nth: int) -> str:
            return f"Seed {nth // size + 2} of {spread.SEEDS}"

        def found(results: list[Result]) -> Json:
            parts = [results[i : i + size] for i in range(0, len(results), size)]
            answers = [before["measured"], *map(self.question.answer, parts)]
            return {**before, "spread": self.question.spread(answers)}

        self.start([exp for exps in repeated for exp in exps], found, which)


def _reseeded(exps: list[Experiment], seed: int) -> list[Experiment]:
    """The first has this seed, the others theirs as far from it as before."""
    return [exp.replace(seed=seed + exp.seed - exps[0].seed) for exp in exps]
