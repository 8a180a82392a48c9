"""y = a + b exp(c x): the form that CAIA's talk of 2010 fits to transfer times over loss in per cent."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments
from labkit.models.fitting import Floats, Form, points

_LARGEST = 500.0
"""Of an exponent: a search that tries a larger one is told a very large number, not infinity."""
_STEEPEST = 20.0
"""|c| times the range of x, up to which a start is looked for: all would happen at one of the points."""


def exponential(x: Any, a: Any, b: Any, c: Any) -> Any:
    """a + b exp(c x): a is where it levels off, a + b what it has at x = 0, c its growth per unit of x.

    C. Holman, talk at CAIA, Swinburne University of Technology, 10 December 2010: x the loss in per cent, y
    the transfer time or the rate, a fit for each file size and bandwidth. Numbers or arrays that fit each
    other. Raises SpecError.
    """
    arguments.together(x=x, a=a, b=b, c=c)
    return _law(
        arguments.finite("x", x), *(arguments.finite(*one) for one in (("a", a), ("b", b), ("c", c)))
    )[()]


def _law(x: Any, a: Any, b: Any, c: Any) -> Any:
    """Without the checks, for a fit: it asks a million times."""
    return a + b * np.exp(np.minimum(np.asarray(c) * np.asarray(x, float), _LARGEST))


def start(x: Floats, y: Floats, sigma: Floats) -> tuple[float, float, float]:
    """A first guess: for each of 120 values of c, growing and falling, the best a and b (a linear problem),
    and of these the best. It does not matter how the points are spaced, nor which way the curve bends.
    x, y, sigma: rows of equal length, sigma above 0. Raises SpecError."""
    x, y, sigma = points(x, y, sigma)
    span = float(np.ptp(x)) or 1.0
    steep = np.geomspace(0.05, _STEEPEST, 60) / span
    best, found = np.inf, (float(y.mean()), 0.0, 1 / span)
    for c in np.concatenate((steep, -steep)):
        columns = np.column_stack((np.ones_like(x), np.exp(c * (x - (x.max() if c > 0 else x.min())))))
        (a, b), *_ = np.linalg.lstsq(columns / sigma[:, None], y / sigma, rcond=None)
        off = float((((y - columns @ (a, b)) / sigma) ** 2).sum())
        if off < best:
            best = off
            found = (float(a), float(b * np.exp(-c * (x.max() if c > 0 else x.min()))), float(c))
    return found


EXPONENTIAL = Form("a + b exp(c x)", ("a", "b", "c"), _law, start)
"""CAIA's form."""
