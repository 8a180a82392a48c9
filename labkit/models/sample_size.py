"""How many runs a claim needs. The tests are Student's t; relative values: in units of the mean."""

from __future__ import annotations

import math
from collections.abc import Callable

from labkit.errors import SpecError
from labkit.models import arguments
from labkit.models.intervals import t_quantile

_MOST = 10_000_000
Power = Callable[[int], float]


def runs_for_interval(cv: float, half_width: float) -> int:
    """Runs until the 95 % interval of a mean is expected to be ± half_width (of the mean) or narrower.

    cv: standard deviation over mean of single runs. The smallest n with t(n - 1) cv / sqrt(n) <= half_width.
    Raises SpecError unless both are positive and finite.
    """
    cv = arguments.scalar(arguments.positive, "cv", cv)
    half_width = arguments.scalar(arguments.positive, "half_width", half_width)
    return _smallest(lambda n: half_width - t_quantile(n - 1) * cv / math.sqrt(n), 0.0)


def runs_to_tell(effect: float, power: float = 0.8) -> int:
    """Runs *on each side* until Student's t finds a difference of two means at 5 % with this power.

    effect: the difference over the standard deviation of single runs, Cohen's d. From the noncentral t:
    J. Cohen, A power primer, Psychological Bulletin 112(1), 1992. Raises SpecError unless effect is positive
    and power between 0.05 and 1.
    """
    return _needed(effect, power, lambda n: (2 * n - 2, math.sqrt(n / 2)))


def pairs_to_tell(effect: float, power: float = 0.8) -> int:
    """Pairs until Student's t of the differences does. effect: mean difference over the standard deviation of
    *differences*. Raises SpecError."""
    return _needed(effect, power, lambda n: (n - 1, math.sqrt(n)))


def power_to_tell(effect: float, runs: int) -> float:
    """The chance that a difference is found with so many runs on each side, 2 or more; see `runs_to_tell`.
    Raises SpecError."""
    effect, runs = arguments.scalar(arguments.positive, "effect", effect), arguments.count("runs", runs, 2)
    return _power(effect * math.sqrt(runs / 2), 2 * runs - 2)


def _needed(effect: float, power: float, law: Callable[[int], tuple[int, float]]) -> int:
    effect, power = (
        arguments.scalar(arguments.positive, "effect", effect),
        arguments.scalar(arguments.array, "power", power),
    )
    if not 0.05 < power < 1:
        raise SpecError(f"power={power!r}: between 0.05, which pure chance gives, and 1")

    def reached(n: int) -> float:
        freedom, root = law(n)
        return _power(effect * root, freedom)

    return _smallest(reached, power)


def _power(shift: float, freedom: int) -> float:
    """Chance that |t| exceeds its 97.5 % quantile where its noncentrality is `shift`."""
    from scipy.special import nctdtr  # not at the top: a run needs none of it

    t = t_quantile(freedom)
    if shift > 30:  # beyond what the library's series reaches; it is certain long before
        return 1.0
    return float(1 - nctdtr(freedom, shift, t) + nctdtr(freedom, shift, -t))


def _smallest(rising: Power, bound: float) -> int:
    """The smallest n from 2 on at which a rising function reaches the bound."""
    low, high = 1, 2
    while rising(high) < bound:
        low, high = high, 2 * high
        if high > _MOST:
            raise SpecError(f"more than {_MOST} runs: the effect is too small to be told from none")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rising(middle) < bound else (low, middle)
    return high
