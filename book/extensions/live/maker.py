"""A widget's experiments at any values of its knobs, from its slice. This file also runs in the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from labkit.spec import Experiment
from labkit.widgets.space import Space

_IMPORT = "from labkit import "


def made(source: str) -> Any:
    """WIDGET of a slice that makes experiments: a Space, or a list of them. It runs as in the page. Raises
    what it raises."""
    lines = [line for line in source.splitlines() if line.removeprefix(_IMPORT) not in _GIVEN]
    space: dict[str, Any] = {"__name__": "chapter", **_GIVEN}
    exec(compile("\n".join(lines), "chapter", "exec"), space)
    return space["WIDGET"]


def explore(experiment: Any, knobs: Mapping[str, Any] | None = None, /, **more: Any) -> Space:
    """In place of labkit's: what a slice that only makes experiments is given."""
    return Space(experiment, {**(knobs or {}), **more})


def predict(experiment: Any) -> Sequence[Experiment]:
    """In place of labkit's, as well."""
    if isinstance(experiment, Experiment):
        return [experiment]
    return list(experiment.values() if isinstance(experiment, Mapping) else experiment)


_GIVEN = {"explore": explore, "predict": predict}
