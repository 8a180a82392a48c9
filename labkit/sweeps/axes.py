"""An axis of a grid: the field that varies, its values as the spec takes them and as tables show them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

from labkit import units
from labkit.errors import SpecError

Label: TypeAlias = float | int | str | bool

_READERS: dict[str, Callable[[object], float]] = {
    "bit/s": units.bit_rate,
    "s": units.seconds,
    "share": units.probability,
    "bytes": units.size,
    "packets": units.packets,
}
_EXAMPLES = {"share": "1%", "s": "10ms", "bit/s": "10mbit", "packets": "10p", "bytes": "64kB"}
_SI = {"s": "s", "bit/s": "bit", "packets": "p", "bytes": "B"}
_WHOLE = ("bit/s", "bytes", "packets")


@dataclass(frozen=True)
class Axis:
    """path: of the field, or the function's parameter. values: what is set. labels: what a table has for
    each. unit: of the labels, if they are numbers: "share" is from 0 to 1."""

    path: str
    values: tuple[Any, ...]
    labels: tuple[Label, ...]
    unit: str = ""

    @property
    def numeric(self) -> bool:
        """Whether its values have an order and a distance."""
        return all(isinstance(label, int | float) and not isinstance(label, bool) for label in self.labels)

    def between(self, low: float, high: float) -> float | int:
        """The middle of an interval, whole where all values are."""
        middle = (low + high) / 2
        if self.unit in _WHOLE or all(isinstance(label, int) for label in self.labels):
            return math.floor(middle)
        return float(f"{middle:.12g}")

    def with_value(self, value: float | int) -> Axis:
        """This axis and one more number on it, written with its unit where others are."""
        written: float | int | str = value
        if self.unit in _SI and any(isinstance(given, str) for given in self.values):
            written = f"{Decimal(repr(value)):f}{_SI[self.unit]}"
        return replace(self, values=(*self.values, written), labels=(*self.labels, value))


def axis(path: str, given: Any, takes: Callable[[object], bool]) -> Axis:
    """From a list of values, or a mapping of texts to values. takes: whether the field can be set to that.

    Numbers, and texts with units of one kind, are numbers in tables, in SI units. Raises SpecError.
    """
    if isinstance(given, Mapping):
        labels: list[Label] = [str(text) for text in given]
        return _whole(Axis(path, tuple(given.values()), tuple(labels)))
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise SpecError(f"{path}: {given!r} is not a list of values: write [{given!r}]")
    values = tuple(value.item() if hasattr(value, "item") else value for value in given)
    for unit, read in _READERS.items():
        numbers = _numbers(values, read)
        if numbers is not None:
            return _whole(Axis(path, values, numbers, unit))
    found = _whole(Axis(path, values, tuple(map(_label, values))))
    return replace(found, unit=_unit(takes)) if found.numeric else found


def _whole(found: Axis) -> Axis:
    """Checked: it has values, and no two of them read the same."""
    if not found.values:
        raise SpecError(f"{found.path}: no value: name one at least")
    twice = [label for i, label in enumerate(found.labels) if label in found.labels[:i]]
    if twice:
        raise SpecError(f"{found.path}: {twice[0]!r} stands there twice: name each value once")
    return found


def _numbers(values: tuple[Any, ...], read: Callable[[object], float]) -> tuple[Label, ...] | None:
    """What the values amount to, if each text among them, and there is one, has a unit that `read` knows."""
    if not any(isinstance(value, str) for value in values):
        return None
    found: list[Label] = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return None
        try:
            found.append(read(value) if isinstance(value, str) else value)
        except SpecError:
            return None
    return tuple(found)


def _label(value: Any) -> Label:
    if value is None:
        return "none"
    return value if isinstance(value, bool | int | float) else str(value)


def _unit(takes: Callable[[object], bool]) -> str:
    """A field of plain numbers is in the unit that it takes a text of."""
    return next((unit for unit, example in _EXAMPLES.items() if takes(example)), "")
