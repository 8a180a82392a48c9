"""What a prediction is made of: the question, the measured answer, both in charts. Shows nothing.

What a face is told before anything has run ("asked"):

    format, name    as in an explorer
    kind       value, choice or curve
    question, after               the question; what to say once it is answered, "" if nothing
    unit, low, high               of a value or of a curve's points; null: no bound
    choices    of a choice: [[text, feedback], ...]
    x          of a curve: its x values as texts; x_values: as they are
    answers    Vega-Lite of a value or curve, whose dataset "answers" has rows of who, (x,) value

A recording holds that, and besides:

    caption, description    the question: without scripts it can be read, and the answer behind its fold
    measured   a number, the number of a choice, or a list of numbers
    spread     {words, rows}: how far the answer depends on the seed, in a sentence and as rows of the dataset
               "spread" of `answers`; null of a word, which a page measures under any seed
    result     Vega-Lite with its data, shown after the answer; or null
    table      {columns, rows}: the measured answer, for the fold
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from labkit.charts import vega
from labkit.errors import SpecError
from labkit.measures.word import Word, as_words, needs
from labkit.results.replay import wider
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.widgets import answers, spread
from labkit.widgets.drawing import Draw, Json, as_draw
from labkit.widgets.payload import FORMAT, LIMIT_BYTES, PayloadTooLargeError

Kind = Literal["value", "choice", "curve"]
Experiments = Experiment | Sequence[Experiment] | Mapping[str, Experiment]
Measured = str | Callable[[Any], Any]


class Question:
    """A question, how its answer is measured, and what is said and drawn of both answers."""

    def __init__(
        self,
        question: str,
        experiment: Experiments,
        measure: Measured,
        *,
        since: float,
        unit: str,
        between: tuple[float, float] | None,
        choices: Sequence[str] | Mapping[str, str] | None,
        x: Sequence[Any] | None,
        x_title: str,
        y_title: str,
        after: str,
        chart: Draw | Sequence[Draw] | None,
        name: str,
    ) -> None:
        self.question, self.after, self.name = question, after, name
        self.given_chart, self.chart = chart, None if chart is None else as_draw(chart)
        self.kind: Kind = "choice" if choices is not None else "curve" if x is not None else "value"
        self.choices = _feedback(choices)
        self.x = [one.item() if hasattr(one, "item") else one for one in x] if x is not None else []
        self.x_title, self.y_title = x_title, y_title
        self.low, self.high = _bounds(self.kind, between)
        self.experiments, self._together = _listed(experiment)
        if choices is not None and x is not None:
            raise SpecError("predict: choices and x: a question has one kind of answer: leave one out")
        self.word = _word(measure, since, self.kind)
        self.measure: Callable[[Any], Any] = measure if callable(measure) else self._by_word
        self.unit = unit or (self.word.unit if self.word else "")
        if self.word is not None:
            self.experiments = [wider(exp, *needs([self.word], exp)) for exp in self.experiments]

    def _by_word(self, results: Any) -> float | list[float]:
        """What the word says of a result, on average of several; of a curve of each."""
        assert self.word is not None
        several = list(results.values()) if isinstance(results, Mapping) else results
        each = several if isinstance(several, list) else [several]
        numbers = [self.word.number(result) for result in each]
        return numbers if self.kind == "curve" else float(np.mean(numbers))

    def answer(self, results: list[Result]) -> Any:
        """The measured answer: a number, the number of a choice, or a list. Raises SpecError."""
        found = self.measure(self._together(results))
        if self.kind == "choice":
            texts = [text for text, _ in self.choices]
            if found not in texts:
                listed = ", ".join(texts)
                raise SpecError(f"predict: measured {found!r}, which is none of the choices {listed}")
            return texts.index(found)
        if self.kind == "value":
            return _finite(found)
        values = [_finite(one) for one in found]
        if len(values) != len(self.x):
            raise SpecError(f"predict: {len(values)} values measured for {len(self.x)} values of x")
        return values

    def drawn(self, results: list[Result]) -> Json | None:
        """The chart of the results, if there is one."""
        if self.chart is None:
            return None
        return vega.steady(self.chart(self._together(results)).to_dict())

    def answers_chart(self) -> Json | None:
        """The chart that sets both answers side by side. A question that is no word has a dataset of its
        answers under several seeds, too."""
        layer = spread.DATA if self.word is None else ""
        if self.kind == "value":
            return answers.value_chart(self.y_title, self.unit, layer)
        if self.kind == "curve":
            y = answers.axis_title(self.y_title, self.unit)
            return answers.curve_chart(self.x, self.x_title, y, self.low or 0.0, self.high or 1.0, layer)
        return None

    def spread(self, seeds: Sequence[Any]) -> Json | None:
        """The answers under several seeds, as a recording has them; None of none."""
        if not seeds:
            return None
        rows = spread.rows(seeds, answers.MEASURED, self.x) if self.kind != "choice" else []
        return {"words": self._spread_words(seeds), "rows": rows}

    def _spread_words(self, seeds: Sequence[Any]) -> str:
        if self.kind == "value":
            return spread.of_values(seeds, self.unit)
        if self.kind == "curve":
            return spread.of_curves(seeds, self.x_title, self.x_texts, self.unit)
        return spread.of_choices(seeds, [text for text, _ in self.choices])

    def repeated(self) -> list[list[Experiment]]:
        """The experiments under other seeds, as often as they are to be run besides; none of a word's."""
        numbers = range(1, spread.SEEDS) if self.word is None else ()
        return [spread.reseeded(self.experiments, number) for number in numbers]

    @property
    def x_texts(self) -> list[str]:
        """The values of x as they are written."""
        return [f"{one:.12g}" if isinstance(one, int | float) else str(one) for one in self.x]

    def asked(self) -> Json:
        """What a face is told: see above."""
        return {
            "format": FORMAT,
            "name": self.name,
            "kind": self.kind,
            "question": self.question,
            "after": self.after,
            "unit": self.unit,
            "low": self.low,
            "high": self.high,
            "choices": self.choices,
            "x": self.x_texts,
            "x_values": self.x,
            "x_title": self.x_title,
            "answers": self.answers_chart(),
        }

    def found(self, results: list[Result]) -> Json:
        """What came of it, as a face shows it. Raises SpecError."""
        return {"measured": self.answer(results), "result": self.drawn(results)}

    def payload(self) -> Json:
        """Run it; what a recording holds. Raises PayloadTooLargeError."""
        results = [run(exp) for exp in self.experiments]
        measured = self.answer(results)
        others = [self.answer([run(exp) for exp in exps]) for exps in self.repeated()]
        found: Json = {
            **self.asked(),
            "caption": self.question,
            "description": self.question,
            "measured": measured,
            "spread": self.spread([measured, *others]) if others else None,
            "result": self.drawn(results),
            "table": self._table(measured),
        }
        size = len(json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode())
        if size > LIMIT_BYTES:
            raise PayloadTooLargeError(
                f"predict: {size / 1000:.0f} kB, and a stored figure may take {LIMIT_BYTES // 1000}: give a "
                "chart with fewer points"
            )
        return found

    def _table(self, measured: Any) -> Json:
        """The measured answer, for the fold below the figure."""
        if self.kind == "curve":
            texts = [answers.quantity(one, self.unit) for one in measured]
            return {
                "columns": [self.x_title or "x", "Measured"],
                "rows": list(map(list, zip(self.x_texts, texts, strict=True))),
            }
        text = self.choices[measured][0] if self.kind == "choice" else answers.quantity(measured, self.unit)
        return {"columns": ["Measured"], "rows": [[text]]}


def _word(measure: Measured, since: float, kind: Kind) -> Word | None:
    if callable(measure):
        return None
    if kind == "choice":
        raise SpecError(
            f"predict: {measure!r} is a number: for choices give a function that returns one of them"
        )
    return as_words(measure, since)[0]


def _feedback(choices: Sequence[str] | Mapping[str, str] | None) -> list[list[str]]:
    if choices is None:
        return []
    pairs = choices.items() if isinstance(choices, Mapping) else ((text, "") for text in choices)
    found = [[str(text), str(said)] for text, said in pairs]
    if len({text for text, _ in found}) < max(len(found), 2):
        raise SpecError("predict: choices: two different ones at least")
    return found


def _bounds(kind: Kind, between: tuple[float, float] | None) -> tuple[float | None, float | None]:
    if between is None:
        if kind == "curve":
            raise SpecError("predict: a curve needs the range of its y axis: between=(0, 10)")
        return None, None
    low, high = (float(one) for one in between)
    if not low < high:
        raise SpecError(f"predict: between={between!r}: the lower end comes first")
    return low, high


def _listed(given: Experiments) -> tuple[list[Experiment], Callable[[list[Result]], Any]]:
    """The experiments as a list, and how to hand their results to `measure`."""
    if isinstance(given, Experiment):
        return [given], lambda results: results[0]
    if isinstance(given, Mapping):
        names = list(given)
        listed = list(given.values())
        wrong = next((one for one in listed if not isinstance(one, Experiment)), None)
    else:
        names, listed = [], list(given)
        wrong = next((one for one in listed if not isinstance(one, Experiment)), None)
    if wrong is not None or not listed:
        raise SpecError(f"predict: {wrong!r} is no Experiment: give one, a list or a mapping of them")
    if names:
        return listed, lambda results: dict(zip(names, results, strict=True))
    return listed, list


def _finite(value: Any) -> float:
    number = float(f"{float(value):.6g}")
    if not math.isfinite(number):
        raise SpecError(f"predict: measured {value!r}: not a finite number")
    return number
