"""predict(...): the reader commits to an answer, then the measured one is shown beside it.

One object for the running notebook and for the recording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labkit.execute.session.recording import recording
from labkit.widgets.drawing import Draw
from labkit.widgets.question import Experiments, Measured, Question

MIME = "application/vnd.labkit.predict+json"


def predict(
    question: str,
    experiment: Experiments,
    measure: Measured,
    /,
    *,
    since: float = 0.0,
    unit: str = "",
    between: tuple[float, float] | None = None,
    choices: Sequence[str] | Mapping[str, str] | None = None,
    x: Sequence[Any] | None = None,
    x_title: str = "",
    y_title: str = "",
    after: str = "",
    chart: Draw | Sequence[Draw] | None = None,
    name: str = "prediction",
) -> Prediction:
    """A question that is answered by the reader first and by the laboratory after that.

    experiment: one, a list, or a mapping. measure: a word, such as "goodput" or "goodput of far"
    (labkit.measures has them all), of several experiments the mean, for a curve one for each x; or a function
    that gets the Result, the list or the mapping of them, and returns a number in `unit`, one of the
    `choices` (a list, or a mapping of text to feedback), or, for a curve, a number for each x. Pages measure
    words under any seed; what a function says is recorded under twenty, and their spread is shown. since: s,
    for words that may leave out what came before. between: the lowest and the highest number that may be
    said; a curve needs it. after: said once it is answered. chart: as in `explore`, of the results, shown
    then. name: of the figure. Raises SpecError; when recording also what a run raises.
    """
    asked: dict[str, Any] = {"since": since, "unit": unit, "between": between, "choices": choices, "x": x}
    shown: dict[str, Any] = {"x_title": x_title, "y_title": y_title, "after": after, "chart": chart}
    return Prediction(question, experiment, measure, name=name, **asked, **shown)


class Prediction(Question):
    """What `predict` returns; as a cell's value it shows itself."""

    def __init__(self, *asked: Any, **options: Any) -> None:
        super().__init__(*asked, **options)
        self._live: Any = None
        self._stored = self.payload() if recording() else None

    @property
    def live(self) -> Any:
        """The widget of a running notebook: a `live_prediction.LivePrediction`."""
        if self._live is None:
            from labkit.widgets.live_prediction import LivePrediction  # anywidget takes a while to load

            self._live = LivePrediction(self)
        return self._live

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if self._stored is None:
            return self.live.shown_as(repr(self))
        return {MIME: self._stored, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<predict: {self.question}>"
