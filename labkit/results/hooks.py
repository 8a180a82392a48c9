"""What the rooms to the right give to a Result; `labkit/__init__.py`, which may import all, fills it in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from labkit.results.protocol import Charts, Run

charts: Callable[[Run], Charts]
"""The figures of a run, for `Result.charts`."""
