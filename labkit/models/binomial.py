"""How many of n independent trials may succeed before chance is no explanation: exact, without scipy."""

from __future__ import annotations

import math

import numpy as np

from labkit.models import arguments


def interval(n: int, p: float, confidence: float = 0.999) -> tuple[int, int]:
    """The smallest and the largest number of successes that a two-sided exact test does not reject.

    Each tail holds at most (1 - confidence) / 2. An observed share lies within these bounds if and
    only if its Clopper-Pearson interval (Biometrika 26, 1934) of that confidence contains p. n: 0 or more. p
    and confidence: shares; p = 0 allows none, p = 1 all; confidence between 0 and 1. Raises SpecError.
    """
    n, p = arguments.count("n", n), arguments.scalar(arguments.share, "p", p)
    confidence = arguments.scalar(arguments.share, "confidence", confidence, zero=False, one=False)
    if p <= 0 or p >= 1:
        return (0, 0) if p <= 0 else (n, n)
    k = np.arange(n + 1)
    log_factorial = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    log_pmf = (
        log_factorial[n] - log_factorial - log_factorial[::-1] + k * math.log(p) + (n - k) * math.log1p(-p)
    )
    pmf = np.exp(log_pmf)
    tail = (1 - confidence) / 2
    low = int(np.searchsorted(np.cumsum(pmf), tail, side="right"))
    high = n - int(np.searchsorted(np.cumsum(pmf[::-1]), tail, side="right"))
    return low, high
