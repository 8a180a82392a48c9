"""A widget in a running notebook: the page's own scripts, to which this process is the laboratory.

`face.mjs` is what a page of the site draws widgets with (web/widgets), as one module for anywidget. It asks
by messages, each with a number of its own, and is answered by that number:

    {run, ...}             run it: {run, time, of, said} while it lasts; then the trait `latest`, which has
                           the number, or {run, failed}
    {cancel}               end what is under way; its run has failed
    {file, kind, table}    a file of the latest run: {file} and its bytes, or {file, failed}; of kind "tables"
                           {file, tables}: the names of those that it recorded

Runs happen in a thread of their own, which only sends messages; the notebook's kernel stays free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from labkit.errors import LabkitError
from labkit.execute.guest.kernel.build import being_built
from labkit.results.result import Result
from labkit.spec import Experiment
from labkit.widgets.drawing import Json
from labkit.widgets.exports import contents, tables_of
from labkit.widgets.runner import Cancelled, Runner

HERE = Path(__file__).parent
_BOOTED_S = 0.5  # after which a run that has not begun waits for others, not for its kernel


class Face(anywidget.AnyWidget):
    """What explorers and predictions have in common here.

    kind: "explore" or "predict"; asked: what is to be shown; latest: the latest answer, which a saved
    notebook keeps.
    """

    _esm: ClassVar[Any] = HERE / "face.mjs"
    _css: ClassVar[Any] = HERE / "face.css"
    kind = traitlets.Unicode().tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    latest = traitlets.Dict().tag(sync=True)

    def __init__(self, kind: str, asked: Json) -> None:
        super().__init__(kind=kind, asked=asked)
        self.runner = Runner()
        self.results: list[Result] = []
        """Of the latest run."""
        self.on_msg(self._heard)

    def hear(self, asked: Json) -> None:
        """Do what the front end asks for."""
        if "run" in asked:
            self.run(asked)
        elif "cancel" in asked:
            self.runner.cancel()
        else:
            self._file(asked)

    def run(self, asked: Json) -> None:
        """Do what {run, ...} asks for, in the background."""
        raise NotImplementedError

    def start(
        self,
        number: int,
        exps: Sequence[Experiment],
        done: Callable[[list[Result]], Any],
        which: Callable[[int], str] = lambda nth: "",
    ) -> None:
        """Run these, for the message of this number; then done(results), which may raise what is to be said.
        which: what is said of the nth of them, from 0 on."""
        clicked = time.monotonic()

        def progress(nth: int, virtual_s: float) -> None:
            said, of = which(nth), expected_s(exps[nth])
            if virtual_s == 0:
                late = nth == 0 and time.monotonic() - clicked > _BOOTED_S
                said = being_built() or ("others' runs come first: waiting for a processor" if late else said)
            self.send({"run": number, "time": virtual_s, "of": of, "said": said})

        self.runner.start(exps, done=done, failed=lambda error: self.failed(number, error), progress=progress)

    def failed(self, number: int, error: BaseException) -> None:
        """Say why the run of this number came to nothing."""
        said = "Cancelled." if isinstance(error, Cancelled) else f"{type(error).__name__}: {error}"
        self.send({"run": number, "failed": said})

    def _heard(self, _: Any, content: Json, buffers: Any) -> None:
        self.hear(content)

    def _file(self, asked: Json) -> None:
        number, kind = asked["file"], asked["kind"]
        result = self.results[-1] if self.results else None
        if result is None:
            self.send({"file": number, "failed": "nothing has run here"})
        elif kind == "tables":
            self.send({"file": number, "tables": tables_of(result)})
        else:
            try:
                found = contents(result, kind, asked.get("table", ""))
            except (OSError, LabkitError) as error:
                self.send({"file": number, "failed": str(error)})
            else:
                self.send({"file": number}, [found])


def expected_s(exp: Experiment) -> float:
    """How long it is likely to last: to its end, or as long as its flows; their size says nothing."""
    known = max((flow.start + flow.lasts() for flow in exp.flows), default=0.0)
    return float(exp.end if exp.duration is not None else known or exp.end)
