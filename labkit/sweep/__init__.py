"""Sweeps: an experiment at every point of a grid, with several seeds, side by side.

    from labkit import sweep
    sweep(exp, {"links.r1-r2.forward.loss": ["0%", "1%", "5%"], "flows.cc": ["reno", "cubic"]}).chart()

A grid is planned and checked (`plan`, `axes`), its runs go to workers (`workers`, `work`) and come back as
rows (`measures`) of a table (`swept`), beside what was `published`; `refine` adds points where a curve bends.
A `file` holds all of it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from labkit.sweep.file import SweepFile
from labkit.sweep.measures import MeasureError
from labkit.sweep.published import Published
from labkit.sweep.refine import Refine
from labkit.sweep.sweeping import SweepWarning, stream, sweep
from labkit.sweep.swept import Sweep, SweepError

__all__ = [
    "MeasureError",
    "Published",
    "Refine",
    "Sweep",
    "SweepError",
    "SweepFile",
    "SweepWarning",
    "stream",
    "sweep",
]


class _Callable(ModuleType):
    """Importing this package puts it into `labkit` by its function's name: so it is called as that is."""

    def __call__(self, *args: Any, **options: Any) -> Sweep:
        return sweep(*args, **options)


sys.modules[__name__].__class__ = _Callable
