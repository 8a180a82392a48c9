"""How a number in a program follows from a number on a knob: found in examples, in exact arithmetic.

    v = round(x * p / q) + c, or of 1/x; rounded to the nearest (half to even), down or up; kept in bounds

slots.mjs computes the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Example = tuple[Fraction, int]
"""A number on the knob, and what came of it."""

_LEAST = 3  # examples that a rule must explain
_NICE = (
    1,
    2,
    4,
    5,
    8,
    10,
    20,
    25,
    40,
    50,
    100,
    125,
    200,
    250,
    400,
    500,
    1000,
    2000,
    4000,
    8000,
    10**4,
    10**5,
    10**6,
)
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Rule:
    """mode: "round", "floor" or "ceil"; inverse: of 1/x; low, high: bounds of v."""

    ratio: Fraction
    mode: str
    plus: int = 0
    inverse: bool = False
    low: int | None = None
    high: int | None = None

    def value(self, x: Fraction) -> int | None:
        """None for 1/0."""
        if self.inverse and not x:
            return None
        exact = self.ratio / x if self.inverse else self.ratio * x
        v = _ROUND[self.mode](exact) + self.plus
        v = v if self.low is None else max(v, self.low)
        return v if self.high is None else min(v, self.high)

    def written(self) -> dict[str, Any]:
        """Whole numbers as text: they may have more than 53 bits."""
        found: dict[str, Any] = {
            "p": str(self.ratio.numerator),
            "q": str(self.ratio.denominator),
            "mode": self.mode,
        }
        more = {"plus": self.plus, "inverse": self.inverse, "low": self.low, "high": self.high}
        return found | {
            key: one if key == "inverse" else str(one) for key, one in more.items() if one not in (0, None)
        }


def _floor(x: Fraction) -> int:
    return math.floor(x)


def _ceil(x: Fraction) -> int:
    return math.ceil(x)


_ROUND: dict[str, Callable[[Fraction], int]] = {"round": round, "floor": _floor, "ceil": _ceil}
# What x * ratio may be, less v - plus: from, to
_SLACK = {"round": (-_HALF, _HALF), "floor": (Fraction(0), Fraction(1)), "ceil": (Fraction(-1), Fraction(0))}


def fit(examples: Sequence[Example]) -> Rule | None:
    """The simplest rule that explains all of them."""
    values = [v for _, v in examples]
    low, high = min(values), max(values)
    for bounds in ((None, None), (low, None), (None, high), (low, high)):
        inner = [(x, v) for x, v in examples if v not in bounds]
        if len({x for x, _ in inner}) < _LEAST:
            continue
        for rule in _straight(inner, bounds):
            if all(rule.value(x) == v for x, v in examples):
                return rule
    return None


def _straight(examples: Sequence[Example], bounds: tuple[int | None, int | None]) -> Iterator[Rule]:
    for inverse in (False, True):
        if inverse and not all(x for x, _ in examples):
            continue
        turned = sorted((1 / x if inverse else x, v) for x, v in examples)
        (t0, v0), (t1, v1) = turned[0], turned[-1]
        if t0 == t1:
            continue
        slope = Fraction(v1 - v0) / (t1 - t0)
        for plus in dict.fromkeys((0, round(v0 - slope * t0))):
            for mode in _ROUND:
                for ratio in _ratios(turned, mode, plus):
                    yield Rule(ratio, mode, plus, inverse, *bounds)


def _ratios(turned: Sequence[Example], mode: str, plus: int) -> Iterator[Fraction]:
    """Ratios that explain all, those with a denominator that people use first."""
    below, above = _SLACK[mode]
    positive = [(t, v - plus) for t, v in turned if t > 0]
    negative = [(-t, plus - v) for t, v in turned if t < 0]
    if negative:
        below, above = min(below, -above), max(above, -below)
    if not positive + negative:
        return
    least = max((v + below) / t for t, v in positive + negative)
    most = min((v + above) / t for t, v in positive + negative)
    if least > most:
        return
    for q in _NICE:
        p = math.ceil(least * q)
        if p <= most * q:
            yield Fraction(p, q)
    yield _simplest(least, most)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the smallest denominator between two."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    floor = math.floor(low)
    return floor + 1 / _simplest(1 / (high - floor), 1 / (low - floor))
