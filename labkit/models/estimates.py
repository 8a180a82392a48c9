"""What some independent runs say of a mean, a difference, a ratio, a share: each with its 95 % interval.

A line each, for a chapter's claims: `paired(reno, cubic).excludes(0)`. Draws nothing but resamples, the same
ones each time; knows no experiment. Missing values are refused, never left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from labkit.errors import SpecError
from labkit.models import arguments, estimate  # by its module: labkit.models.rto has an Estimate, too
from labkit.models.estimate import Share
from labkit.models.intervals import NAMES, Interval, mean_interval, t_quantile

Floats = npt.NDArray[np.float64]


def mean(values: Any, interval: Interval = "t", of: str = "runs") -> estimate.Estimate:
    """The mean of two or more independent values: a list, an array, a Series.

    interval: "t", or "bootstrap" for values far from a normal distribution: see `intervals.mean_interval`.
    of: what is counted. Raises SpecError.
    """
    x = _values("values", values)
    arguments.one_of("interval", interval, tuple(NAMES))
    low, high = mean_interval(x, interval)
    arguments.text("of", of)
    return estimate.Estimate(float(x.mean()), low, high, len(x), NAMES[interval], of)


def paired(a: Any, b: Any) -> estimate.Estimate:
    """The mean of a - b over pairs of runs that differ in one thing, such as two congestion controls under
    one seed: Student's t of the differences. Two Series are joined by their index. Raises SpecError."""
    x, y = _pairs(a, b)
    low, high = mean_interval(x - y)
    return estimate.Estimate(float((x - y).mean()), low, high, len(x), "paired, Student's t", "pairs")


def difference(a: Any, b: Any) -> estimate.Estimate:
    """Mean of a less mean of b, of runs that belong to no pairs, with unlike deviations: B. L. Welch,
    Biometrika 34 (1947). n is of both together. Raises SpecError."""
    x, y = _values("a", a), _values("b", b)
    half = _welch(float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y), len(x), len(y))
    value = float(x.mean() - y.mean())
    return estimate.Estimate(value, value - half, value + half, len(x) + len(y), "Welch's t")


def ratio(a: Any, b: Any) -> estimate.Estimate:
    """Mean of a over mean of b, of positive values that belong to no pairs: the interval is Welch's, of the
    difference of the means' logarithms, whose variances are (deviation / mean)^2 / n. Raises SpecError."""
    x, y = _positive("a", a), _positive("b", b)
    shares = [float(z.var(ddof=1)) / len(z) / float(z.mean()) ** 2 for z in (x, y)]
    half = _welch(shares[0], shares[1], len(x), len(y))
    value = float(x.mean() / y.mean())
    low, high = value * np.exp(-half), value * np.exp(half)
    return estimate.Estimate(
        value, float(low), float(high), len(x) + len(y), "ratio of means, Welch's t of logarithms"
    )


def paired_ratio(a: Any, b: Any) -> estimate.Estimate:
    """By what factor a is larger than b over pairs of positive values: the geometric mean of a / b, Student's
    t of its logarithms. Two Series are joined by their index. Raises SpecError."""
    x, y = _pairs(a, b)
    logs = np.log(_positive("a", x)) - np.log(_positive("b", y))
    low, high = mean_interval(logs)
    value, low, high = (float(np.exp(end)) for end in (logs.mean(), low, high))
    return estimate.Estimate(value, low, high, len(x), "ratio of pairs, Student's t of logarithms", "pairs")


def share(k: int, n: int, of: str = "runs") -> Share:
    """What share k of n stand for: E. B. Wilson, JASA 22 (1927). of: what is counted. Raises SpecError."""
    if not (arguments.is_whole(k) and arguments.is_whole(n) and 0 <= k <= n and n):
        raise SpecError(f"k={k!r}, n={n!r}: write how many, then of how many: share(7, 12)")
    arguments.text("of", of)
    from scipy.stats import binomtest  # not at the top: a run needs none of it

    found = binomtest(int(k), int(n)).proportion_ci(method="wilson")
    return Share(k / n, float(found.low), float(found.high), int(n), "Wilson", of, k=int(k))


def _welch(var_x: float, var_y: float, n_x: int, n_y: int) -> float:
    """Half the interval of a difference of two means with these variances (of the means)."""
    both = var_x + var_y
    if both == 0:
        return 0.0
    freedom = both**2 / (var_x**2 / (n_x - 1) + var_y**2 / (n_y - 1))
    return t_quantile(freedom) * math.sqrt(both)


def _values(name: str, values: Any) -> Floats:
    """Two or more numbers, none of them missing."""
    x: Floats = arguments.array(name, values)
    if x.ndim != 1 or len(x) < 2:
        raise SpecError(
            f"{name}: an interval takes two values or more, one a run; here: {arguments.shown(values)}"
        )
    if not np.isfinite(x).all():
        index = arguments.index_of(values)
        labels = range(len(x)) if index is None else list(index)
        lost = ", ".join(str(labels[i]) for i in np.flatnonzero(~np.isfinite(x)))
        fix = "say why, and leave those runs out by name or count them"
        raise SpecError(f"{name}: no number at {lost} ({len(x)} values): {fix}")
    return x


def _positive(name: str, values: Any) -> Floats:
    x = _values(name, values)
    if (x <= 0).any():
        raise SpecError(f"{name}: {x.min():g} is among them: a ratio takes positive values: difference()")
    return x


def _pairs(a: Any, b: Any) -> tuple[Floats, Floats]:
    """Both in one order."""
    if hasattr(a, "index") and hasattr(b, "reindex") and not isinstance(a, list | tuple):
        if not (a.index.is_unique and b.index.is_unique):
            raise SpecError(
                "a, b: a label is there twice: index each by what a pair has in common, as its seed"
            )
        if alone := sorted(map(str, a.index.symmetric_difference(b.index))):
            raise SpecError(f"a, b: {', '.join(alone)}: in one of them only: pairs have both")
        b = b.reindex(a.index)
    x, y = _values("a", a), _values("b", b)
    if len(x) != len(y):
        raise SpecError(f"a, b: {len(x)} and {len(y)} values: pairs have both")
    return x, y
