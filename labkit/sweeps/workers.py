"""Experiments to workers, outcomes back as they come, and nothing left behind when somebody has had enough.

The workers are threads unless an executor is given: nine tenths of a run's processor time are the guest's, a
process of its own, and a thread has neither to be started nor to load Python's packages. A guest lives for
one run, so that none sees what another has left in a kernel; it starts in some hundredths of a second.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Generator, Hashable, Mapping
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from contextlib import closing
from typing import TypeVar

from labkit.errors import LabkitError, SpecError
from labkit.execute.default_place import require_place
from labkit.execute.machine import processors
from labkit.execute.session.shaking import entered
from labkit.measures.vocabulary import Measure
from labkit.spec import Experiment
from labkit.sweeps.work import Outcome, work

Key = TypeVar("Key", bound=Hashable)


class Workers:
    """An executor, and what its workers do. Leave it, and what has not begun is cancelled; what runs in our
    own threads is ended, what runs elsewhere comes to its own end. Ctrl-C also shuts a pool of processes
    down: they have it too."""

    def __init__(self, executor: Executor | None, measure: Measure, cache: bool) -> None:
        """executor: None: a thread per processor. Raises SpecError for a measure that cannot be sent to its
        processes, SetupError if its threads would find no lab kernel here."""
        if isinstance(executor, ProcessPoolExecutor):
            _check_pickle(measure)
        here = executor is None or isinstance(executor, ThreadPoolExecutor)
        if here:
            require_place()  # now, once, rather than in each thread
        self._own = ThreadPoolExecutor(processors.number(), "labkit-sweep") if executor is None else None
        self._executor: Executor = self._own or executor  # type: ignore[assignment]
        self._measure, self._cache = measure, cache
        self._stop = threading.Event() if here else None

    def stream(self, experiments: Mapping[Key, Experiment]) -> Generator[tuple[Key, Outcome]]:
        """The outcome of each, as they come. Raises LabkitError if the executor takes no work.

        What was lost with its worker is tried again after the others, one by one: a worker that dies of one
        run takes others along that would have come to their end (Dask holds it against all that it had).
        """
        experiments = {key: entered(exp) for key, exp in experiments.items()}
        lost: list[Key] = []
        with closing(self._round(experiments)) as outcomes:
            for key, outcome in outcomes:
                if outcome.lost:
                    lost.append(key)
                else:
                    yield key, outcome
        for key in lost:
            yield from self._round({key: experiments[key]}, attempt=2)

    def _round(
        self, experiments: Mapping[Key, Experiment], attempt: int = 1
    ) -> Generator[tuple[Key, Outcome]]:
        """The outcome of each, some of them lost."""
        futures: dict[Future[Outcome], Key] = {}
        try:
            for key, exp in experiments.items():
                futures[self._submit(exp, attempt)] = key
            for future in as_completed(futures):
                key = futures.pop(future)  # so that Dask need not keep what we have
                yield key, _outcome(future, experiments[key])
        except BaseException as error:
            self._end(futures, interrupted=_interrupted(error))
            raise

    def _submit(self, exp: Experiment, attempt: int) -> Future[Outcome]:
        stop = () if self._stop is None else (self._stop,)
        try:
            return self._executor.submit(work, exp, self._measure, self._cache, attempt, *stop)
        except BrokenExecutor as error:  # a process of it has died: what it has done before stays
            future: Future[Outcome] = Future()
            future.set_exception(error)
            return future
        except RuntimeError as error:
            raise LabkitError(f"executor={self._executor!r} takes no work: {error}") from error
        except _NOT_SENT as error:
            raise _cannot_send(self._measure, error) from error

    def _end(self, futures: Mapping[Future[Outcome], object], *, interrupted: bool) -> None:
        if interrupted and isinstance(self._executor, ProcessPoolExecutor):
            # Its processes have Ctrl-C as well, and the pool is about to find some of them dead. A future
            # that we cancel meanwhile ends the pool's own thread, and Python waits at its end for processes
            # that nobody ends (CPython issue 107219, up to 3.12.0). So the pool's thread cancels them, and
            # finds all processes dead: it would wait for one to which Ctrl-C came when it could not hear it.
            processes = [*(self._executor._processes or {}).values()]  # from 3.14 on: terminate_workers()
            self._executor.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            return
        if self._stop is not None:
            self._stop.set()
        for future in futures:
            future.cancel()
        if self._stop is not None:
            for future in futures:
                if not future.cancelled():
                    future.exception()  # waits for the guest's end; it is Stopped

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._own is not None:
            self._own.shutdown()


def _interrupted(error: BaseException | None) -> bool:
    """Whether it is a KeyboardInterrupt, or the GeneratorExit of who stops reading because of one."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _outcome(future: Future[Outcome], exp: Experiment) -> Outcome:
    """What the worker said, or that it said nothing."""
    error = CancelledError("by the executor") if future.cancelled() else future.exception()
    if error is None:
        return future.result()
    return Outcome(exp.digest(), error=f"the worker failed: {type(error).__name__}: {error}", lost=True)


_NOT_SENT = (pickle.PicklingError, AttributeError, TypeError)


def _check_pickle(measure: Measure) -> None:
    try:
        pickle.dumps(measure)
    except _NOT_SENT as error:
        raise _cannot_send(measure, error) from None


def _cannot_send(measure: Measure, error: Exception) -> SpecError:
    name = getattr(measure, "__qualname__", repr(measure))
    cure = "define it in a module, or use threads"
    return SpecError(f"measure={name}: cannot be sent to another process ({error.args[0]}): {cure}")
