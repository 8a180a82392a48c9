"""Sweeps: an experiment at every point of a grid, with several seeds, side by side.

    from labkit import sweep
    sweep(exp, {"links.r1-r2.forward.loss": ["0%", "1%", "5%"], "flows.cc": ["reno", "cubic"]}).chart()

A grid is planned and checked (`plan`, `axes`), its runs go to workers (`workers`, `work`) and come back as
rows (`rows`) of a table (`swept`), beside what was `published`; `refine` adds points where a curve bends.
A `file` holds all of it.
"""

from __future__ import annotations

from labkit.sweeps.file import SweepFile
from labkit.sweeps.published import Published
from labkit.sweeps.refine import Refine
from labkit.sweeps.rows import MeasureError
from labkit.sweeps.sweeping import SweepWarning, stream, sweep
from labkit.sweeps.swept import Sweep, SweepError

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
