"""What labkit's figures are in Python, and what they are in JavaScript: where they differ, in words."""

from __future__ import annotations

import math
from typing import Any

FRAME = ("$schema", "config", "description", "usermeta", "datasets")
"""Of a chart: what is the same of all runs, words and data."""
RELATIVE = 1e-9

Json = dict[str, Any]


def differences_of_figures(python: Any, javascript: Any) -> list[str]:
    """Of what figures.mjs tells: a figure, an error, or a summary."""
    if not isinstance(python, dict) or "error" in python or "error" in javascript:
        theirs = javascript.get("error", javascript) if isinstance(javascript, dict) else javascript
        ours = python.get("error", python) if isinstance(python, dict) else python
        if (
            isinstance(theirs, dict)
            and "stack" in theirs
            and ours == {key: theirs[key] for key in ("name", "message")}
        ):
            return []
        return [] if ours == theirs else [f"{ours}\n in JavaScript {theirs}"]
    found = [
        f"{what}: {python[what]}\n in JavaScript {javascript[what]}"
        for what in ("description", "chart")
        if python[what] != javascript[what]
    ]
    return [*found, *differences_of_data(python["data"], javascript["data"])]


def differences_of_data(ours: dict[str, list[Json]], theirs: dict[str, list[Json]]) -> list[str]:
    """Datasets by name and in their order, their rows one by one."""
    if list(ours) != list(theirs):
        return [f"datasets {list(ours)}, in JavaScript {list(theirs)}"]
    return [text for name in ours for text in _rows(name, ours[name], theirs[name])]


def _rows(name: str, ours: list[Json], theirs: list[Json]) -> list[str]:
    unlike = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if not _same(a, b)]
    found = [] if len(ours) == len(theirs) else [f"{name}: {len(ours)} rows, in JavaScript {len(theirs)}"]
    if unlike:
        i = unlike[0]
        found.append(
            f"{name}[{i}]: {ours[i]}, in JavaScript {theirs[i]}; so are {len(unlike)} of {len(ours)}"
        )
    return found


def _same(a: Json, b: Json) -> bool:
    return list(a) == list(b) and all(_alike(value, b[key]) for key, value in a.items())


def _alike(a: Any, b: Any) -> bool:
    if (
        isinstance(a, float | int)
        and isinstance(b, float | int)
        and isinstance(a, bool) == isinstance(b, bool)
    ):
        return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=0)
    return bool(a == b and type(a) is type(b))
