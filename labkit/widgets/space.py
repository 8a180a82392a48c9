"""What can be run with a set of knobs: a point of the grid is one index per knob; between its values a knob
may take a number. Runs nothing. This file also runs in the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import Any

from labkit.errors import SpecError
from labkit.spec import Experiment
from labkit.spec.parametrization import Source, check_source, variant
from labkit.widgets import typed_numbers
from labkit.widgets.knobs import Knob, as_knob

Point = tuple[int, ...]
Values = Mapping[str, "int | Decimal"]
"""By knob: the index of one of its values, or a number in its unit. A knob not named stands at its start."""


class Space:
    """An experiment, or a function that makes one, and the knobs that vary it."""

    def __init__(self, source: Source, knobs: Mapping[str, Any]) -> None:
        """knobs: by path of a field ("flows.cc") or, for a function, by parameter. Each value of each
        knob is tried with the others at their defaults. Raises SpecError, which names knob and value."""
        if not knobs:
            raise SpecError('explore: no knob: write e.g. {"flows.cc": ["reno", "cubic"]}')
        self.source = source
        self.knobs: dict[str, Knob] = {}
        for name, given in knobs.items():
            try:
                self.knobs[name] = as_knob(given)
            except SpecError as error:
                raise SpecError(f"knob {name!r}: {error}") from None
        self._check()

    @property
    def default(self) -> Point:
        """Where all knobs start."""
        return tuple(knob.default for knob in self.knobs.values())

    def grid(self) -> Iterator[Point]:
        """Every point; the last knob turns fastest."""
        return product(*(range(len(knob.values)) for knob in self.knobs.values()))

    def point(self, values: Mapping[str, Any]) -> Point:
        """The point of these values or texts, the other knobs at their defaults. Raises SpecError."""
        found = dict(zip(self.knobs, self.default, strict=True))
        for name, value in values.items():
            if name not in self.knobs:
                raise SpecError(f"knob {name!r}: there is none: knobs are {', '.join(self.knobs)}")
            try:
                found[name] = self.knobs[name].index(value)
            except SpecError as error:
                raise SpecError(f"knob {name!r}: {error}") from None
        return tuple(found.values())

    def texts(self, point: Point) -> dict[str, str]:
        """Label of each knob -> text of its value."""
        turned = zip(self.knobs.items(), point, strict=True)
        return {knob.named(name): knob.texts[i] for (name, knob), i in turned}

    def experiment(self, point: Point) -> Experiment:
        """What is run at a point. Raises SpecError."""
        return self.between(dict(zip(self.knobs, point, strict=True)))

    def between(self, values: Values) -> Experiment:
        """What is run where knobs stand at one of their values or at a number. Raises SpecError."""
        return variant(self.source, {name: self._value(name, values) for name in self.knobs})

    @cached_property
    def numbers(self) -> dict[str, typed_numbers.Numbers]:
        """The knobs whose values are numbers."""
        return {name: read for name, knob in self.knobs.items() if (read := typed_numbers.numbers(knob))}

    def ranges(self, accepts: Callable[[Values], bool]) -> dict[str, dict[str, Any]]:
        """By knob: which numbers may be typed (see `labkit.widgets.typed_numbers`), if they are accepted."""
        found: dict[str, dict[str, Any]] = {}
        for name, read in self.numbers.items():

            def accepted(number: Decimal, name: str = name) -> bool:
                return accepts({name: number})

            one = typed_numbers.written(self.knobs[name], read, seed=name == "seed", accepts=accepted)
            if one is not None:
                found[name] = one
        return found

    def _value(self, name: str, values: Values) -> Any:
        knob, wanted = self.knobs[name], values.get(name)
        if wanted is None:
            return knob.values[knob.default]
        if not isinstance(wanted, Decimal):
            return knob.values[wanted]
        if name not in self.numbers:
            raise SpecError(f"{knob.named(name)}: no number may be typed here")
        return typed_numbers.value(knob, self.numbers[name], wanted)

    def _check(self) -> None:
        check_source(self.source, self.knobs, "explore")
        for number, (name, knob) in enumerate(self.knobs.items()):
            for i, text in enumerate(knob.texts):
                point = (*self.default[:number], i, *self.default[number + 1 :])
                try:
                    self.experiment(point)
                except SpecError as error:
                    raise SpecError(f"knob {name!r} at {text}: {error}") from None
