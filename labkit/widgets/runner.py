"""Runs in the background, one after another, that can be watched and cancelled. Knows no widget.

A run is an ordinary process that dies when its pipe to us closes (see execute/native/keeper.c), so a thread
of its own may start it, and leaving the wait ends it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import Experiment


class Cancelled(Exception):
    """The reader has had enough of this run."""


class Runner:
    """One job at a time; a new one takes the place of the one that is under way."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None

    def start(
        self,
        experiments: Iterable[Experiment],
        *,
        done: Callable[[list[Result]], Any],
        failed: Callable[[BaseException], Any],
        progress: Callable[[int, float], Any],
    ) -> None:
        """Run them in a thread. progress(number of the run, virtual s); then done(results), or
        failed(error), which gets Cancelled if the job was cancelled; whatever `done` raises, too.
        A job whose place another one has taken says nothing more."""
        with self._lock:
            self._cancel.set()
            self._cancel = threading.Event()
            job = (list(experiments), self._cancel, self._thread, done, failed, progress)
            self._thread = threading.Thread(target=self._work, args=job, name="labkit-run", daemon=True)
            self._thread.start()

    def cancel(self) -> None:
        """End what is under way; its `failed` is called."""
        self._cancel.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Until nothing is under way; False if something still is."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        return thread is None or not thread.is_alive()

    @property
    def busy(self) -> bool:
        """Is a job under way?"""
        return self._thread is not None and self._thread.is_alive()

    def _work(
        self,
        experiments: list[Experiment],
        cancel: threading.Event,
        before: threading.Thread | None,
        done: Callable[[list[Result]], Any],
        failed: Callable[[BaseException], Any],
        progress: Callable[[int, float], Any],
    ) -> None:
        if before is not None:
            before.join()

        def watched(number: int) -> Callable[[float], None]:
            def beat(virtual_s: float) -> None:
                if cancel.is_set():
                    raise Cancelled
                progress(number, virtual_s)

            return beat

        try:
            results = []
            for number, exp in enumerate(experiments):
                beat = watched(number)
                beat(0.0)
                results.append(run(exp, progress=beat))
            if cancel.is_set():
                raise Cancelled
            done(results)
        except Exception as error:  # a thread has nobody above it: the widget shows it
            with self._lock:
                if self._cancel is cancel:
                    failed(error)
