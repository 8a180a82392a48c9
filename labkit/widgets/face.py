"""A widget in a running notebook: the page's own scripts, with this process as their laboratory.

`face.mjs` is what a page of the site draws widgets with (web/widgets), as one module for anywidget. It asks
by messages, each with a number of its own; answers carry the same number:

    {run, ...}               run it: {run, time, of, said} while it lasts; then the trait `latest`, whose
                             `runs` have the number, or {run, failed}. Whoever asks for the same while it
                             runs waits for it, too; whoever asks for another ends it.
    {cancel}                 end the run of this number, if it is under way; it has failed then
    {file, of, kind, table}  a file of the run of the number `of`, if that is the latest: {file} and its
                             bytes, or {file, failed}; of kind "tables" {file, tables}: those it recorded

Runs and files are made in threads, which only send messages; the notebook's kernel stays free.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

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
        self._lock = threading.RLock()
        self._asked: Json | None = None  # what is under way, without its number
        self._numbers: list[int] = []  # of those who wait for it
        self.on_msg(self._heard)

    def shown_as(self, text: str) -> tuple[Json, Json]:
        """Its MIME bundle, with this text where no widget can be shown."""
        bundle = self._repr_mimebundle_()
        assert bundle is not None  # anywidget's: it has a view
        return {**bundle[0], "text/plain": text}, bundle[1]

    def hear(self, asked: Json) -> None:
        """Do what the front end asks for."""
        if "run" in asked:
            self._run(asked)
        elif "cancel" in asked:
            with self._lock:
                if asked["cancel"] in self._numbers:
                    self.runner.cancel()
        else:
            threading.Thread(target=self._file, args=(asked,), name="labkit-file", daemon=True).start()

    def _run(self, asked: Json) -> None:
        what = {name: value for name, value in asked.items() if name != "run"}
        with self._lock:
            if self._asked == what:
                self._numbers.append(asked["run"])
                return
            self._end("Another run was asked for.")
            self._asked, self._numbers = what, [asked["run"]]
        try:
            self.run(what)
        except Exception as error:  # a reader's own function may raise what it likes
            self.failed(error)

    def run(self, asked: Json) -> None:
        """Do what {run, ...} asks for, in the background, by `start`. May raise what is to be said."""
        raise NotImplementedError

    def start(
        self,
        exps: Sequence[Experiment],
        found: Callable[[list[Result]], Json],
        which: Callable[[int], str] = lambda nth: "",
    ) -> None:
        """Run these, and tell what was found of the results, which becomes `latest`. found: may raise what is
        to be said. which: what is said of the nth of them, from 0 on."""
        clicked = time.monotonic()

        def progress(nth: int, virtual_s: float) -> None:
            said, of = which(nth), expected_s(exps[nth])
            if virtual_s == 0:
                late = nth == 0 and time.monotonic() - clicked > _BOOTED_S
                said = being_built() or ("others' runs come first: waiting for a processor" if late else said)
            for number in self._numbers:
                self.send({"run": number, "time": virtual_s, "of": of, "said": said})

        def done(results: list[Result]) -> None:
            told = found(results)
            with self._lock:
                self.results = results[: len(exps)]
                self.latest = {**told, "runs": self._ended()}

        self.runner.start(exps, done=done, failed=self.failed, progress=progress)

    def failed(self, error: BaseException) -> None:
        """Say to all who wait why their run came to nothing."""
        self._end("Cancelled." if isinstance(error, Cancelled) else _words(error))

    def _end(self, said: str) -> None:
        with self._lock:
            for number in self._ended():
                self.send({"run": number, "failed": said})

    def _ended(self) -> list[int]:
        """Nothing is under way any more; who waited for it."""
        numbers = self._numbers
        self._asked, self._numbers = None, []
        return numbers

    def _heard(self, _: Any, content: Json, buffers: Any) -> None:
        self.hear(content)

    def _file(self, asked: Json) -> None:
        number, kind, result = asked["file"], asked["kind"], self.results[-1:]
        if asked["of"] not in self.latest.get("runs", ()) or not result:
            self.send({"file": number, "failed": "this run is not at hand any more: run it again"})
            return
        try:
            if kind == "tables":
                self.send({"file": number, "tables": tables_of(result[0])})
            else:
                self.send({"file": number}, [contents(result[0], kind, asked.get("table", ""))])
        except Exception as error:  # a thread has nobody above it: the front end says so
            self.send({"file": number, "failed": _words(error)})


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def expected_s(exp: Experiment) -> float:
    """How long it is likely to last: to its end, or as long as its flows; their size says nothing."""
    known = max((flow.start + flow.lasts() for flow in exp.flows), default=0.0)
    return float(exp.end if exp.duration is not None else known or exp.end)
