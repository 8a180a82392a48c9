"""The face of a Prediction in a running notebook: answer, commit, and only then the run."""

from __future__ import annotations

import html
import math
from typing import Any

import ipywidgets as widgets

from labkit.execute.guest.kernel.build import being_built
from labkit.results.result import Result
from labkit.widgets import spread
from labkit.widgets.answers import DATA, MEASURED, YOU
from labkit.widgets.parts import WIDE, note, picture
from labkit.widgets.question import Question
from labkit.widgets.runner import Cancelled, Runner

_STEPS = 100  # of a curve's sliders


class LivePrediction:
    """`box` is the widget; `inputs`, `commit_button`, `again_button`, `message`, `picture` are in it."""

    def __init__(self, asked: Question) -> None:
        self.asked, self.runner = asked, Runner()
        self.measured: Any = None
        self.seeds: list[Any] = []
        self._results: list[Result] = []
        self.inputs = _inputs(asked)
        self.commit_button = widgets.Button(description="Commit and run", button_style="primary")
        self.cancel_button = widgets.Button(description="Cancel", icon="stop", disabled=True)
        self.again_button = widgets.Button(description="Try again", disabled=True)
        self.message, self.picture = widgets.HTML(), widgets.Output()
        question = widgets.HTML(f"<b>{html.escape(asked.question)}</b>")
        buttons = widgets.HBox([self.commit_button, self.cancel_button, self.again_button])
        answers = widgets.HBox([*_across(asked), *self.inputs], layout={"flex_flow": "row wrap"})
        self.box = widgets.VBox([question, answers, buttons, self.message, self.picture])
        self.commit_button.on_click(lambda _: self.commit())
        self.cancel_button.on_click(lambda _: self.runner.cancel())
        self.again_button.on_click(lambda _: self.again())
        if asked.kind == "curve":
            for one in self.inputs:
                one.observe(lambda _: self._draw(), "value")
            self._draw()

    @property
    def said(self) -> Any:
        """What the reader has put in; None if nothing, or nothing that would be an answer."""
        if self.asked.kind == "curve":
            return [one.value for one in self.inputs]
        one = self.inputs[0]
        return one.index if self.asked.kind == "choice" else _number(one.value, self.asked)

    def commit(self) -> None:
        """Take the answer and run, in the background."""
        if self.said is None:
            choose = self.asked.kind == "choice"
            what = "Choose an answer" if choose else f"Say a number ({_range(self.asked)})"
            self.message.value = note(f"{what} first.")
            return
        self._open(False)
        self.message.value = note("Running ...")
        self.cancel_button.disabled = False
        planned = self.asked.experiments

        def progress(done: int, virtual_s: float) -> None:
            said = f"Run {done + 1} of {len(planned)}: {virtual_s:.0f} s of virtual time"
            self.message.value = note((not virtual_s and being_built()) or said)

        self.runner.start(planned, done=self._done, failed=self._failed, progress=progress)

    def again(self) -> None:
        """Take the answer back."""
        self.runner.cancel()
        self.measured, self.seeds, self._results = None, [], []
        self.message.value, self.picture.outputs = "", ()
        self._open(True)
        if self.asked.kind == "curve":
            self._draw()

    def _open(self, is_open: bool) -> None:
        for one in [*self.inputs, self.commit_button]:
            one.disabled = not is_open
        self.again_button.disabled = True

    def _done(self, results: list[Result]) -> None:
        self.measured, self._results = self.asked.answer(results), results
        self._say()
        self.again_button.disabled = False
        repeated = self.asked.repeated()
        if not repeated:
            self.cancel_button.disabled = True
            return
        size = len(results)

        def progress(done: int, _: float) -> None:
            self._say(f"Seed {done // size + 2} of {len(repeated) + 1} ...")

        def told(more: list[Result]) -> None:
            parts = [more[i : i + size] for i in range(0, len(more), size)]
            self.seeds = [self.measured, *map(self.asked.answer, parts)]
            self._say()
            self.cancel_button.disabled = True

        planned = [exp for exps in repeated for exp in exps]
        self.runner.start(planned, done=told, failed=self._unrepeated, progress=progress)

    def _say(self, more: str = "") -> None:
        """What is known of the answer, in words and drawn."""
        said = [self.asked.words(self.said, self.measured)]
        if self.asked.kind == "choice":
            said.append(self.asked.choices[self.said][1])
        said += [self.asked.after, self.asked.spread_words(self.seeds), more]
        self.message.value = note("\n".join(part for part in said if part))
        if not more:
            self._draw()

    def _unrepeated(self, error: BaseException) -> None:
        """Other seeds were not run to their end: the answer stays, unless it was taken back."""
        self.cancel_button.disabled = True
        if self.measured is None:
            return
        self._say("" if isinstance(error, Cancelled) else f"{type(error).__name__}: {error}")

    def _failed(self, error: BaseException) -> None:
        cancelled = isinstance(error, Cancelled)
        self.message.value = note("Cancelled." if cancelled else f"{type(error).__name__}: {error}")
        self.cancel_button.disabled = True
        self._open(True)

    def _draw(self) -> None:
        shown = []
        spec = self.asked.answers_chart(self.seeds)
        if spec is not None:
            rows = self.asked.rows(YOU, self.said)
            if self.measured is not None:
                rows += self.asked.rows(MEASURED, self.measured)
            ranges = self.asked.spread_rows(self.seeds)
            shown.append({**spec, "datasets": {DATA: rows} | ({spread.DATA: ranges} if ranges else {})})
        if self.measured is not None and (result := self.asked.drawn(self._results)) is not None:
            shown.append(result)
        self.picture.outputs = tuple(map(picture, shown))


def _inputs(asked: Question) -> list[Any]:
    if asked.kind == "choice":
        texts = [text for text, _ in asked.choices]
        return [widgets.RadioButtons(options=texts, index=None, layout={"width": "max-content"})]
    low, high, unit = asked.low, asked.high, asked.unit
    if asked.kind == "value":
        settings = {"description": f"Your prediction ({unit})" if unit else "Your prediction", "style": WIDE}
        return [widgets.Text(placeholder=_range(asked), continuous_update=False, **settings)]
    assert low is not None and high is not None  # a curve has bounds
    look = {"orientation": "vertical", "readout_format": ".3g"}
    span = {"value": (low + high) / 2, "min": low, "max": high, "step": (high - low) / _STEPS}
    return [widgets.FloatSlider(description=x, **span, **look) for x in asked.x_texts]


def _across(asked: Question) -> list[Any]:
    """What the sliders of a curve are of."""
    return [widgets.Label(f"{asked.x_title}:")] if asked.kind == "curve" and asked.x_title else []


def _range(asked: Question) -> str:
    low, high = asked.low, asked.high
    return "any number" if low is None or high is None else f"{low:g} to {high:g}"


def _number(text: str, asked: Question) -> float | None:
    """What was typed, if it is a number within bounds."""
    try:
        said = float(text.replace(",", "."))
    except ValueError:
        return None
    low, high = asked.low, asked.high
    fits = math.isfinite(said) and (low is None or high is None or low <= said <= high)
    return said if fits else None
