"""A widget's experiments at any values of its knobs, from its slice. This file also runs in the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from labkit.errors import SpecError
from labkit.spec import Experiment
from labkit.spec.parametrization import variant
from labkit.widgets.knobs import Knob
from labkit.widgets.space import Space
from live.typed import Numbers, numbers, value

_IMPORT = "from labkit import "

Values = Mapping[str, "int | Decimal"]
"""By knob: the index of one of its values, or a number in its unit."""


class Maker:
    """An explorer's experiments."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.numbers: dict[str, Numbers | None] = {name: numbers(knob) for name, knob in space.knobs.items()}

    def experiment(self, values: Values) -> Experiment:
        """Raises SpecError."""
        given = {name: self._value(name, knob, values) for name, knob in self.space.knobs.items()}
        return variant(self.space.source, given)

    def _value(self, name: str, knob: Knob, values: Values) -> Any:
        wanted = values.get(name, knob.default)
        if not isinstance(wanted, Decimal):
            return knob.values[wanted]
        read = self.numbers[name]
        if read is None:
            raise SpecError(f"{knob.named(name)}: no number may be typed here")
        return value(knob, read, wanted)


def made(source: str) -> Any:
    """WIDGET of a slice that makes experiments: a Maker, or a list of them. It runs as in the page. Raises
    what it raises."""
    lines = [line for line in source.splitlines() if line.removeprefix(_IMPORT) not in _GIVEN]
    space: dict[str, Any] = {"__name__": "chapter", **_GIVEN}
    exec(compile("\n".join(lines), "chapter", "exec"), space)
    return space["WIDGET"]


def explore(experiment: Any, knobs: Mapping[str, Any] | None = None, /, **more: Any) -> Maker:
    """In place of labkit's: what a slice that only makes experiments is given."""
    return Maker(Space(experiment, {**(knobs or {}), **more}))


def predict(experiment: Any) -> Sequence[Experiment]:
    """In place of labkit's, as well."""
    if isinstance(experiment, Experiment):
        return [experiment]
    return list(experiment.values() if isinstance(experiment, Mapping) else experiment)


_GIVEN = {"explore": explore, "predict": predict}
