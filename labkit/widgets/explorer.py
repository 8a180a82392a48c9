"""explore(...): an experiment with knobs. One object for the running notebook and for the recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from labkit.charts import vega
from labkit.execute.session.recording import recording
from labkit.measures.word import SUMMARY, Word, as_words
from labkit.spec.parametrization import Source
from labkit.widgets.drawing import Draw
from labkit.widgets.exploration import Exploration, Summary
from labkit.widgets.space import Space

MIME = "application/vnd.labkit.explorer+json"


def explore(
    experiment: Source,
    knobs: Mapping[str, Any] | None = None,
    /,
    *,
    chart: Draw | Sequence[Draw],
    start: Literal["change", "button"] = "change",
    summary: Summary | Sequence[str] = SUMMARY,
    since: float = 0.0,
    name: str | None = None,
    caption: str | None = None,
    **more: Any,
) -> Explorer:
    """Knobs on an experiment, and a chart that follows them.

    explore(exp, {"flows.cc": ["reno", "cubic"]}, chart=charts.cwnd) turns fields of a spec, by path
    (see `labkit.spec.paths`). explore(lambda cc, loss: Experiment(...), cc=["reno", "cubic"],
    loss=Slider("0%", "1%"), chart=charts.cwnd) calls a function.

    chart: a figure of labkit (charts.cwnd), one with options (partial(charts.cwnd, ssthresh=False)), a list
    of such, which are set above each other, or a function of a Result that gives an Altair chart; runs are
    laid over each other in it. start: run at each turn, or by button. summary: words, such as ["goodput",
    "timeouts"] or "goodput of far" (labkit.measures has them all), or a function of a Result that gives a few
    figures by title; shown as text and as table. since: s, for words that may leave out what came before. A
    page runs what is of labkit's figures and of words at any value of a knob. name: of the figure, for links
    and for the recording. Raises SpecError; when recording also what a run raises, and PayloadTooLargeError.
    """
    space = Space(experiment, {**(knobs or {}), **more})
    told = summary if callable(summary) else as_words(summary, since)
    return Explorer(space, chart, start=start, summary=told, name=name, caption=caption)


class Explorer(Exploration):
    """What `explore` returns; as a cell's value it shows itself."""

    def __init__(
        self,
        space: Space,
        chart: Draw | Sequence[Draw],
        *,
        start: Literal["change", "button"] = "change",
        summary: Summary | Sequence[Word],
        name: str | None = None,
        caption: str | None = None,
    ) -> None:
        super().__init__(space, chart, summary, name, caption)
        self.start = start
        self._live: Any = None
        self._stored = self.payload() if recording() else None

    @property
    def live(self) -> Any:
        """The widget of a running notebook: a `live_explorer.LiveExplorer`."""
        if self._live is None:
            from labkit.widgets.live_explorer import LiveExplorer  # anywidget takes a while to load

            self._live = LiveExplorer(self, at_once=self.start == "change")
        return self._live

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if self._stored is None:
            return self.live.shown_as(repr(self))
        held, still = self._stored
        return {MIME: held, vega.MIME: still, "text/plain": f"{self!r}\n{vega.words(still)}"}

    def __repr__(self) -> str:
        turned = "; ".join(f"{label}: {text}" for label, text in self.space.texts(self.space.default).items())
        return f"<explore: {turned}>"
