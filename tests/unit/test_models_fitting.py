"""Least squares, forms, bootstrap, leave-one-out against certified and printed figures.

NIST: Statistical Reference Datasets, Nonlinear Regression (Misra1a, DanWood), certified values.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from labkit.models import exponential, fitting, power_law, spline
from labkit.models.exponential import EXPONENTIAL
from labkit.models.power_law import POWER_LAW, RISING

MISRA_Y = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78]
MISRA_X = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0]
DANWOOD_Y = [2.138, 3.421, 3.597, 4.340, 4.882, 5.660]
DANWOOD_X = [1.309, 1.471, 1.490, 1.565, 1.611, 1.680]
LOSS = np.array([0, 2, 5, 8, 10, 15.0])  # CAIA's, in per cent


def test_a_fit_has_nists_certified_values_and_standard_deviations() -> None:
    form = fitting.Form(
        "b1 (1 - exp(-b2 x))",
        ("b1", "b2"),
        lambda x, b1, b2: b1 * (1 - np.exp(-b2 * x)),
        lambda *_: (500, 1e-4),
    )  # NIST's first start
    found = fitting.fit(form, MISRA_X, MISRA_Y)
    assert found.values == pytest.approx([2.3894212918e02, 5.5015643181e-04], rel=1e-5)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([2.7070075241, 7.2668688436e-06], rel=1e-4)
    assert (found.residuals**2).sum() == pytest.approx(1.2455138894e-01, rel=1e-6)


def test_a_plain_power_law_has_nists_certified_values() -> None:
    found = power_law.fit_plain(DANWOOD_X, DANWOOD_Y)
    assert found.values == pytest.approx([7.6886226176e-01, -3.8604055871], rel=1e-6)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([1.8281973860e-02, 5.1726610913e-02], rel=1e-4)
    assert (found.residuals**2).sum() == pytest.approx(4.3173084083e-03, rel=1e-6)


def test_an_interval_is_students_t_times_the_standard_deviation() -> None:
    found = power_law.fit_plain(DANWOOD_X, DANWOOD_Y).estimates()["k"]
    assert found.high - found.value == pytest.approx(2.7764 * 1.8281973860e-02, rel=1e-3)  # t(4)


@pytest.mark.parametrize(
    "truth", [(0.2, 0.05, 0.3), (3, 0.4, 0.15), (-1, 2, 0.02), (1, 8, -0.2), (5, -3, -0.4)]
)
def test_the_exponential_is_found_again_whichever_way_it_bends(truth: tuple[float, float, float]) -> None:
    found = fitting.fit(EXPONENTIAL, LOSS, exponential.exponential(LOSS, *truth))
    assert found.values == pytest.approx(truth, rel=1e-5)
    assert found.r_squared == pytest.approx(1)
    assert found(0) == pytest.approx(truth[0] + truth[1])


def test_the_rising_power_law_is_found_again() -> None:
    found = fitting.fit(RISING, LOSS, power_law.rising(LOSS, 0.2, 0.03, 1.7))
    assert found.values == pytest.approx([0.2, 0.03, 1.7], rel=1e-5)


def test_a_fit_in_logs_is_cottrells_law_and_a_plain_one_follows_the_largest() -> None:
    x = np.array([0.1, 0.3, 1, 3, 10])
    y = power_law.power_law(x, *power_law.PINGER_FIT)
    assert y[2] == pytest.approx(1526.6)
    assert power_law.fit_in_logs(x, y) == pytest.approx(power_law.PINGER_FIT)
    y[0] *= 2  # a factor of two, once at the largest, once at the smallest
    high = power_law.fit_plain(x, y).values[1], power_law.fit_in_logs(x, y)[1]
    assert high[0] > high[1] + 0.05
    y[0], y[-1] = y[0] / 2, y[-1] / 2
    low = power_law.fit_plain(x, y).values[1], power_law.fit_in_logs(x, y)[1]
    assert low[0] == pytest.approx(0.66, abs=0.01) and low[1] > 0.7


def test_at_no_loss_the_law_is_infinite_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert power_law.power_law(0, 1, 0.5) == np.inf
        assert np.isnan(power_law.power_law(-1, 1, 0.5))
        assert np.isfinite(exponential.exponential([1e6], 0, 1, 1)).all()
        assert power_law.rising(0, 0.2, 1, 1.5) == 0.2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("relative", [False, True])
def test_residuals_of_the_exponential_change_their_sign_three_times(seed: int, relative: bool) -> None:
    rng = np.random.default_rng(seed)
    y = (0.2 + 0.05 * np.exp(0.3 * LOSS)) * rng.lognormal(0, 0.3, len(LOSS))
    try:
        found = fitting.fit(EXPONENTIAL, LOSS, y, y if relative else None)
    except ValueError:
        pytest.skip("no finite minimum: c runs away")
    if abs(found.values[2]) * 15 > 15:
        pytest.skip("a step at one point: its residual vanishes")
    assert fitting.sign_changes(found.residuals) >= 3, seed


def test_no_weights_make_two_sign_changes_a_fit() -> None:
    """CAIA's pattern at 6, 15 and 25 Mbit/s: for no growth c are there weights that balance it."""
    from scipy.optimize import linprog

    signs = np.array([1, -1, -1, 1, 1, 1.0])
    for c in np.concatenate((np.geomspace(0.01, 0.6, 40), -np.geomspace(0.01, 0.6, 40))):
        basis = np.column_stack((np.ones(6), np.exp(c * LOSS), LOSS * np.exp(c * LOSS)))
        basis /= abs(basis).max(axis=0)
        found = linprog(
            np.zeros(6), A_eq=(signs[:, None] * basis).T, b_eq=np.zeros(3), bounds=[(1e-3, 1e6)] * 6
        )
        assert found.status == 2, c  # infeasible
    three = np.array([1, -1, -1, 1, 1, -1.0])
    basis = np.column_stack((np.ones(6), np.exp(0.1 * LOSS), LOSS * np.exp(0.1 * LOSS)))
    found = linprog(np.zeros(6), A_eq=(three[:, None] * basis).T, b_eq=np.zeros(3), bounds=[(1e-3, 1e6)] * 6)
    assert found.status == 0


def test_sign_changes_are_counted_and_zeros_skipped() -> None:
    assert [fitting.sign_changes(row) for row in ([1, 1], [1, 0, -1], [1, -1, -1, 1, 1, 1], [], [0])] == [
        0,
        1,
        2,
        0,
        0,
    ]


def test_the_bootstrap_holds_the_truth_and_repeats_itself() -> None:
    rng = np.random.default_rng(3)
    runs = [rng.normal(0.2 + 0.05 * np.exp(0.3 * x), 0.05, 20) for x in LOSS]
    found = fitting.bootstrap(EXPONENTIAL, LOSS, runs, resamples=200)
    again = fitting.bootstrap(EXPONENTIAL, LOSS, runs, resamples=200)
    assert np.array_equal(found, again, equal_nan=True)
    c = fitting.interval(found[:, 2], 0.3)
    assert c.low < 0.3 < c.high and c.high - c.low < 0.1 and c.n == 200


def test_the_bootstraps_deviation_of_a_mean_is_the_standard_error() -> None:
    """A form with one number, the mean: s / sqrt(n), the formula of Efron 1979, section 2."""
    flat = fitting.Form("m", ("m",), lambda x, m: m + 0 * x, lambda x, y, _: (float(y.mean()),))
    values = np.array([1.0, 2, 4, 8, 16, 32])
    found = fitting.bootstrap(flat, [0.0], [values], resamples=3000)
    assert found.std() == pytest.approx(values.std() / np.sqrt(6), rel=0.05)  # 3000 resamples: 1.3 %


def test_missing_resamples_widen_the_interval_on_both_sides() -> None:
    values = np.append(np.arange(95.0), [np.nan] * 5)
    found = fitting.interval(values, 47)
    assert found.low == -np.inf and found.high == np.inf
    assert fitting.interval(np.arange(100.0), 50).low == pytest.approx(2, abs=1)


def test_a_point_left_out_is_said_by_the_others() -> None:
    y = exponential.exponential(LOSS, 0.2, 0.05, 0.3)
    assert fitting.leave_one_out(EXPONENTIAL.train, LOSS, y) == pytest.approx(y, rel=1e-3)
    lines = fitting.leave_one_out(spline.straight_lines, LOSS, 2 * LOSS)
    assert lines == pytest.approx(2 * LOSS)
    bent = fitting.leave_one_out(spline.cubic_spline, LOSS, y)
    assert bent[-1] < y[-1]  # beyond the points it goes straight on


def test_a_spline_goes_through_its_points_and_straight_on() -> None:
    curve = spline.cubic_spline([0, 1, 3], [0, 1, 9])
    assert curve([0, 1, 3]) == pytest.approx([0, 1, 9])
    assert curve(5) - curve(4) == pytest.approx(curve(4) - curve(3))


def test_r_squared_is_one_for_the_points_and_zero_for_the_mean() -> None:
    assert fitting.r_squared([1, 2, 3], [1, 2, 3]) == 1
    assert fitting.r_squared([1, 2, 3], [2, 2, 2]) == 0
    assert fitting.r_squared([1, 2, 3], [3, 2, 1]) == -3
    assert np.isnan(fitting.r_squared([2, 2], [2, 2]))


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("x", "y", "sigma", "said"),
    [
        ([0, 1, 2], [1, 2], None, "equal length"),
        ([[0, 1, 2]], [[1, 2, 3]], None, "equal length"),
        ([0, 1, 2], [1, 2, 3], [1, 2], "equal length"),
        ([0, 1, NAN], [1, 2, 3], None, "x: nan"),
        ([0, 1, 2], [1, INF, 3], None, "y: inf"),
        ([0, 1, 2], [1, 2, 3], [1, 0, 1], "above 0"),
        ([0, 1, 2], [1, 2, 3], [1, -1, 1], "above 0"),
        ([0, 1], [1, 2], None, "2 different points"),
        ([1, 1, 1], [1, 2, 3], None, "1 different points"),
    ],
)
def test_what_cannot_be_fitted_is_refused(x: object, y: object, sigma: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        fitting.fit(EXPONENTIAL, x, y, sigma)


def test_what_a_model_cannot_take_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        power_law.fit_in_logs([0, 1], [1, 2])
    with pytest.raises(ValueError, match="two different"):
        power_law.fit_in_logs([1, 1], [1, 2])
    with pytest.raises(ValueError, match="rows of equal"):
        power_law.fit_in_logs([1, 2], [1])
    with pytest.raises(ValueError, match="below 0"):
        fitting.fit(RISING, [-1, 1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="one group a point"):
        fitting.bootstrap(POWER_LAW, [1, 2], [[1, 2]])
    with pytest.raises(ValueError, match="two finite values"):
        fitting.bootstrap(POWER_LAW, [1, 2], [[1, 2], [3]])
    with pytest.raises(ValueError, match="two finite values"):
        fitting.bootstrap(POWER_LAW, [1, 2], [[1, NAN], [3, 4]])
    with pytest.raises(ValueError, match="values=nan at 1"):
        fitting.sign_changes([1, NAN])
    with pytest.raises(ValueError, match="take a column"):
        fitting.interval([[1, 2]], 1)
    with pytest.raises(ValueError, match="a value each"):
        fitting.r_squared([1, 2], [1])
    for curve in (spline.cubic_spline, spline.straight_lines):
        with pytest.raises(ValueError, match="no value twice"):
            curve([1, 1, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="finite"):
            curve([1, NAN, 2], [1, 2, 3])
        with pytest.raises(ValueError, match="equal length"):
            curve([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="three or more"):
        spline.cubic_spline([1, 2], [1, 2])
