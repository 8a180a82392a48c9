"""The face of a Prediction in a running notebook: answer, commit, and only then the run."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from labkit.charts import vega
from labkit.results.result import Result
from labkit.widgets.answers import DATA, MEASURED, YOU
from labkit.widgets.overlay import Json
from labkit.widgets.runner import Cancelled, Runner

if TYPE_CHECKING:
    from labkit.widgets.prediction import Prediction

_WIDE = {"description_width": "initial"}
_STEPS = 100  # of a curve's sliders


class LivePrediction:
    """`box` is the widget; `inputs`, `commit_button`, `again_button`, `message`, `picture` are in it."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction, self.runner = prediction, Runner()
        self.measured: Any = None
        self._results: list[Result] = []
        self.inputs = _inputs(prediction)
        self.commit_button = widgets.Button(description="Commit and run", button_style="primary")
        self.cancel_button = widgets.Button(description="Cancel", icon="stop", disabled=True)
        self.again_button = widgets.Button(description="Try again", disabled=True)
        self.message, self.picture = widgets.HTML(), widgets.Output()
        question = widgets.HTML(f"<b>{html.escape(prediction.question)}</b>")
        buttons = widgets.HBox([self.commit_button, self.cancel_button, self.again_button])
        answers = widgets.HBox([*_across(prediction), *self.inputs], layout={"flex_flow": "row wrap"})
        self.box = widgets.VBox([question, answers, buttons, self.message, self.picture])
        self.commit_button.on_click(lambda _: self.commit())
        self.cancel_button.on_click(lambda _: self.runner.cancel())
        self.again_button.on_click(lambda _: self.again())
        if prediction.kind == "curve":
            for one in self.inputs:
                one.observe(lambda _: self._draw(), "value")
            self._draw()

    @property
    def said(self) -> Any:
        """What the reader has put in; None if nothing, or nothing that would be an answer."""
        if self.prediction.kind == "curve":
            return [one.value for one in self.inputs]
        one = self.inputs[0]
        return one.index if self.prediction.kind == "choice" else _number(one.value, self.prediction)

    def commit(self) -> None:
        """Take the answer and run, in the background."""
        if self.said is None:
            choose = self.prediction.kind == "choice"
            what = "Choose an answer" if choose else f"Say a number ({_range(self.prediction)})"
            self.message.value = _note(f"{what} first.")
            return
        self._open(False)
        self.message.value = _note("Running ...")
        self.cancel_button.disabled = False
        planned = self.prediction.experiments

        def progress(done: int, virtual_s: float) -> None:
            self.message.value = _note(f"Run {done + 1} of {len(planned)}: {virtual_s:.0f} s of virtual time")

        self.runner.start(planned, done=self._done, failed=self._failed, progress=progress)

    def again(self) -> None:
        """Take the answer back."""
        self.measured, self._results = None, []
        self.message.value, self.picture.outputs = "", ()
        self._open(True)
        if self.prediction.kind == "curve":
            self._draw()

    def _open(self, is_open: bool) -> None:
        for one in [*self.inputs, self.commit_button]:
            one.disabled = not is_open
        self.again_button.disabled = True

    def _done(self, results: list[Result]) -> None:
        self.measured, self._results = self.prediction.answer(results), results
        said = [self.prediction.words(self.said, self.measured)]
        if self.prediction.kind == "choice":
            said.append(self.prediction.choices[self.said][1])
        said.append(self.prediction.after)
        self._draw()
        self.message.value = _note("\n".join(part for part in said if part))
        self.cancel_button.disabled, self.again_button.disabled = True, False

    def _failed(self, error: BaseException) -> None:
        cancelled = isinstance(error, Cancelled)
        self.message.value = _note("Cancelled." if cancelled else f"{type(error).__name__}: {error}")
        self.cancel_button.disabled = True
        self._open(True)

    def _draw(self) -> None:
        shown = []
        spec = self.prediction.answers_chart()
        if spec is not None:
            rows = self.prediction.rows(YOU, self.said)
            if self.measured is not None:
                rows += self.prediction.rows(MEASURED, self.measured)
            shown.append({**spec, "datasets": {DATA: rows}})
        if self.measured is not None and (result := self.prediction.drawn(self._results)) is not None:
            shown.append(result)
        self.picture.outputs = tuple(_output(one) for one in shown)


def _output(spec: Json) -> Json:
    data, metadata = vega.bundle(spec)
    return {"output_type": "display_data", "data": data, "metadata": metadata}


def _inputs(prediction: Prediction) -> list[Any]:
    if prediction.kind == "choice":
        texts = [text for text, _ in prediction.choices]
        return [widgets.RadioButtons(options=texts, index=None, layout={"width": "max-content"})]
    low, high, unit = prediction.low, prediction.high, prediction.unit
    if prediction.kind == "value":
        settings = {"description": f"Your prediction ({unit})" if unit else "Your prediction", "style": _WIDE}
        return [widgets.Text(placeholder=_range(prediction), continuous_update=False, **settings)]
    assert low is not None and high is not None  # a curve has bounds
    look = {"orientation": "vertical", "readout_format": ".3g"}
    span = {"value": (low + high) / 2, "min": low, "max": high, "step": (high - low) / _STEPS}
    return [widgets.FloatSlider(description=x, **span, **look) for x in prediction.x_texts]


def _across(prediction: Prediction) -> list[Any]:
    """What the sliders of a curve are of."""
    return (
        [widgets.Label(f"{prediction.x_title}:")] if prediction.kind == "curve" and prediction.x_title else []
    )


def _range(prediction: Prediction) -> str:
    low, high = prediction.low, prediction.high
    return "any number" if low is None or high is None else f"{low:g} to {high:g}"


def _number(text: str, prediction: Prediction) -> float | None:
    """What was typed, if it is a number within bounds."""
    try:
        said = float(text.replace(",", "."))
    except ValueError:
        return None
    low, high = prediction.low, prediction.high
    fits = math.isfinite(said) and (low is None or high is None or low <= said <= high)
    return said if fits else None


def _note(text: str) -> str:
    return f'<div role="status" style="white-space:pre-wrap">{html.escape(text)}</div>'
