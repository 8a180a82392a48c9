"""Chapter 28's twelve days of pings, transfers and other traffic: 288 hours, by the chapter's own cells."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jupytext
import numpy as np

import labkit
from bench.chapters import CHAPTERS
from bench.measure import Sample, Stopwatch

CELLS = ("HOUR, ", "DAY = ")
"""How those of the chapter begin that define `day`."""


def twelve() -> Sample:
    """Two days at a time, none of them at hand."""
    names: dict[str, Any] = {"np": np} | {name: getattr(labkit, name) for name in labkit.__all__}
    for cell in jupytext.read(CHAPTERS / "28-from-ping-to-throughput.md", fmt="md:myst").cells:
        if cell.source.removeprefix(":tags: [hide-input]").lstrip().startswith(CELLS):
            exec(cell.source, names)  # our own text
    days = [names["day"](seed) for seed in range(1, 13)]
    with ThreadPoolExecutor(2) as pool, Stopwatch() as watch:
        results = list(pool.map(partial(labkit.run, cache=False), days))
    return watch.sample(sum(result.virtual_s for result in results))
