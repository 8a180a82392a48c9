"""Curves without a formula: through the points, to compare a formula with. The splines are scipy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments
from labkit.models.fitting import Curve, Floats


def cubic_spline(x: Any, y: Any) -> Curve:
    """The natural cubic spline through all points (three or more): as many numbers as points, and none of
    them says anything. Beyond the points it goes on straight, as it leaves. Raises SpecError."""
    from scipy.interpolate import CubicSpline  # not at the top: a run needs none of it

    x, y = _ordered(x, y)
    if len(x) < 3:
        raise SpecError(f"x: {len(x)} points: a spline takes three or more")
    inner = CubicSpline(x, y, bc_type="natural")
    ends = x[[0, -1]]
    slopes, heights = inner(ends, 1), inner(ends)

    def curve(at: Any) -> Floats:
        at = np.asarray(at, float)
        left, right = heights[0] + slopes[0] * (at - ends[0]), heights[1] + slopes[1] * (at - ends[1])
        return np.asarray(np.where(at < ends[0], left, np.where(at > ends[1], right, inner(at))), float)

    return curve


def straight_lines(x: Any, y: Any) -> Curve:
    """A straight line from point to point, and the last ones prolonged. Raises SpecError."""
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(*_ordered(x, y), k=1)  # type: ignore[no-any-return]


def _ordered(x: Any, y: Any) -> tuple[Floats, Floats]:
    x, y = arguments.rows(x=x, y=y)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise SpecError("x, y: not all are finite numbers: leave such points out")
    if len(set(x.tolist())) < max(len(x), 2):
        raise SpecError("x: two points or more, and no value twice: average what stands at one x")
    order = np.argsort(x)
    return x[order], y[order]
