"""Fitting a form to measured points: least squares, bootstrap, leave-one-out. Which forms there are: others.

The least squares are scipy's. A fit is a form with numbers in it: call it, and it says y at any x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from labkit.errors import SpecError
from labkit.models import arguments, estimate
from labkit.models.intervals import t_quantile

Floats = npt.NDArray[np.float64]
Curve = Callable[[Any], Floats]
"""From x to y."""
Train = Callable[[Floats, Floats], Curve]
"""From points to a curve through or near them, as `Form.train` and the splines are."""


@dataclass(frozen=True)
class Form:
    """A formula with free numbers: function(x, *numbers), and from where the search for them starts.

    name: as it is written; parameters: what its numbers are called; start: from x, y and sigma (all arrays)
    to a first guess of each.
    """

    name: str
    parameters: tuple[str, ...]
    function: Callable[..., Any]
    start: Callable[[Floats, Floats, Floats], Sequence[float]]

    def train(self, x: Any, y: Any) -> Fitted:
        """`fit` with every point weighted alike."""
        return fit(self, x, y)

    def train_relative(self, x: Any, y: Any) -> Fitted:
        """`fit` with sigma = y: what counts is by how many per cent a point is missed."""
        return fit(self, x, y, sigma=y)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A form with the numbers that `fit` found, and the points that it was fitted to."""

    form: Form
    values: Floats
    covariance: Floats
    x: Floats
    y: Floats
    sigma: Floats

    def __call__(self, x: Any) -> Floats:
        return np.asarray(self.form.function(np.asarray(x, float), *self.values), float)

    @property
    def residuals(self) -> Floats:
        """Measured less fitted, at each point."""
        return self.y - self(self.x)

    @property
    def r_squared(self) -> float:
        """1 - sum of squared residuals / sum of squares about the mean, both unweighted."""
        return r_squared(self.y, self(self.x))

    def estimates(self) -> dict[str, estimate.Estimate]:
        """Each number with its 95 % interval by the covariance and Student's t (points less numbers).

        That takes the form for right, the noise for normal with the ratios of sigma, and the curve for
        straight near the minimum. NaN for as many points as numbers.
        """
        free = len(self.x) - len(self.values)
        half = (
            t_quantile(free) * np.sqrt(np.diag(self.covariance))
            if free
            else np.full(len(self.values), np.nan)
        )
        return {
            name: estimate.Estimate(float(v), float(v - h), float(v + h), len(self.x), "covariance", "points")
            for name, v, h in zip(self.form.parameters, self.values, half, strict=True)
        }


def fit(form: Form, x: Any, y: Any, sigma: Any = None) -> Fitted:
    """Least squares of (y - form(x)) / sigma: scipy.optimize.curve_fit (Levenberg-Marquardt) from form.start.

    x, y: a point each, as many as the form has numbers or more; sigma: what a point's error is in proportion
    to (y itself for relative errors), 1 unless given; only ratios count. Raises SpecError for other shapes,
    values that are no finite numbers, a sigma of 0, too few points, and where no minimum is found.
    """
    from scipy.optimize import OptimizeWarning, curve_fit  # not at the top: a run needs none of it

    _form(form)
    x, y, sigma = points(x, y, sigma)
    if len(set(x.tolist())) < len(form.parameters):
        count, needed = len(set(x.tolist())), len(form.parameters)
        raise SpecError(
            f"x: {count} different points: {form.name} has {needed} free numbers and takes as many"
        )
    first = form.start(x, y, sigma)
    import warnings

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", OptimizeWarning)  # as many points as numbers: no covariance
        try:
            values, covariance = curve_fit(form.function, x, y, first, sigma, maxfev=5000)
        except RuntimeError as error:
            raise SpecError(f"{form.name}: no minimum found from {list(first)}: {error}") from None
    return Fitted(form, values, covariance, x, y, sigma)


def bootstrap(
    form: Form,
    x: Any,
    runs: Sequence[Any],
    of: Callable[[Any], Any] = np.mean,
    relative: bool = False,
    resamples: int = 500,
    seed: int = 1,
) -> Floats:
    """The form's numbers, fitted anew to resampled runs: an array of resamples x numbers.

    runs: for each x the independent values measured there, two or more. Each resample draws as many of them
    with replacement, takes `of` (mean, median) and fits; relative: with sigma = that. The same seed gives the
    same draws. B. Efron, Annals of Statistics 7(1), 1979. A resample without a minimum is NaN. Raises
    SpecError.
    """
    x, groups = arguments.finite("x", arguments.row("x", x)), _groups(runs)
    if x.shape != (len(groups),):
        raise SpecError(f"x, runs: {x.size} points and {len(groups)} groups of runs: one group a point")
    for at, group in zip(x, groups, strict=True):
        if group.ndim != 1 or len(group) < 2 or not np.isfinite(group).all():
            raise SpecError(f"runs at {at:g}: two finite values or more; here: {arguments.shown(group)}")
    rng = np.random.default_rng(arguments.count("seed", seed))
    _form(form)
    arguments.function("of", of, "such as numpy.mean")
    arguments.flag("relative", relative)
    resamples = arguments.count("resamples", resamples, 1)
    found = np.full((resamples, len(form.parameters)), np.nan)
    for row in found:
        y = np.array([of(rng.choice(group, len(group))) for group in groups])
        try:
            row[:] = fit(form, x, y, y if relative else None).values
        except SpecError:
            continue
    return found


def interval(values: Any, value: float, of: str = "resamples") -> estimate.Estimate:
    """The percentile interval, 2.5 to 97.5 %, of what `bootstrap` gave for one number. Missing ones count as
    beyond both ends: a quarter of them makes it infinite. Raises SpecError for an empty array."""
    x, value = arguments.array("values", values), arguments.scalar(arguments.finite, "value", value)
    arguments.text("of", of)
    if x.ndim != 1 or not len(x):
        raise SpecError("values: one number per resample; here none or a table: take a column")
    low, high = (
        float(np.quantile(np.where(np.isnan(x), end, x), q, method="lower" if q < 0.5 else "higher"))
        for q, end in ((0.025, -np.inf), (0.975, np.inf))
    )
    return estimate.Estimate(value, low, high, len(x), "percentile bootstrap", of)


def leave_one_out(train: Train, x: Any, y: Any) -> Floats:
    """What a curve says of each point that was trained on all others: M. Stone, JRSS B 36(2), 1974.

    For the smallest and the largest x that is a guess beyond the points. Raises SpecError.
    """
    x, y, _ = points(x, y)
    arguments.function("train", train, "such as EXPONENTIAL.train or spline.cubic_spline")
    others = ~np.eye(len(x), dtype=bool)
    return np.array([float(train(x[rest], y[rest])(x[i])) for i, rest in enumerate(others)])


def sign_changes(values: Any) -> int:
    """How often a row of numbers changes its sign; zeros are skipped.

    The residuals of a least-squares fit, whatever the weights, are orthogonal to the form's derivatives. If
    these are a Chebyshev system of k functions, a row with fewer than k changes cannot be (S. Karlin and
    W. Studden, Tchebycheff Systems, 1966, chapter 1). Those of a + b exp(c x) are: 1, exp(c x), x exp(c x).
    So its residuals, sorted by x, change their sign three times or more, or all vanish. Raises SpecError
    for NaN, and for a table.
    """
    x = arguments.numbers("values", arguments.row("values", values))
    signs = np.sign(x[x != 0])
    return int((signs[1:] != signs[:-1]).sum())


def r_squared(y: Any, said: Any) -> float:
    """1 - sum (y - said)^2 / sum (y - mean)^2; negative where the mean says more. NaN if all y are alike.
    Raises SpecError."""
    y, said = arguments.finite("y", y), arguments.finite("said", said)
    if not y.size:
        raise SpecError("y: empty: must be a value or more")
    if y.shape != said.shape:
        raise SpecError(f"y, said: {y.shape} and {said.shape}: a value each")
    about = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - said) ** 2).sum()) / about if about else float("nan")


def points(x: Any, y: Any, sigma: Any = None) -> tuple[Floats, Floats, Floats]:
    """Points to fit to, as rows of equal length; sigma: above 0, ones if None. Raises SpecError."""
    if sigma is None:
        sigma = np.ones_like(arguments.array("y", y))
    x, y, sigma = arguments.rows(x=x, y=y, sigma=sigma)
    for name, row in (("x", x), ("y", y), ("sigma", sigma)):
        if not np.isfinite(row).all():
            raise SpecError(f"{name}: {row[~np.isfinite(row)][0]} is among its values: leave that point out")
    if (sigma <= 0).any():
        raise SpecError("sigma: must be above 0: a point without an error would be the only one that counts")
    return x, y, sigma


def _form(form: Form) -> None:
    if not isinstance(form, Form):
        raise SpecError(f"form={arguments.shown(form)}: must be a Form, such as EXPONENTIAL or POWER_LAW")


def _groups(runs: Sequence[Any]) -> list[Floats]:
    if isinstance(runs, str) or not hasattr(runs, "__iter__"):
        raise SpecError(f"runs={arguments.shown(runs)}: must be a list of groups of runs, one group a point")
    return [arguments.array("runs", group) for group in runs]
