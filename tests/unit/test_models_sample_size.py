"""How many runs a claim needs, against J. Cohen, A power primer, Psychol. Bulletin 112(1), 1992, table 2."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import sample_size
from labkit.models.intervals import t_half_width

POWER_PRIMER = {0.2: 393, 0.5: 64, 0.8: 26}  # difference of two means, alpha 0.05, power 0.80


@pytest.mark.parametrize(("effect", "runs"), POWER_PRIMER.items())
def test_two_means_take_cohens_number_of_runs(effect: float, runs: int) -> None:
    assert sample_size.runs_to_tell(effect) == pytest.approx(runs, abs=1)  # he rounds, we never down
    assert sample_size.power_to_tell(effect, sample_size.runs_to_tell(effect)) >= 0.8
    assert sample_size.power_to_tell(effect, runs - 2) < 0.8


def test_power_is_how_often_students_t_finds_it() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, (4000, 12)), rng.normal(1, 1, (4000, 12))
    t = (b.mean(1) - a.mean(1)) / np.sqrt((a.var(1, ddof=1) + b.var(1, ddof=1)) / 12)
    found = (abs(t) > 2.0739).mean()  # t(22)
    assert sample_size.power_to_tell(1, 12) == pytest.approx(found, abs=0.025)  # three standard errors


def test_pairs_need_fewer_where_the_difference_is_as_large() -> None:
    assert sample_size.pairs_to_tell(0.5) == 34  # one-sample t, d = 0.5, power 0.8
    assert sample_size.pairs_to_tell(0.5) < sample_size.runs_to_tell(0.5)


def test_the_interval_is_as_narrow_as_was_asked() -> None:
    n = sample_size.runs_for_interval(0.5, 0.1)
    assert t_half_width(0.5, n) <= 0.1 < t_half_width(0.5, n - 1)
    assert n == pytest.approx((1.96 * 0.5 / 0.1) ** 2, abs=4)  # the normal's 96, and t's little more


def test_large_effects_need_the_least_number_there_is() -> None:
    assert sample_size.runs_to_tell(1000) == 2 and sample_size.runs_for_interval(1e-9, 0.1) == 2


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf")])
def test_what_is_no_effect_is_refused(bad: float) -> None:
    for law in (
        sample_size.runs_to_tell,
        sample_size.pairs_to_tell,
        lambda x: sample_size.power_to_tell(x, 5),
    ):
        with pytest.raises(ValueError, match="effect="):
            law(bad)
    with pytest.raises(ValueError, match="cv"):
        sample_size.runs_for_interval(bad, 0.1)
    with pytest.raises(ValueError, match="half_width"):
        sample_size.runs_for_interval(0.1, bad)


def test_what_cannot_be_reached_is_refused() -> None:
    for power in (0, 0.05, 1, float("nan")):
        with pytest.raises(ValueError, match=r"between 0\.05"):
            sample_size.runs_to_tell(0.5, power)
    with pytest.raises(ValueError, match="2 or more"):
        sample_size.power_to_tell(0.5, 1)
    with pytest.raises(ValueError, match="too small"):
        sample_size.runs_to_tell(1e-6)
