"""What is given to a Result from outside; `labkit/__init__.py`, which may import all rooms, fills it in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labkit.results.protocol import Charts, Run
    from labkit.spec import Experiment

charts: Callable[[Run], Charts]
"""The figures of a run, for `Result.charts`."""

rerun: Callable[[Experiment], Any]
"""Carries out an experiment and gives its Result, for `Result.also`."""

player: Callable[..., Any]
"""Some seconds of a result in motion, for `Result.player`."""
