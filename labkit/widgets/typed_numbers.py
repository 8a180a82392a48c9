"""Knobs whose values are numbers: which other numbers may be typed there, and the value that one stands for.

A number is meant as the knob's texts have it: 1.5 beside "1%" is "1.5%". This file also runs in the page.

What a face is told of such a knob is {unit, low, high, numbers, whole, steps}: what may be typed, from low
to high in `unit`; what its own texts stand for; whether only whole numbers are taken; of a slider, its stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from labkit.widgets.knobs import Knob, Toggle

_TEXT = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(\s*)([^\d\s].*)?", re.IGNORECASE)
_COUNTED = frozenset({"", "p", "packets", "bytes", "B"})
_WIDE = 20  # times as much
_STEPS = 100  # of a slider, from its first number to its last
_SEEDS = 10**9
_PERCENT, _POWER, _BYTES = "%", "dBm", "bytes"
_TINY = Decimal("1e-4")


@dataclass(frozen=True)
class Numbers:
    """numbers: what the knob's texts stand for, in `unit`; whole: no others may be typed than whole ones."""

    unit: str
    gap: str
    numbers: tuple[Decimal, ...]
    whole: bool

    def ends(self, seed: bool = False) -> Iterator[tuple[Decimal, Decimal]]:
        """The widest sensible range, then narrower ones, down to what is on the knob."""
        least, most = min(self.numbers), max(self.numbers)
        one = Decimal(1)
        if seed:
            yield Decimal(0), Decimal(_SEEDS)
        elif self.unit == _POWER:
            yield least - 5, most + 5
        else:
            low = [least] if least <= 0 else [Decimal(0), *(least / by for by in (10, 5, 2)), least]
            high = [most * 10, most * 5, most * 2, most]
            if self.unit == _BYTES:  # of a segment
                high = [most]
            elif self.unit == _PERCENT:
                high = [Decimal(100), Decimal(99), Decimal(50), most]
            elif self.unit == "" and least >= 0 and most <= 1 and not self.whole:
                high = [one, most]
            elif least > 0:
                low = low[1:]
            if self.whole:
                low = [max(self._rounded(end), min(least, one)) for end in low]
                high = [self._rounded(end) for end in high]
            yield from ((a, b) for b in high for a in low)
        yield least, most

    def _rounded(self, number: Decimal) -> Decimal:
        return number.to_integral_value()

    def steps(self, low: Decimal) -> list[Decimal]:
        """Where a slider stops: at the knob's own numbers, in their order, and between them. low: the end of
        what may be typed; a wide range above zero goes by factors."""
        by_factors = low > 0 and max(self.numbers) >= _WIDE * min(self.numbers)
        parts = max(_STEPS // (len(self.numbers) - 1), 1)
        found = [
            self._between(a, b, Decimal(part) / parts, by_factors) if part else a
            for a, b in pairwise(self.numbers)
            for part in range(parts)
        ]
        return list(dict.fromkeys([*found, self.numbers[-1]]))

    def _between(self, a: Decimal, b: Decimal, share: Decimal, by_factors: bool) -> Decimal:
        """Written as short as its neighbours leave it another number."""
        exact = a * (b / a) ** share if by_factors else a + (b - a) * share
        if self.whole:
            return self._rounded(exact)
        if by_factors:
            return Decimal(f"{exact:.3g}")
        decimals = 1 if self.unit == _POWER else max(2 - abs(b - a).adjusted(), 0)
        return Decimal(f"{exact:.{decimals}f}")


def numbers(knob: Knob) -> Numbers | None:
    """None if one of its texts is no number, if they have not one unit, or its values are something else."""
    if isinstance(knob, Toggle):
        return None
    found = [_TEXT.fullmatch(text) for text in knob.texts]
    matches = [match for match in found if match]
    if len(matches) < len(found) or len({match[3] or "" for match in matches}) > 1:
        return None
    values = tuple(Decimal(match[1]) for match in matches)
    counted = (matches[0][3] or "") in _COUNTED
    whole = counted and all(number == int(number) for number in values)
    read = Numbers(matches[0][3] or "", matches[0][2], values, whole)
    known = zip(knob.values, values, strict=True)
    return read if all(value(knob, read, number) == held for held, number in known) else None


def value(knob: Knob, read: Numbers, number: Decimal) -> Any:
    """What the knob's function or field is given for a number: as for those that are on it."""
    first = knob.values[0]
    if isinstance(first, str):
        return f"{_plain(number)}{read.gap}{read.unit}"
    if isinstance(first, bool) or not isinstance(first, int | float):
        return None
    ratio = next(
        (Decimal(repr(v)) / n for v, n in zip(knob.values, read.numbers, strict=True) if n), Decimal(1)
    )
    scaled = number * ratio
    all_int = all(isinstance(v, int) for v in knob.values)
    return int(scaled) if all_int and scaled == int(scaled) else float(scaled)


def _plain(number: Decimal) -> str:
    """As one would type it: without an exponent unless it is tiny, without zeros at its end."""
    short = number.normalize()
    return f"{short:e}" if short and abs(short) < _TINY else f"{short:f}"


def written(
    knob: Knob, read: Numbers, *, seed: bool, accepts: Callable[[Decimal], bool]
) -> dict[str, Any] | None:
    """The widest sensible range of numbers of which both ends and the middle are accepted, or None."""
    for low, high in read.ends(seed):
        middle = (low + high) // 2 if read.whole else (low + high) / 2
        if all(map(accepts, (low, high, middle))):
            found: dict[str, Any] = {
                "unit": read.unit,
                "low": _number(low),
                "high": _number(high),
                "numbers": [_number(number) for number in read.numbers],
                "whole": read.whole,
            }
            if knob.kind == "slider":
                found["steps"] = [_number(number) for number in read.steps(low)]
            return found
    return None


def _number(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)
