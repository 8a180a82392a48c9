"""What a model of throughput is given, checked once and in the words of whoever gave it. Computes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.errors import SpecError


def share(name: str, values: Any) -> Any:
    """A share from 0 to 1, both included, such as a loss rate: a number or an array. Raises SpecError."""
    x = _numbers(name, values)
    if not ((x >= 0) & (x <= 1)).all():
        raise SpecError(f"{name}={values!r}: must be a share from 0 to 1: 0.01 is one in a hundred")
    return x


def positive(name: str, values: Any) -> Any:
    """Finite and above 0: a number or an array. Raises SpecError."""
    x = _numbers(name, values)
    if not (np.isfinite(x) & (x > 0)).all():
        raise SpecError(f"{name}={values!r}: must be more than 0, and finite")
    return x


def whole(name: str, values: Any) -> Any:
    """Finite and 0 or more: a number or an array. Raises SpecError."""
    x = _numbers(name, values)
    if not (np.isfinite(x) & (x >= 0)).all():
        raise SpecError(f"{name}={values!r}: must be 0 or more, and finite")
    return x


def together(**given: Any) -> None:
    """Do these shapes fit each other, by numpy's broadcasting? Raises SpecError, which names them."""
    try:
        np.broadcast_shapes(*(np.shape(values) for values in given.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(values)}" for name, values in given.items())
        raise SpecError(f"shapes that do not fit each other: {shapes}: see numpy's broadcasting") from None


def _numbers(name: str, values: Any) -> Any:
    try:
        x = np.asarray(values, float)
    except (TypeError, ValueError):
        raise SpecError(f"{name}={values!r}: must be a number or an array of numbers") from None
    if np.isnan(x).any():
        raise SpecError(f"{name}={values!r}: holds what is no number")
    return x
