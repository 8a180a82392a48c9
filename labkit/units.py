"""Quantities with units: "10mbit", "20ms", "1%", "25MB", "100p" become plain SI numbers.

A rate is an int in bit/s, a time a float in seconds that stands for a whole number of nanoseconds
(see `ns`), a probability a float from 0 to 1, a size an int in bytes. Nothing here knows of TCP.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from numbers import Integral, Real
from typing import Annotated

from pydantic import BeforeValidator

from labkit.errors import SpecError

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3}(?![\w.]))?)\s*(.*)", re.DOTALL)
LONGEST_S = 20 * 86400  # float seconds keep exact nanoseconds up to here
FASTEST_BIT_S = 10**13
_NS = 10**9


SAYS = {
    "kind": "not {what}: write {example}",
    "negative": "must not be negative: write {example}",
    "largest": "{what} is at most {largest}: write {example}",
    "unit": "unknown unit '{unit}': write {example} (units: {units})",
    "bare": "'{number}' has no unit: write {example}",
    "least": "{what} is at least 1: write {example}",
    "whole": "{what} is a whole number: write {example}",
}
"""What is said of a text that is no such quantity. A form in a page says the same: scripts/bench_facts.py."""


@dataclass(frozen=True)
class Quantity:
    """What may be written for one kind of quantity: its units, its largest value, an example as a text and as
    a number. is_count: whole, and at least 1."""

    what: str
    units: dict[str, Decimal]
    text: str
    number: str
    largest: Decimal
    any_case: bool = False
    is_count: bool = False

    @property
    def example(self) -> str:
        """As one writes it in Python."""
        return f'"{self.text}" or {self.number}' if self.text else self.number

    def read(self, value: object) -> Decimal:
        """The value in SI. Raises SpecError that says what to write instead."""
        if isinstance(value, str):
            number = self._read_text(value)
        elif isinstance(value, bool) or not isinstance(value, Real):
            raise self._wrong("kind")
        elif isinstance(value, Integral):
            number = Decimal(int(value))
        else:
            number = Decimal(repr(float(value)))
        if not number.is_finite():
            raise SpecError(f"not a finite number: write {self.example}")
        if number < 0:
            raise self._wrong("negative")
        if number > self.largest:
            raise self._wrong("largest", largest=f"{self.largest:f}")
        if self.is_count and number < 1:
            raise self._wrong("least")
        if self.is_count and number != int(number):
            raise self._wrong("whole")
        return number

    def _wrong(self, how: str, **parts: str) -> SpecError:
        return SpecError(SAYS[how].format(what=self.what, example=self.example, **parts))

    def _read_text(self, text: str) -> Decimal:
        match = _NUMBER.fullmatch(text.strip())
        if match is None:
            raise self._wrong("kind")
        digits, unit = match.groups()
        if not unit and "" not in self.units:
            raise self._bare(digits)
        factor = self.units.get(unit.lower() if self.any_case else unit)
        if factor is None:
            raise self._wrong("unit", unit=unit, units=", ".join(self.units))
        return Decimal(digits) * factor

    def _bare(self, digits: str) -> SpecError:
        """What to write for a number in quotes without a unit."""
        if self is _PROBABILITY and 0 <= Decimal(digits) <= 100:
            percent = Decimal(digits) * (1 if Decimal(digits) >= 1 else 100)
            return SpecError(f'write "{percent.normalize():f}%" or {float(percent / 100)!r}')
        return self._wrong("bare", number=digits)


def _table(**units: str) -> dict[str, Decimal]:
    return {unit: Decimal(factor) for unit, factor in units.items()}


_BITS = _table(bit="1", kbit="1e3", mbit="1e6", gbit="1e9", tbit="1e12")
_RATE = Quantity(
    "a rate",
    _BITS | {f"{unit}/s": factor for unit, factor in _BITS.items()},
    "10mbit",
    "10000000 (bit/s)",
    Decimal(FASTEST_BIT_S),
    any_case=True,
)
_DURATION = Quantity(
    "a time",
    _table(ns="1e-9", us="1e-6", µs="1e-6", ms="1e-3", s="1", min="60", h="3600", d="86400"),
    "20ms",
    "0.02 (seconds)",
    Decimal(LONGEST_S),
)
_PROBABILITY = Quantity("a probability", {"%": Decimal("0.01")}, "5%", "0.05 (from 0 to 1)", Decimal(1))
_BYTES = _table(B="1", kB="1e3", KB="1e3", MB="1e6", GB="1e9", TB="1e12")
_BYTES |= {"KiB": Decimal(2**10), "MiB": Decimal(2**20), "GiB": Decimal(2**30)}
_SIZE = Quantity("a size", _BYTES, "64kB", "64000 (bytes)", Decimal(2**62), is_count=True)
_BER = Quantity(
    "a bit error rate",
    {"": Decimal(1), "%": Decimal("0.01")},
    "",
    "1e-9 (from 0 to 1e-3)",
    Decimal("1e-3"),
)
_SMALLEST_BER = Decimal("1e-15")
_POWER = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*dBm", re.IGNORECASE)
_WEAKEST, _STRONGEST, _STEPS = -40, 8, 10  # dBm, and steps in one
_PACKETS = Quantity("a number of packets", _table(p="1"), "100p", "100", Decimal(2**31 - 1), is_count=True)
QUANTITIES = {"rate": _RATE, "time": _DURATION, "share": _PROBABILITY, "size": _SIZE, "packets": _PACKETS}
"""By the names that a form in a page has for them."""


def bit_rate(value: object) -> int:
    """A rate in bit/s from "10mbit" or a number in bit/s. Raises SpecError."""
    number = _RATE.read(value)
    if number < 1:
        raise SpecError("a rate is at least 1 bit/s: for no limit write None")
    return round(number)


def seconds(value: object) -> float:
    """A time in seconds, rounded to whole nanoseconds, from "20ms" or a number in seconds."""
    number = _DURATION.read(value)
    nanoseconds = round(number * _NS)
    if number and not nanoseconds:
        raise SpecError('shorter than a nanosecond: write 0 or "1ns" at least')
    return nanoseconds / _NS


def ns(time_s: float) -> int:
    """Whole nanoseconds of a validated time; exact up to 20 days."""
    return round(time_s * _NS)


def probability(value: object) -> float:
    """A probability from "1%" or a number from 0 to 1. Raises SpecError."""
    return float(abs(_PROBABILITY.read(value)))


def size(value: object) -> int:
    """A size in bytes, at least 1, from "25MB" (10^6), "64KiB" (2^10) or a number. Raises SpecError."""
    return int(_SIZE.read(value))


def packets(value: object) -> int:
    """A number of packets, at least 1, from "100p" or a number. Raises SpecError."""
    return int(_PACKETS.read(value))


def bit_error_rate(value: object) -> float:
    """A bit error rate from 0 to 1e-3, in whole 1e-15. Raises SpecError."""
    number = _BER.read(value)
    steps = round(number / _SMALLEST_BER)
    if number and not steps:
        raise SpecError("smaller than 1e-15: write 0 or 1e-15 at least")
    return float(steps * _SMALLEST_BER)


def power_dbm(value: object) -> float:
    """A power from -40 to 8 dBm in steps of 0.1, from "-18.5dBm" or a number in dBm. Raises SpecError."""
    text = _POWER.fullmatch(value.strip()) if isinstance(value, str) else None
    if text is None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise SpecError('not a power: write "-18.5dBm" or -18.5')
    power = Decimal(text[1] if text else repr(float(value)))  # type: ignore[arg-type]
    if not power.is_finite() or not _WEAKEST <= power <= _STRONGEST:
        raise SpecError(f"a power is {_WEAKEST} to {_STRONGEST} dBm: write -18.5")
    if power * _STEPS != int(power * _STEPS):
        raise SpecError(f"a power comes in steps of 0.1 dBm: write {float(round(power, 1))!r}")
    return float(power)


def integer(value: object) -> int:
    """An integer of Python or numpy; no bool, no float, no text. Raises SpecError."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise SpecError("must be an integer, without quotes")
    return int(value)


def si_number(text: str) -> int | float | str:
    """The SI number that a text with a unit stands for, whatever the unit; other text as it is."""
    for read in (bit_rate, seconds, probability, size, packets):
        try:
            return read(text)
        except SpecError:
            continue
    return text


BitRate = Annotated[int, BeforeValidator(bit_rate)]
Duration = Annotated[float, BeforeValidator(seconds)]
Probability = Annotated[float, BeforeValidator(probability)]
Size = Annotated[int, BeforeValidator(size)]
Packets = Annotated[int, BeforeValidator(packets)]
BitErrorRate = Annotated[float, BeforeValidator(bit_error_rate)]
PowerDbm = Annotated[float, BeforeValidator(power_dbm)]
Integer = Annotated[int, BeforeValidator(integer)]
