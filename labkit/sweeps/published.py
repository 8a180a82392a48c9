"""What a source published for points of a grid, to stand beside what is measured there. Runs nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

import pandas as pd
from pydantic import Field, StrictStr

from labkit.errors import SpecError
from labkit.measures.named_measure import NamedMeasure
from labkit.schema.base import FaultsError, Loc, Spec, did_you_mean
from labkit.sweeps.axes import Axis, Label


class Published(Spec, init=False):
    """Figures of a source. Each row: values of the grid's axes, as the grid has them, and of measures.

    A row holds for all values of an axis that it does not name. "flow" and "protocol" are named by their
    text, "second" by its number. Several numbers for a measure are several runs: their mean counts.
    """

    _positional: ClassVar = ("source", "rows")
    source: Annotated[StrictStr, Field(min_length=1)]
    rows: tuple[dict[str, Any], ...]

    def bound(self, axes: Iterable[Axis], measure: Any) -> Bound:
        """These figures at a grid's points. Raises SpecError, which names every row that fits none."""
        if not isinstance(measure, NamedMeasure):
            raise SpecError("published: goes with measures by name, such as goodput")
        by_path = {axis.path: axis for axis in axes}
        found: list[Figure] = []
        faults: list[tuple[Loc, str]] = []
        for i, row in enumerate(self.rows):
            try:
                new = list(_figures(row, by_path, measure))
                for figure in new:
                    if any(figure.meets(other) for other in found):
                        text = f": a second {figure.measure} for the same point: leave one out"
                        raise FaultsError([((), text)])
                found += new
            except FaultsError as error:
                faults += error.under("published", "rows", i).faults
        if faults:
            raise FaultsError(faults)
        return Bound(self.source, tuple(found))


class Figure:
    """One published value: of a measure, where the columns of a table are as `at` says."""

    def __init__(self, at: Mapping[str, Label], measure: str, value: float) -> None:
        self.at, self.measure, self.value = at, measure, value

    def holds(self, point: Mapping[Any, Any]) -> bool:
        return all(point[name] == label for name, label in self.at.items())

    def meets(self, other: Figure) -> bool:
        """Whether there is a point that both hold for."""
        both = self.at.keys() & other.at.keys()
        return self.measure == other.measure and all(self.at[name] == other.at[name] for name in both)


class Bound:
    """Published figures by the columns and labels of a sweep's table."""

    def __init__(self, source: str, figures: tuple[Figure, ...]) -> None:
        self.source, self.figures = source, figures

    @property
    def measures(self) -> list[str]:
        """Of which there are figures."""
        return list(dict.fromkeys(figure.measure for figure in self.figures))

    def column(self, table: pd.DataFrame, measures: Iterable[str]) -> list[float]:
        """For each row of a sweep's table the figure of its measure; NaN where nothing was published."""
        rows = table.to_dict("records")
        return [self._value(row, measure) for row, measure in zip(rows, measures, strict=True)]

    def _value(self, point: Mapping[Any, Any], measure: str) -> float:
        of = (figure for figure in self.figures if figure.measure == measure)
        return next((figure.value for figure in of if figure.holds(point)), math.nan)


def _figures(row: Mapping[str, Any], axes: Mapping[str, Axis], measure: NamedMeasure) -> Iterable[Figure]:
    known = [*axes, *measure.keys, *measure.names]
    for name in row:
        if name not in known:
            text = f": neither an axis nor measured{did_you_mean(str(name), known)}"
            raise FaultsError([((str(name),), f"{text}: there are {', '.join(known)}")])
    at = {path: _label(axes[path], row[path]) for path in axes if path in row}
    at |= {key: str(row[key]) for key in measure.keys if key in row}
    values = {name: row[name] for name in measure.names if name in row}
    if not values:
        raise FaultsError([((), f": no figure: name one of {', '.join(measure.names)}")])
    for name, value in values.items():
        runs = value if isinstance(value, list | tuple) else [value]
        if not runs or not all(map(_finite, runs)):
            raise FaultsError([((name,), f"={value!r}: must be a number, or several")])
        yield Figure(at, name, math.fsum(runs) / len(runs))


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _label(axis: Axis, value: Any) -> Label:
    """What tables show for a value of an axis, which may be written as in the grid or as in a table."""
    for given, label in zip(axis.values, axis.labels, strict=True):
        if value == label or (isinstance(value, str) and value == given):
            return label
    listed = ", ".join(str(label) for label in axis.labels)
    raise FaultsError([((axis.path,), f"={value!r}: not in the grid, which has {listed}")])
