"""Estimates against scipy, published values and simulation: intervals hold the truth as often as they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from labkit.models.estimate import Estimate
from labkit.models.estimates import difference, mean, paired, paired_ratio, ratio, share

A = [9.1, 8.7, 9.4, 9.0, 8.8, 9.3]
B = [7.9, 8.1, 8.4, 7.7, 8.0, 8.6]
TRIALS = 4000
CLOSE = 3 * (0.95 * 0.05 / TRIALS) ** 0.5  # three deviations


def interval(found: Estimate) -> tuple[float, float]:
    return found.low, found.high


def test_a_mean_has_the_t_interval_of_scipy() -> None:
    found = mean(A)
    known = stats.ttest_1samp(A, 0).confidence_interval()
    assert found.value == pytest.approx(np.mean(A))
    assert interval(found) == pytest.approx((known.low, known.high))


def test_pairs_have_the_interval_of_their_differences() -> None:
    known = stats.ttest_rel(A, B).confidence_interval()
    assert interval(paired(A, B)) == pytest.approx((known.low, known.high))


def test_a_difference_has_the_interval_of_welch() -> None:
    known = stats.ttest_ind(A, B[:4], equal_var=False).confidence_interval()
    assert interval(difference(A, B[:4])) == pytest.approx((known.low, known.high))


def test_a_share_has_the_interval_of_wilson_as_published() -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    for k, n, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)]:
        assert interval(share(k, n)) == pytest.approx((low, high), abs=5e-5)


def normal(rng: np.random.Generator, centre: float, n: int) -> np.ndarray:
    return rng.normal(centre, 0.1 * centre, n)


@pytest.mark.parametrize(
    ("estimate", "sizes", "truth"),
    [
        (lambda x, y: mean(x), (6, 2), 3),
        (paired, (6, 6), 1),
        (difference, (5, 9), 1),
        (ratio, (5, 9), 1.5),
    ],
    ids=["mean", "paired", "difference", "ratio"],
)
def test_95_of_100_intervals_hold_the_truth(
    estimate: Callable[..., Estimate], sizes: tuple[int, int], truth: float
) -> None:
    rng = np.random.default_rng(1)
    held = [
        not estimate(normal(rng, 3, sizes[0]), normal(rng, 2, sizes[1])).excludes(truth)
        for _ in range(TRIALS)
    ]
    assert np.mean(held) == pytest.approx(0.95, abs=CLOSE)


def test_95_of_100_intervals_of_a_ratio_of_pairs_hold_the_truth() -> None:
    rng = np.random.default_rng(1)
    held = []
    for _ in range(TRIALS):
        common = rng.lognormal(0, 1, 8)  # what both of a pair have from their seed
        a, b = (factor * common * rng.lognormal(0, 0.2, 8) for factor in (3, 2))
        held.append(not paired_ratio(a, b).excludes(1.5))
    assert np.mean(held) == pytest.approx(0.95, abs=CLOSE)


def test_pairing_finds_what_the_seeds_scatter_hides() -> None:
    rng = np.random.default_rng(1)
    common = rng.normal(10, 3, 12)
    a, b = common + 0.5 + rng.normal(0, 0.1, 12), common
    assert paired(a, b).above(0) and not difference(a, b).excludes(0)


def test_series_are_paired_by_their_index() -> None:
    a = pd.Series(A, index=range(6))
    b = pd.Series(B, index=range(6))
    assert paired(a, b.iloc[::-1]) == paired(a, b) == paired(A, B)


def test_a_missing_run_is_refused_by_name() -> None:
    a = pd.Series([1.0, np.nan, 3.0], index=["seed 4", "seed 5", "seed 6"])
    with pytest.raises(ValueError, match=r"values: no number at seed 5 \(3 values\)"):
        mean(a)
    with pytest.raises(ValueError, match="a, b: seed 5: in one of them only"):
        paired(a, a.dropna())
    with pytest.raises(ValueError, match="6 and 5 values"):
        paired(A, B[:5])


@pytest.mark.parametrize("values", [[], [1.0], 5.0, [[1.0, 2.0]]])
def test_one_run_has_no_interval(values: object) -> None:
    with pytest.raises(ValueError, match="two values or more"):
        mean(values)


def test_a_ratio_refuses_what_may_be_nothing() -> None:
    with pytest.raises(ValueError, match="b: 0 is among them"):
        ratio([1, 2], [0, 1])


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2), (0, 0), (0.5, 2)])
def test_a_share_is_some_of_some(k: int, n: int) -> None:
    with pytest.raises(ValueError, match=r"share\(7, 12\)"):
        share(k, n)


def test_an_estimate_says_itself() -> None:
    assert str(Estimate(4.1234, 3.8, 4.4468, 12, "Student's t")) == "4.1 ± 0.3 (95 %, Student's t, 12 runs)"
    assert str(Estimate(4.1234, 4.1109, 4.1359, 12, "t")) == "4.123 ± 0.013 (95 %, t, 12 runs)"
    assert str(Estimate(1523.4, 1200.0, 1900.0, 5, "t")) == "1523, 1200 to 1900 (95 %, t, 5 runs)"
    assert str(share(7, 12)) == "7 of 12 runs (58 %, 32 to 81 %)"
    assert str(share(0, 10_000, of="packets")) == "0 of 10000 packets (0.000 %, 0.000 to 0.038 %)"


def test_bounds_are_held_by_the_whole_interval() -> None:
    found = Estimate(4.0, 3.5, 4.5, 9, "t")
    assert found.above(3.4) and not found.above(3.5)
    assert found.below(4.6) and not found.below(4.5)
    assert found.within(3.5, 4.5) and not found.within(3.6, 5)
    assert found.excludes(3.4) and found.excludes(4.6) and not found.excludes(4)


def test_runs_that_are_all_alike_have_no_width() -> None:
    assert interval(mean([2.0, 2.0, 2.0])) == (2, 2)
    assert interval(difference([2.0, 2.0], [1.0, 1.0])) == (1, 1)
    assert str(mean([2.0, 2.0])) == "2.000 ± 0.000 (95 %, Student's t, 2 runs)"
