"""Where a curve bends, more points: the next value on an axis, from the means so far. Runs nothing."""

from __future__ import annotations

from typing import Annotated, ClassVar

import pandas as pd
from pydantic import Field, StrictStr

from labkit.errors import SpecError
from labkit.schema.base import Spec
from labkit.sweeps.axes import Axis
from labkit.units import Integer


class Refine(Spec, init=False):
    """More values on the axis `path`, one after another, at most `points`; each with the rest of the grid.

    Each halves the interval where straight lines between the means of `measure` (the first one measured
    unless given), over seeds and flows, are furthest from the curve: h²/8 times its second derivative, by
    second differences at both ends of the interval (the error of linear interpolation).
    """

    _positional: ClassVar = ("path", "points")
    path: StrictStr
    points: Annotated[Integer, Field(ge=1, le=1000)] = 5
    measure: StrictStr | None = None

    def number(self, axes: tuple[Axis, ...]) -> int:
        """Which axis it is. Raises SpecError if it is none, or none of three numbers at least."""
        paths = [axis.path for axis in axes]
        if self.path not in paths:
            raise SpecError(f"refine: {self.path!r}: no such axis: axes are {', '.join(paths)}")
        found = axes[paths.index(self.path)]
        if not found.numeric:
            listed = ", ".join(map(str, found.labels))
            raise SpecError(f"refine: {self.path!r}: not numbers ({listed}): nothing is between them")
        if len(found.labels) < 3:
            raise SpecError(f"refine: {self.path!r}: a bend needs three values: it has {len(found.labels)}")
        return paths.index(self.path)

    def value(self, axis: Axis, curves: pd.DataFrame) -> float | int | None:
        """The next value; None if no interval can be halved.

        curves: of each series (a column) the mean at each value (the index, ascending).
        """
        scores: dict[tuple[float, float], float] = {}
        for name in curves:
            curve = curves[name].dropna()
            for interval, score in _scores(list(curve.index), list(curve)).items():
                scores[interval] = max(scores.get(interval, 0.0), score)
        for (low, high), _ in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
            value = axis.between(low, high)
            if low < value < high and value not in axis.labels:
                return value
        return None


def _scores(x: list[float], y: list[float]) -> dict[tuple[float, float], float]:
    """Interval -> its error; nothing of fewer than three values."""
    if len(x) < 3:
        return {}
    slopes = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(len(x) - 1)]
    inner = [2 * abs(slopes[i] - slopes[i - 1]) / (x[i + 1] - x[i - 1]) for i in range(1, len(x) - 1)]
    second = [inner[0], *inner, inner[-1]]
    return {
        (x[i], x[i + 1]): (x[i + 1] - x[i]) ** 2 * (second[i] + second[i + 1]) / 16 for i in range(len(x) - 1)
    }
