"""An experiment at some values: its fields by path, or what a function makes of them. Runs nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from labkit.errors import SpecError
from labkit.spec import Experiment
from labkit.spec.paths import with_field

Source: TypeAlias = Experiment | Callable[..., Experiment]


def check_source(source: Source, names: Iterable[str], what: str) -> None:
    """Whether values of these names can be given to it. Raises SpecError, which says who asked (`what`)."""
    if isinstance(source, Experiment):
        return
    if not callable(source):
        raise SpecError(f"{what}: {source!r} is neither an Experiment nor a function that makes one")
    try:
        inspect.signature(source).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise SpecError(f"{what}: the function does not take {', '.join(names)}: {error}") from None


def variant(source: Source, values: Mapping[str, Any]) -> Experiment:
    """The experiment at these values: by path of a field (see `paths.with_field`), in order, or for a
    function by parameter. Raises SpecError."""
    if isinstance(source, Experiment):
        exp = source
        for path, value in values.items():
            exp = with_field(exp, path, value)
        return exp
    made = source(**values)
    if not isinstance(made, Experiment):
        raise SpecError(f"the function gave {made!r}: it must return an Experiment")
    return made
