"""What a worker does, in a thread, another process or on another machine: run one experiment, measure it.

A spec comes in, rows of numbers go out: no path, since a worker may have a disk of its own.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from labkit.errors import LabkitError, LimitReached
from labkit.measures.vocabulary import Measure
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.sweeps.rows import Row, rows_of


class Stopped(Exception):
    """Nobody waits for this run any more."""


@dataclass(frozen=True)
class Outcome:
    """Of one run. error: "" or what went wrong; limit: the run met its limit; lost: with its
    worker, perhaps through no fault of its own. virtual_s: the network's time. incomplete: flows that did
    not come to their end."""

    spec_digest: str
    rows: tuple[Row, ...] = ()
    virtual_s: float | None = None
    incomplete: int | None = None
    error: str = ""
    limit: bool = False
    lost: bool = False


def work(
    exp: Experiment, measure: Measure, cache: bool, attempt: int, stop: threading.Event | None = None
) -> Outcome:
    """Run and measure. Whatever goes wrong is in the outcome, since the other runs go on; Stopped is raised
    when `stop` is set, and nothing of the run stays.

    attempt: counts from 1, and tells two calls apart: Dask takes equal arguments for one and the same call,
    and answers the second with the failure of the first while it remembers that.
    """

    def beat(_: float) -> None:
        if stop is not None and stop.is_set():
            raise Stopped

    digest = exp.digest()
    try:
        beat(0)
        result = run(exp, cache=cache, progress=None if stop is None else beat)
        incomplete = int((~result.flows["complete"]).sum())
        return Outcome(digest, tuple(rows_of(measure(result))), result.virtual_s, incomplete)
    except Stopped:
        raise
    except LabkitError as error:
        return Outcome(digest, error=str(error), limit=isinstance(error, LimitReached))
    except Exception as error:  # of the measure, which is anybody's; the row says it
        return Outcome(digest, error=f"{type(error).__name__}: {error}")
