"""sweep(template, grid, seeds) and stream(...): plan, run, collect. How each is done: see the other files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, Literal

from labkit.execute.session.progress import bar
from labkit.measures.vocabulary import DEFAULT, as_measure
from labkit.spec.parametrization import Source
from labkit.sweeps.plan import Key, Plan
from labkit.sweeps.published import Bound, Published
from labkit.sweeps.refine import Refine
from labkit.sweeps.rows import Row
from labkit.sweeps.swept import Sweep, SweepError
from labkit.sweeps.work import Outcome
from labkit.sweeps.workers import Workers


class SweepWarning(UserWarning):
    """Some runs failed; the others are in the sweep."""


def sweep(
    template: Source,
    grid: Mapping[str, Any],
    seeds: int | Iterable[int] = range(10),
    *,
    measure: Any = DEFAULT,
    executor: Executor | None = None,
    progress: bool | None = None,
    refine: Refine | None = None,
    on_row: Callable[[Row], object] | None = None,
    on_error: Literal["keep", "raise"] = "keep",
    cache: bool = True,
    published: Published | None = None,
) -> Sweep:
    """Run an experiment at every point of a grid with every seed; see `Sweep` for what is returned.

    template: an Experiment, whose fields the grid names by path ("flows.cc", "links.r1-r2.forward.loss": see
    `labkit.spec.paths`), or a function that makes one of the grid's names. grid: name -> values, or a
    mapping of texts to values. seeds: which, or how many from 0 on.

    measure: names ("goodput", "retransmits", "duration", ...; see `labkit.measures`), or a function of
    a Result that gives a mapping of numbers, several, or a table.

    executor: any of concurrent.futures, as of a Dask cluster (`Client.get_executor()`); None: a thread per
    processor, with its own guest. A measure that computes for long is better off with a
    ProcessPoolExecutor. What is in the result cache, of `run` or of a sweep that was interrupted, is not run
    again; each machine has a cache of its own. progress: a bar with the time left; None: in a terminal and
    a notebook. refine: more points where a curve bends. on_row: called with each row as it comes. published:
    what a source has for some of the points; stands beside what is measured.

    A run that fails is a row with its error, and a SweepWarning tells; with on_error="raise" SweepError
    does, after all others have ended. What is lost with a worker (killed, or its machine gone) is run again,
    by Dask on another worker and in the end once more alone; what is lost again is such a row. Raises
    SpecError, which names every fault of template, grid, seeds and measure, before anything runs; SetupError.
    """
    course = _Course(Plan.of(template, grid, seeds), as_measure(measure), executor, refine, cache)
    bound = None if published is None else published.bound(course.plan.axes, as_measure(measure))
    with closing(course.stream(progress)) as rows:
        for row in rows:
            if on_row is not None:
                on_row(row)
    swept = course.swept(bound)
    if said := swept.failures():
        if on_error == "raise":
            raise SweepError(said, swept)
        warnings.warn(said, SweepWarning, stacklevel=2)
    return swept


def stream(
    template: Source,
    grid: Mapping[str, Any],
    seeds: int | Iterable[int] = range(10),
    *,
    measure: Any = DEFAULT,
    executor: Executor | None = None,
    progress: bool | None = False,
    refine: Refine | None = None,
    cache: bool = True,
) -> Generator[Row]:
    """The rows of `sweep(...)`, each as it comes, in no order. Stop reading: what is left is cancelled."""
    course = _Course(Plan.of(template, grid, seeds), as_measure(measure), executor, refine, cache)
    return course.stream(progress)


class _Course:
    """A sweep under way: the plan, which refinement extends, and the outcomes so far."""

    def __init__(
        self, plan: Plan, measure: Any, executor: Executor | None, refine: Refine | None, cache: bool
    ) -> None:
        self.plan, self.refine = plan, refine
        self.number = -1 if refine is None else refine.number(plan.axes)
        self.given = (executor, measure, cache)
        self.found: dict[Key, Outcome] = {}
        self.failed = 0

    def stream(self, progress: bool | None) -> Generator[Row]:
        keys = list(self.plan.keys())
        points = self.refine.points if self.refine else 0
        most = len(keys) + points * (len(keys) // len(self.plan.axes[self.number].values))
        with Workers(*self.given) as workers, bar(progress) as report:
            for left in range(points, -1, -1):
                experiments = {key: self.plan.experiment(key) for key in keys}
                with closing(workers.stream(experiments)) as outcomes:
                    for key, outcome in outcomes:
                        self.found[key] = outcome
                        self.failed += bool(outcome.error)
                        report(len(self.found), most, self._so_far(most))
                        yield from self.plan.rows(key, outcome)
                keys = self._refined() if left else []
                if not keys:
                    return

    def _so_far(self, most: int) -> str:
        return f"{len(self.found)} of {most} runs" + (f", {self.failed} failed" if self.failed else "")

    def _refined(self) -> list[Key]:
        """One more value on the axis; what that adds to run."""
        assert self.refine is not None
        curves = self.swept().curves(self.number, self.refine.measure)
        value = self.refine.value(self.plan.axes[self.number], curves)
        if value is None:
            return []
        self.plan, keys = self.plan.with_value(self.number, value)
        return keys

    def swept(self, published: Bound | None = None) -> Sweep:
        keys = sorted(self.found, key=self.plan.order)
        rows = [row for key in keys for row in self.plan.rows(key, self.found[key])]
        limits = sum(outcome.limit for outcome in self.found.values())
        return Sweep(self.plan.axes, rows, limits, published)
