"""Power laws: k / x^s, as Cottrell fits it to rates over loss, and a + b x^c. Fitted in logs or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments
from labkit.models.fitting import Fitted, Floats, Form, fit

PINGER_FIT = (1526.6, 0.66)
"""k (kbit/s) and s of Cottrell's fit to PingER's throughput over loss in per cent, January to September 2007,
with an R^2 of about 0.89: R. L. Cottrell, Throughput versus loss, SLAC, 2000 and later."""
PINGER_THEORY = (1875.0, 0.5)
"""The same with the exponent of the square-root law, for 129 countries: beta / sqrt(loss)."""


def power_law(x: Any, k: Any, s: Any) -> Any:
    """k / x^s. Infinite at x = 0 for a positive s, as the law has it; NaN for x below 0. Numbers or arrays
    that fit each other. Raises SpecError."""
    arguments.together(x=x, k=k, s=s)
    return _law(arguments.finite("x", x), arguments.finite("k", k), arguments.finite("s", s))[()]


def rising(x: Any, a: Any, b: Any, c: Any) -> Any:
    """a + b x^c: a at x = 0 for a positive c; NaN for x below 0. Numbers or arrays that fit each other.
    Raises SpecError."""
    arguments.together(x=x, a=a, b=b, c=c)
    return _rising(
        arguments.finite("x", x), *(arguments.finite(*one) for one in (("a", a), ("b", b), ("c", c)))
    )[()]


def _law(x: Any, k: Any, s: Any) -> Any:
    """Without the checks, for a fit: it asks a million times."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return k * np.asarray(x, float) ** -np.asarray(s, float)


def _rising(x: Any, a: Any, b: Any, c: Any) -> Any:
    """Without the checks, for a fit."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return a + b * np.asarray(x, float) ** np.asarray(c, float)


def fit_in_logs(x: Any, y: Any) -> tuple[float, float]:
    """k and s of the straight line through log y over log x: each *factor* by which a point is off counts
    alike, above and below. Raises SpecError unless all are positive, and two x differ."""
    x, y = arguments.rows(x=x, y=y)
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all() and (y > 0).all()):
        raise SpecError("x, y: a logarithm takes numbers above 0: leave other points out, and say so")
    if len(set(x.tolist())) < 2:
        raise SpecError("x: a line takes two different points or more")
    slope, height = np.polyfit(np.log(x), np.log(y), 1)
    return float(np.exp(height)), float(-slope)


def fit_plain(x: Any, y: Any) -> Fitted:
    """k and s by least squares of y itself: what counts is by how many *units* a point is off, so the largest
    ones decide. Starts from `fit_in_logs`. Raises SpecError."""
    return fit(POWER_LAW, x, y)


def _start_law(x: Floats, y: Floats, sigma: Floats) -> tuple[float, float]:
    return fit_in_logs(x, y)


def _start_rising(x: Floats, y: Floats, sigma: Floats) -> tuple[float, float, float]:
    """For each of 40 exponents the best a and b, and of these the best."""
    if (x < 0).any():
        raise SpecError("x: below 0: a + b x^c starts at 0")
    best, found = np.inf, (float(y.mean()), 0.0, 1.0)
    for c in np.geomspace(0.1, 10, 40):
        columns = np.column_stack((np.ones_like(x), x**c))
        (a, b), *_ = np.linalg.lstsq(columns / sigma[:, None], y / sigma, rcond=None)
        off = float((((y - columns @ (a, b)) / sigma) ** 2).sum())
        if off < best:
            best, found = off, (float(a), float(b), float(c))
    return found


POWER_LAW = Form("k / x^s", ("k", "s"), _law, _start_law)
"""Cottrell's form."""
RISING = Form("a + b x^c", ("a", "b", "c"), _rising, _start_rising)
"""A power law over a floor, with as many numbers as CAIA's form."""
