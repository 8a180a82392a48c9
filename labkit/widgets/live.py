"""The face of an Explorer in a running notebook: knobs, run, progress, cancel, chart, downloads.

Runs happen in a thread of their own, which only sets traits of widgets; the kernel stays free.
"""

from __future__ import annotations

import html
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from labkit.errors import LabkitError
from labkit.execute.guest.kernel.build import being_built
from labkit.results.result import Result
from labkit.widgets.exploration import Exploration
from labkit.widgets.knobs import Knob
from labkit.widgets.overlay import DASHES, GREYS, RUNS, Json, can_overlay, overlay
from labkit.widgets.parts import WIDE, note, output, picture
from labkit.widgets.runner import Cancelled, Runner
from labkit.widgets.space import Point, Space

_BOOTED_S = 0.5  # after which a run that has not begun waits for others, not for its kernel


@dataclass(frozen=True)
class Shown:
    """A run in the picture."""

    point: Point
    result: Result
    spec: Json
    data: dict[str, list[Json]]
    summary: dict[str, str]


class LiveExplorer:
    """`box` is the widget; `knobs` by name, `run_button`, `cancel_button`, `message`, `picture` are in it."""

    def __init__(self, exploration: Exploration, *, at_once: bool) -> None:
        """at_once: run now and whenever a knob is turned; else when asked to."""
        self.exploration, self.space, self.at_once = exploration, exploration.space, at_once
        self.runner, self.shown = Runner(), list[Shown]()
        self._point = self.space.default
        self.knobs = {name: _widget(name, knob) for name, knob in self.space.knobs.items()}
        self.run_button = widgets.Button(description="Run", button_style="primary", icon="play")
        self.cancel_button = widgets.Button(description="Cancel", icon="stop", disabled=True)
        self.forget_button = widgets.Button(description="Forget earlier runs", disabled=True)
        self.progress = widgets.FloatProgress(min=0.0, max=1.0, layout={"width": "10em"})
        self.clock = widgets.Label("")
        self.message = widgets.HTML()
        self.picture = widgets.Output()
        self.legend = widgets.HTML()
        self.downloads = Downloads(exploration.stem)
        bar = [self.run_button, self.cancel_button, self.forget_button, self.progress, self.clock]
        rows = [self._row(self.knobs.values()), self._row(bar), self.message, self.picture, self.legend]
        self.box = widgets.VBox([*rows, self.downloads.box])
        self._listen()
        if at_once:
            self.run()

    @staticmethod
    def _row(parts: Any) -> widgets.Box:
        return widgets.HBox(list(parts), layout={"flex_flow": "row wrap"})

    def _listen(self) -> None:
        for knob in self.knobs.values():
            knob.observe(self._turned, "value")
        self.run_button.on_click(lambda _: self.run())
        self.cancel_button.on_click(lambda _: self.runner.cancel())
        self.forget_button.on_click(lambda _: self.forget())

    @property
    def point(self) -> Point:
        """Where the knobs stand."""
        turned = zip(self.space.knobs.values(), self.knobs.values(), strict=True)
        return tuple(int(w.value) if knob.kind == "toggle" else w.index for knob, w in turned)

    def set(self, **values: Any) -> None:
        """Turn knobs by name to values or texts. Raises SpecError for what is not on them."""
        point = dict(zip(self.space.knobs, self.space.point(values), strict=True))
        for name in values:
            knob, i = self.space.knobs[name], point[name]
            self.knobs[name].value = bool(i) if knob.kind == "toggle" else knob.texts[i]

    def run(self) -> None:
        """Run where the knobs stand, in the background."""
        self._point = point = self.point
        try:
            exp = self.exploration.experiment(point)
        except LabkitError as error:
            self._failed(error)
            return
        self.cancel_button.disabled, self.message.value = False, ""

        self.progress.max = _expected(exp)
        clicked = time.monotonic()

        def progress(_: int, virtual_s: float) -> None:
            self.progress.value = min(virtual_s, self.progress.max)
            self.clock.value = f"{virtual_s:.0f} of {self.progress.max:.0f} s of virtual time"
            if virtual_s == 0 and time.monotonic() - clicked > _BOOTED_S:
                self.clock.value = being_built() or "others' runs come first: waiting for a processor"

        def done(results: list[Result]) -> None:
            self._done(point, results[0])

        self.runner.start([exp], done=done, failed=self._failed, progress=progress)

    def forget(self) -> None:
        """Keep only the latest run in the picture."""
        del self.shown[1:]
        self._draw()

    def _turned(self, _: Any) -> None:
        if self.at_once:
            self.run()

    def _done(self, point: Point, result: Result) -> None:
        spec, data = self.exploration.drawn(result)
        summary = self.exploration.summarised(result)
        earlier = [run for run in self.shown if run.point != point]
        self.shown = [Shown(point, result, spec, data, summary), *earlier][:RUNS]
        self._draw()
        self._rest(f"{result.virtual_s:.6g} s of virtual time")
        self.downloads.offer(result, self.space.texts(point).values())

    def _failed(self, error: BaseException) -> None:
        said = "Cancelled." if isinstance(error, Cancelled) else f"{type(error).__name__}: {error}"
        self.message.value = note(said)
        self._rest("")

    def _rest(self, said: str) -> None:
        self.progress.value, self.clock.value = 0.0, said
        self.cancel_button.disabled = True
        self.forget_button.disabled = len(self.shown) < 2

    def _draw(self) -> None:
        if not self.shown:
            return
        self.picture.outputs = (picture(together(self.shown)),)
        self.legend.value = _legend(self.space, self.shown)
        self.forget_button.disabled = len(self.shown) < 2


def together(shown: list[Shown]) -> Json:
    """One chart of the runs, the first being the current one."""
    first, *earlier = shown
    rows = dict(first.data)
    if not earlier or not can_overlay(first.spec):
        return {**first.spec, "datasets": rows}
    laid = overlay(first.spec, [run.spec for run in earlier])
    for age, run in enumerate(earlier, 1):
        rows |= {f"{name}@{age}": data for name, data in run.data.items()}
    return {**laid, "datasets": rows}


def _expected(exp: Any) -> float:
    """How long it is likely to last (s): to its end, or as long as its flows; their size says nothing."""
    known = max((flow.start + flow.lasts() for flow in exp.flows), default=0.0)
    return float(exp.end if exp.duration is not None else known or exp.end)


def _widget(name: str, knob: Knob) -> Any:
    label, value = knob.named(name), knob.texts[knob.default]
    settings = {"description": label, "style": WIDE}
    if knob.kind == "toggle":
        return widgets.Checkbox(value=bool(knob.default), indent=False, **settings)
    if knob.kind == "slider":
        options = {"options": knob.texts, "value": value, "continuous_update": False}
        return widgets.SelectionSlider(**options, **settings)
    return widgets.Dropdown(options=knob.texts, value=value, **settings)


def _legend(space: Space, shown: list[Shown]) -> str:
    items = []
    for age, run in enumerate(shown):
        knobs = ", ".join(f"{label} {text}" for label, text in space.texts(run.point).items())
        found = "; ".join(f"{title}: {text}" for title, text in run.summary.items())
        items.append(f"<li>{_swatch(age)} {html.escape(f'{knobs}. {found}')}</li>")
    return f'<ul style="list-style:none;padding:0;margin:0" aria-live="polite">{"".join(items)}</ul>'


def _swatch(age: int) -> str:
    """The line that an earlier run is drawn with."""
    if not age:
        return "<b>This run:</b>"
    dash = " ".join(map(str, DASHES[age - 1]))
    look = f'stroke="{GREYS[age - 1]}" stroke-width="2" stroke-dasharray="{dash}"'
    line = f'<line x2="24" y1="5" y2="5" {look}/>'
    return f'<svg width="24" height="10" aria-hidden="true">{line}</svg> Before:'


class Downloads:
    """Buttons that save the latest result, and its capture, beside the notebook, and a link to the file."""

    def __init__(self, name: str) -> None:
        self._name, self._result, self._texts = name, None, list[str]()
        look = {"icon": "download", "layout": {"width": "auto"}}
        self.result_button = widgets.Button(description="Save result (.zip)", disabled=True, **look)
        self.capture_button = widgets.Button(description="Save capture (.pcapng)", **look)
        self.buttons = widgets.HBox([self.result_button])
        self.link = widgets.Output()
        self.box = widgets.VBox([self.buttons, self.link])
        self.result_button.on_click(lambda _: self._save("zip", "save"))
        self.capture_button.on_click(lambda _: self._save("pcapng", "save_pcapng"))

    def offer(self, result: Any, texts: Iterable[str]) -> None:
        """This result from now on."""
        self._result, self._texts = result, list(texts)
        self.result_button.disabled = False
        captured = [self.capture_button] if result.experiment.capture else []
        self.buttons.children = (self.result_button, *captured)

    def _save(self, ending: str, method: str) -> None:
        words = "-".join([self._name, *self._texts])
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in words) + f".{ending}"
        try:
            getattr(self._result, method)(Path(name))
        except (OSError, LabkitError) as error:
            shown = {"text/html": note(f"Not saved: {error}"), "text/plain": f"Not saved: {error}"}
        else:
            link = f'<a href="{html.escape(name)}" download>{html.escape(name)}</a>'
            shown = {"text/html": f"Saved beside this notebook: {link}", "text/plain": f"Saved: {name}"}
        self.link.outputs = (output(shown),)
