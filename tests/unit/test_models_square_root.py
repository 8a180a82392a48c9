"""The square-root law against the constants of its paper, its own random process, and RFC 3649's windows."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.errors import LabkitError
from labkit.models import arguments, response
from labkit.models import square_root as law

MATHIS_TABLE_1 = {("periodic", 1): 1.22, ("periodic", 2): 0.87, ("random", 1): 1.31, ("random", 2): 0.93}


@pytest.mark.parametrize(("loss", "per_ack"), MATHIS_TABLE_1)
def test_the_four_constants_are_those_of_table_1(loss: law.Loss, per_ack: float) -> None:
    assert law.constant(loss, per_ack) == pytest.approx(MATHIS_TABLE_1[loss, per_ack], abs=0.005)


def test_the_random_constant_is_that_of_ott_kemperman_and_mathis() -> None:
    assert law.constant("random") == pytest.approx(1.3098, abs=0.00005)


@pytest.mark.parametrize("left", [0.5, 0.75])
def test_the_random_constant_is_the_mean_of_the_process_that_it_is_of(left: float) -> None:
    chance = np.random.default_rng(17)
    half_squares, v = np.empty(200_000), 1.0  # w^2 / 2, after each packet gap of mean one
    for i in range(len(half_squares)):
        v += chance.exponential()
        half_squares[i] = v  # right before a loss: as a packet finds it
        v *= left**2
    mean = 1 / np.mean(1 / np.sqrt(2 * half_squares))
    assert mean == pytest.approx(law.constant("random", left=left), rel=0.01)  # 200,000 draws: 0.2 %


def test_the_periodic_constant_is_that_of_the_response_function() -> None:
    p = np.array([1e-4, 1e-2])
    assert law.window(p) == pytest.approx(response.reno(p))
    assert law.window(p, law.constant(per_ack=2)) == pytest.approx(response.reno(p, per_ack=2))


def test_rates_are_those_of_rfc_3649s_first_table() -> None:
    # 12, 38, 120 segments at 1 in 100, 1000, 10,000 (its constant is 1.2)
    assert law.window(np.array([1e-2, 1e-3, 1e-4])) == pytest.approx([12, 38, 120], rel=0.03)
    # 10 Gbit/s at 100 ms and 1500 bytes take a loss rate of 2e-10 (section 1)
    assert law.loss_rate(10e9, 0.1, 1500) == pytest.approx(2e-10, rel=0.1)


def test_a_rate_and_its_loss_rate_belong_together() -> None:
    p = np.geomspace(1e-6, 0.5, 7)
    assert law.loss_rate(law.rate(p, 0.05, 1460, 1.31), 0.05, 1460, 1.31) == pytest.approx(p)


def test_ten_times_the_round_trip_is_a_hundred_times_the_loss() -> None:
    assert law.rate(1e-4, 0.1) == pytest.approx(law.rate(1e-2, 0.01))


def test_a_round_trip_of_recovery_per_tooth_is_one_in_its_round_trips() -> None:
    p = 1e-3  # a tooth of 1000 packets and 38.7 packets per round trip: 25.8 round trips, then 26.8
    assert law.with_recovery(p) == pytest.approx(1000 / (1000 / law.window(p) + 1))
    assert law.with_recovery(p, trips=0) == pytest.approx(law.window(p))


def test_without_loss_there_is_no_bound() -> None:
    assert law.window(0) == law.rate(0, 0.1) == law.with_recovery(0) == np.inf


def test_of_all_lost_the_formula_still_has_its_value() -> None:
    assert law.window(1) == pytest.approx(1.2247, abs=1e-4)


def test_no_loss_rate_lies_above_one() -> None:
    assert law.loss_rate(1.0, 1.0) == 1


def test_arrays_of_shapes_that_fit_are_taken_together() -> None:
    assert law.rate(np.full((3, 1), 0.01), np.full(4, 0.1)).shape == (3, 4)


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan, [0.1, np.nan], "much", None])
def test_what_is_no_loss_rate_is_refused(p: object) -> None:
    with pytest.raises(LabkitError, match="p="):
        law.window(p)


@pytest.mark.parametrize("rtt", [0, -1, np.nan, np.inf])
def test_what_is_no_round_trip_is_refused(rtt: float) -> None:
    with pytest.raises(LabkitError, match="rtt="):
        law.rate(0.01, rtt)


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(LabkitError, match=r"p \(3,\), rtt \(2,\)"):
        law.rate(np.full(3, 0.01), np.full(2, 0.1))


@pytest.mark.parametrize(
    "wrong", [{"per_ack": 0}, {"left": 1}, {"left": -0.1}, {"left": np.nan}, {"loss": "burst"}]
)
def test_what_has_no_constant_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(LabkitError, match=f"{next(iter(wrong))}="):
        law.constant(**wrong)  # type: ignore[arg-type]


def test_from_zero_takes_nought_and_positive_does_not() -> None:
    assert arguments.from_zero("n", 0) == 0
    with pytest.raises(LabkitError, match="above 0"):
        arguments.positive("n", 0)
