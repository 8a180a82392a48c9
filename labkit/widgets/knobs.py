"""Knobs: what a reader may turn, the values it takes, and how each is written. No widget, no experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal

from labkit.errors import SpecError

_LABELS = {
    "cc": "Congestion control",
    "rate": "Rate",
    "delay": "Delay",
    "rtt": "RTT",
    "jitter": "Jitter",
    "loss": "Loss",
    "queue": "Queue",
    "seed": "Seed",
    "size": "Data",
    "mss": "MSS",
    "duration": "Duration",
    "corrupt": "Corrupted",
    "duplicate": "Duplicated",
    "reorder": "Reordered",
}


class Knob:
    """Values in order, each with its text; `default` is the index of the one it starts at."""

    kind: ClassVar[Literal["choice", "slider", "toggle"]]

    def __init__(
        self, *values: Any, label: str | None = None, unit: str = "", default: Any = None, **more: Any
    ) -> None:
        """values: at least two, or one list, or one mapping of texts to values. label: what stands
        beside the knob (else after the field). unit: behind plain numbers. default: the value it starts
        at (else the first). Raises SpecError."""
        texts, self.values = _spread(values, unit)
        self.texts = tuple(texts)
        self.label = label
        if len(self.values) < 2:
            raise SpecError(f"{type(self).__name__}: {len(self.values)} values: a knob needs two at least")
        if len(set(self.texts)) < len(self.texts):
            raise SpecError(f"{type(self).__name__}: two values read the same: {', '.join(self.texts)}")
        self.default = 0 if default is None else self.index(default)

    def index(self, value: Any) -> int:
        """Where a value, or its text, is on this knob. Raises SpecError that names the range."""
        for i, (known, text) in enumerate(zip(self.values, self.texts, strict=True)):
            if (type(value) is type(known) and value == known) or value == text:
                return i
        raise SpecError(f"{value!r} is not on this knob: it has {', '.join(self.texts)}")

    def named(self, name: str) -> str:
        """The label, or one made from the field that the knob turns."""
        field = name.replace("]", "").replace("[", ".").rpartition(".")[2]
        return self.label or _LABELS.get(field, field.replace("_", " ").capitalize())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.texts)})"


class Choice(Knob):
    """One of a list: Choice("reno", "cubic") or Choice({"drop-tail": "100p", "CoDel": "codel"})."""

    kind = "choice"


class Slider(Knob):
    """Stops in order: Slider("0%", "1%", "5%"), Slider(10, 20, 50, unit="packets")."""

    kind = "slider"


class Toggle(Knob):
    """Off or on: Toggle() gives False or True; Toggle("100p", "fq_codel", label="Fair queue") others."""

    kind = "toggle"

    def __init__(self, off: Any = False, on: Any = True, **settings: Any) -> None:
        super().__init__({"off": off, "on": on}, **settings)


def as_knob(given: Any) -> Knob:
    """A knob as it is; a list or a mapping as a Choice, [False, True] as a Toggle. Raises SpecError."""
    if isinstance(given, Knob):
        return given
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise SpecError(f'{given!r} is no knob: write a list of values, or Slider("0%", "1%", "5%")')
    if not isinstance(given, Mapping):
        given = list(given)
        if len(given) == 2 and {type(value) for value in given} == {bool}:
            return Toggle(default=given[0])
    return Choice(given)


def _spread(values: tuple[Any, ...], unit: str) -> tuple[list[str], tuple[Any, ...]]:
    if len(values) == 1 and isinstance(values[0], Mapping):
        return [str(text) for text in values[0]], tuple(values[0].values())
    if len(values) == 1 and isinstance(values[0], Iterable) and not isinstance(values[0], str):
        values = tuple(values[0])
    plain = tuple(value.item() if hasattr(value, "item") else value for value in values)
    return [_text(value, unit) for value in plain], plain


def _text(value: Any, unit: str) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{value:.12g} {unit}".rstrip()
    return str(value)
