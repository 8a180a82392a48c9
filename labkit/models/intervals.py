"""95 % confidence intervals of a mean, from a few independent values. Draws nothing, knows no experiment."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from labkit.models import arguments

Interval = Literal["t", "bootstrap"]
NAMES: dict[str, str] = {"t": "Student's t", "bootstrap": "BCa bootstrap"}
RESAMPLES = 9999


def t_quantile(freedom: float) -> float:
    """97.5 % quantile of Student's t. freedom: above 0. Raises SpecError."""
    freedom = arguments.scalar(arguments.positive, "freedom", freedom)
    from scipy.special import stdtrit  # not at the top: a run needs none of it

    return float(stdtrit(freedom, 0.975))


def t_half_width(deviation: float, n: int) -> float:
    """t · s / sqrt(n), s the standard deviation of a sample of n; NaN for a single value, and if s is. Raises
    SpecError for another s below 0 or infinite."""
    n, deviation = arguments.count("n", n), arguments.scalar(arguments.array, "deviation", deviation)
    if math.isnan(deviation):
        return math.nan
    arguments.from_zero("deviation", deviation)
    return t_quantile(n - 1) / math.sqrt(n) * deviation if n > 1 else math.nan


def mean_interval(values: npt.ArrayLike, kind: Interval = "t") -> tuple[float, float]:
    """Both ends of the 95 % confidence interval of the mean; NaN for fewer than two values, and if one is
    infinite. Raises SpecError for NaN among them.

    "t" takes the mean for normally distributed; its ends may lie where no value can. "bootstrap" does not:
    bias-corrected and accelerated (Efron, JASA 82, 1987), 9999 resamples, the same ones each time. It is
    too narrow for few values: drawn from a normal distribution, 5 of them have the mean inside in 82 % of
    cases, 10 in 90 %, 30 in 94 %; "t" has it in 95 %.
    """
    x: npt.NDArray[np.float64] = arguments.numbers("values", arguments.row("values", values))
    arguments.one_of("kind", kind, tuple(NAMES))
    n = len(x)
    if n < 2 or not np.isfinite(x).all():
        return math.nan, math.nan
    mean = float(x.mean())
    if np.ptp(x) == 0:
        return mean, mean
    if kind == "t":
        half = t_half_width(float(x.std(ddof=1)), n)
        return mean - half, mean + half
    from scipy.stats import bootstrap

    found = bootstrap((x,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(1))
    return float(found.confidence_interval.low), float(found.confidence_interval.high)
