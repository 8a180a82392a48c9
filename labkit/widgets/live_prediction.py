"""A Prediction in a running notebook: the reader answers, commits, and only then it is run."""

from __future__ import annotations

from labkit.results.result import Result
from labkit.spec import Experiment
from labkit.widgets import spread
from labkit.widgets.drawing import Json
from labkit.widgets.face import Face
from labkit.widgets.question import Question


class LivePrediction(Face):
    """`latest` is {run, measured, result, spread}, as a recording has them; spread is null until other seeds
    have been run, which a question that is no word asks for."""

    def __init__(self, question: Question) -> None:
        self.question = question
        super().__init__("predict", {**question.asked(), "repeats": bool(question.repeated())})

    def run(self, asked: Json) -> None:
        """{run, seed, repeat}: with this seed, null for its own; repeat: with others, once it has run."""
        if asked.get("repeat"):
            self._repeat(asked["run"])
            return
        number, seed = asked["run"], asked["seed"]
        exps = self.question.experiments

        def done(results: list[Result]) -> None:
            found = self.question.found(results)
            self.results = results
            self.latest = {"run": number, **found, "spread": None}

        def which(nth: int) -> str:
            return f"Run {nth + 1} of {len(exps)}" if len(exps) > 1 else ""

        self.start(number, exps if seed is None else _reseeded(exps, seed), done, which)

    def _repeat(self, number: int) -> None:
        repeated, found = self.question.repeated(), self.latest
        size = len(self.question.experiments)

        def done(results: list[Result]) -> None:
            parts = [results[i : i + size] for i in range(0, len(results), size)]
            answers = [found["measured"], *map(self.question.answer, parts)]
            self.latest = {**found, "run": number, "spread": self.question.spread(answers)}

        def which(nth: int) -> str:
            return f"Seed {nth // size + 2} of {spread.SEEDS}"

        self.start(number, [exp for exps in repeated for exp in exps], done, which)


def _reseeded(exps: list[Experiment], seed: int) -> list[Experiment]:
    """The first has this seed, the others theirs as far from it as before."""
    return [exp.replace(seed=seed + exp.seed - exps[0].seed) for exp in exps]
