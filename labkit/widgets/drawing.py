"""What `chart=` of a widget takes, and which of it a page knows by name.

A figure of labkit (charts.cwnd), one with options (partial(charts.cwnd, ssthresh=False)), a list of such,
which are set above each other, or a function of a Result. A page draws all but the last without Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from labkit import charts
from labkit.errors import SpecError

Draw: TypeAlias = Callable[[Any], Any]
Json: TypeAlias = dict[str, Any]


def as_draw(given: Draw | Sequence[Draw]) -> Draw:
    """A function of a Result. Raises SpecError."""
    if callable(given):
        return given
    parts = list(given)
    if not parts or not all(map(callable, parts)):
        raise SpecError(
            "chart: give a figure such as charts.cwnd, a function of a Result, or a list of figures"
        )
    return lambda result: charts.stacked(*(part(result) for part in parts))


def named(given: Draw | Sequence[Draw]) -> list[dict[str, Any]] | None:
    """[{"name": "cwnd", "options": {"ssthresh": False}}, ...]; None if one of them is no figure of labkit."""
    found = []
    for part in [given] if callable(given) else given:
        whole = part if isinstance(part, partial) else partial(part)
        name = getattr(whole.func, "__name__", "")
        if name not in charts.__all__ or getattr(charts, name) is not whole.func or whole.args:
            return None
        found.append({"name": name, "options": dict(whole.keywords)})
    return found
