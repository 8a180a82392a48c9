"""What a model is given, checked once and in the words of whoever gave it. Computes nothing.

Each check takes the argument's name and its value, gives it back as floats, and raises a SpecError that says
what was wrong, where, and what would be right. Values are a number or an array of any shape; one number and
nothing else: `scalar`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.errors import SpecError

if TYPE_CHECKING:  # a model that takes no table does without
    import pandas as pd


def array(name: str, values: Any) -> Any:
    """Numbers, of which some may be NaN or infinite."""
    try:
        raw = np.asarray(values)
        if raw.dtype.kind in "biuf" or not any(value is None or isinstance(value, str) for value in raw.flat):
            return np.asarray(values, float)
    except (TypeError, ValueError):
        pass
    raise SpecError(f"{name}={shown(values)}: must be a number or an array of numbers")


def numbers(name: str, values: Any) -> Any:
    """Numbers, of which some may be infinite, and none is NaN."""
    x = array(name, values)
    return _all(name, values, ~np.isnan(x), x, "holds what is no number")


def finite(name: str, values: Any) -> Any:
    """Finite numbers."""
    x = numbers(name, values)
    return _all(name, values, np.isfinite(x), x, "must be finite")


def share(name: str, values: Any, *, zero: bool = True, one: bool = True) -> Any:
    """A share from 0 to 1, such as a loss rate. zero, one: may it be 0, may it be 1."""
    x = numbers(name, values)
    fits = (x >= 0 if zero else x > 0) & (x <= 1 if one else x < 1)
    ends = f"{'from' if zero else 'above'} 0 {'to' if one else 'to below'} 1"
    return _all(name, values, fits, x, f"must be a share {ends}: 0.01 is one in a hundred")


def positive(name: str, values: Any) -> Any:
    """Finite and above 0."""
    x = numbers(name, values)
    return _all(name, values, np.isfinite(x) & (x > 0), x, "must be above 0, and finite")


def from_zero(name: str, values: Any) -> Any:
    """Finite and 0 or more."""
    x = numbers(name, values)
    return _all(name, values, np.isfinite(x) & (x >= 0), x, "must be 0 or more, and finite")


def window(name: str, values: Any) -> Any:
    """Above 0; infinite is one that limits nothing."""
    x = numbers(name, values)
    return _all(name, values, x > 0, x, "must be above 0 (infinite: no limit)")


def at_least(name: str, values: Any, least: float, why: str) -> Any:
    """Finite and `least` or more. why: ends the sentence."""
    x = numbers(name, values)
    return _all(name, values, np.isfinite(x) & (x >= least), x, f"must be {least:g} or more: {why}")


def scalar(check: Callable[..., Any], name: str, value: Any, *more: Any, **ends: bool) -> float:
    """One number that this check takes: no array. more, ends: for the check."""
    x = check(name, value, *more, **ends)
    if x.ndim:
        raise SpecError(f"{name}={shown(value)}: must be one number, no array")
    return float(x)


def count(name: str, value: Any, least: int = 0) -> int:
    """A whole number, `least` or more."""
    if not is_whole(value) or value < least:
        raise SpecError(f"{name}={shown(value)}: must be a whole number, {least} or more")
    return int(value)


def is_whole(value: Any) -> bool:
    """Is it a whole number, of Python or numpy? True and 5.0 are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def flag(name: str, value: Any) -> bool:
    """Yes or no."""
    if not isinstance(value, bool | np.bool_):
        raise SpecError(f"{name}={shown(value)}: must be True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    """Words."""
    if not isinstance(value, str):
        raise SpecError(f"{name}={shown(value)}: must be a text")
    return value


def one_of(name: str, value: Any, known: Sequence[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in known:
        raise SpecError(f"{name}={shown(value)}: must be {' or '.join(map(repr, known))}")
    return value


def function(name: str, value: Any, like: str) -> Any:
    """Something to call. like: says what, or where there are some."""
    if not callable(value):
        raise SpecError(f"{name}={shown(value)}: must be a function, {like}")
    return value


def mapping(name: str, value: Any, like: str) -> Mapping[Any, Any]:
    """From names to something. like: an example."""
    if not isinstance(value, Mapping):
        raise SpecError(f"{name}={shown(value)}: must be a dict, such as {like}")
    return value


def frame(name: str, value: Any, columns: Sequence[str]) -> pd.DataFrame:
    """A table that has these columns."""
    import pandas as pd

    if not isinstance(value, pd.DataFrame):
        raise SpecError(f"{name}={shown(value)}: must be a table with the columns {', '.join(columns)}")
    if missing := [column for column in columns if column not in value]:
        raise SpecError(f"{name}: no column {', '.join(missing)}: it has {', '.join(map(str, value))}")
    return value


def row(name: str, values: Any) -> Any:
    """Numbers in a row, of which some may be NaN or infinite."""
    x = array(name, values)
    if x.ndim != 1:
        raise SpecError(f"{name}={shown(values)}: must be a row of numbers, no {_kind(x.ndim)}")
    return x


def rows(**given: Any) -> list[Any]:
    """Rows of equal length, which may hold NaN or infinite numbers."""
    found = [array(name, values) for name, values in given.items()]
    if any(x.ndim != 1 or x.shape != found[0].shape for x in found):
        shapes = ", ".join(str(x.shape) for x in found)
        raise SpecError(f"{', '.join(given)}: {shapes}: must be rows of equal length")
    return found


def axis(value: Any, name: str, x: Any) -> int:
    """A dimension that x, the array of the argument `name`, has, and in which there is something."""
    if not x.ndim:
        raise SpecError(f"{name}={x:g}: must be a row of numbers or a table")
    if not isinstance(value, int | np.integer) or not -x.ndim <= value < x.ndim:
        raise SpecError(f"axis={shown(value)}: must be a whole number from {-x.ndim} to {x.ndim - 1}")
    if not x.shape[value]:
        raise SpecError(f"{name}: empty along axis {value}: must be one value or more")
    return int(value)


def together(**given: Any) -> None:
    """Do these shapes fit each other, by numpy's broadcasting?"""
    shapes = {name: array(name, values).shape for name, values in given.items()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise SpecError(f"shapes that do not fit each other: {said}: see numpy's broadcasting") from None


def refuse(name: str, values: Any, fits: Any, right: str) -> None:
    """Raises unless all of these values fit: the error names the first that does not. fits: of their shape,
    or of one that they are broadcast to; right: what would be."""
    fits = np.asarray(fits)
    _all(name, values, fits, np.broadcast_to(array(name, values), fits.shape), right)


def index_of(values: Any) -> Any:
    """Of a Series its labels, else None."""
    index = getattr(values, "index", None)
    return None if callable(index) else index  # a list has a method of this name


def _all(name: str, values: Any, fits: Any, x: Any, right: str) -> Any:
    """x if all of it fits; else the first that does not is named, with its place or its label."""
    if fits.all():
        return x
    if not x.ndim:
        raise SpecError(f"{name}={x:g}: {right}")
    places = np.argwhere(~fits)
    first = tuple(int(i) for i in places[0])
    label: Any = first if len(first) > 1 else first[0]
    if len(first) == 1 and (index := index_of(values)) is not None:
        label = f"{index.name or 'index'} {index[first[0]]}"
    raise SpecError(f"{name}={x[first]:g} at {label} ({len(places)} of {x.size} values): {right}")


def shown(value: Any) -> str:
    """What was given, in a line."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    said = repr(value)
    if "\n" in said or len(said) > 60:
        return f"{type(value).__name__} of {len(value)}" if hasattr(value, "__len__") else said[:60] + "..."
    return said


def _kind(dimensions: int) -> str:
    return "number alone" if not dimensions else "table"
