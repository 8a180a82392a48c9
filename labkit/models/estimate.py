"""An estimate: a value, its 95 % confidence interval, and of how many runs; printed as one says it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with both ends of its 95 % interval, from n of something (`of`: runs, pairs), by a method.

    str() gives "4.1 ± 0.3 (95 %, Student's t, 12 runs)", or both ends where they are not alike:
    "1.52, 1.31 to 1.77 (...)". Digits that the interval leaves open are not shown.
    """

    value: float
    low: float
    high: float
    n: int
    how: str
    of: str = "runs"

    def above(self, bound: float) -> bool:
        """The whole interval lies above the bound."""
        return self.low > bound

    def below(self, bound: float) -> bool:
        """The whole interval lies below the bound."""
        return self.high < bound

    def within(self, low: float, high: float) -> bool:
        """The whole interval lies between the two."""
        return low <= self.low and self.high <= high

    def excludes(self, value: float) -> bool:
        """The interval does not hold the value: of a difference 0 means that there is one."""
        return value < self.low or value > self.high

    def __str__(self) -> str:
        half = (self.high - self.low) / 2
        places = _places(half)
        middle = f"{self.value:.{places}f}"
        if math.isclose(self.value, self.low + half, rel_tol=1e-9, abs_tol=1e-9 * half):
            said = f"{middle} ± {half:.{places}f}"
        else:
            said = f"{middle}, {self.low:.{places}f} to {self.high:.{places}f}"
        return f"{said} (95 %, {self.how}, {self.n} {self.of})"


@dataclass(frozen=True)
class Share(Estimate):
    """k of n. str() gives "7 of 12 runs (58 %, 32 to 81 %)"."""

    k: int = 0

    def __str__(self) -> str:
        places = max(_places(50 * (self.high - self.low)), 0)
        value, low, high = (f"{100 * share:.{places}f}" for share in (self.value, self.low, self.high))
        return f"{self.k} of {self.n} {self.of} ({value} %, {low} to {high} %)"


def _places(half: float) -> int:
    """Decimals that show one digit of half a width, two if the first is a 1."""
    if not half > 0 or not math.isfinite(half):
        return 3
    size = math.floor(math.log10(half))
    leading = half / 10.0**size
    return max(-size + (1 if leading < 2 else 0), 0)
