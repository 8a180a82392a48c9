"""Cottrell's rules against the figures of his page (book/data/cottrell.json has them, too)."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.errors import LabkitError
from labkit.models import cottrell, square_root

KM = [10, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000]
MS = [0.25, 1.25, 2.5, 6.25, 12.5, 25, 62.5, 125, 250, 625]


def test_round_trips_of_distances_are_those_of_his_chart() -> None:
    assert 1000 * cottrell.rtt(KM) == pytest.approx(MS)


def test_alpha_undoes_it() -> None:
    assert cottrell.alpha(KM, 1e-3 * np.array(MS)) == pytest.approx([cottrell.ALPHA] * len(KM))


def test_100_km_a_millisecond_are_two_thirds_of_light() -> None:
    km_s = 2 * cottrell.KM_PER_MS * 1000  # there and back
    assert km_s / cottrell.LIGHT_KM_S == pytest.approx(2 / 3, rel=0.001)


def test_half_a_ping_of_a_year_is_his_2_85_in_a_million() -> None:
    assert cottrell.PINGS_A_YEAR == 175_200
    assert cottrell.half_a_packet() == pytest.approx(2.85e-6, rel=0.002)


def test_a_window_of_128_kb_is_ten_megabit_at_100_ms() -> None:
    assert cottrell.window_rate(131_072, 0.1) == pytest.approx(10.5e6, rel=0.002)


@pytest.mark.parametrize(
    ("p", "name"),
    [(0, "good"), (0.01, "good"), (0.02, "acceptable"), (0.05, "poor"), (0.12, "very poor"), (0.121, "bad")],
)
def test_bands_have_their_upper_end(p: float, name: str) -> None:
    assert cottrell.band(p) == name


def test_bands_of_an_array_are_an_array() -> None:
    assert cottrell.band(np.array([[0, 1]])).tolist() == [["good", "bad"]]


def test_ten_per_cent_a_month_is_almost_seven_times_the_rate_in_three_years() -> None:
    left = cottrell.improved(0.025, 0.1, 36) / 0.025
    assert left == pytest.approx(0.0225, abs=5e-5)  # 0.9^36
    rates = square_root.rate(np.array([0.025 * left, 0.025]), 0.1, 1460, 1)
    assert rates[0] / rates[1] == pytest.approx(6.66, abs=0.01)  # 0.9^-18


def test_twice_the_rate_takes_a_quarter_of_the_loss() -> None:
    months = cottrell.months_until(2, np.array([0.02, 0.09]))
    assert months == pytest.approx([68.6, 14.7], abs=0.05)
    assert cottrell.improved(1, 0.09, months[1]) == pytest.approx(0.25)


def test_what_never_improves_never_gets_there_and_what_is_there_needs_no_time() -> None:
    assert cottrell.months_until(2, 0) == np.inf
    assert cottrell.months_until(1, 0) == cottrell.months_until(2, 1) == 0


@pytest.mark.parametrize(
    ("call", "of"),
    [
        (lambda: cottrell.rtt(-1), "km"),
        (lambda: cottrell.rtt(np.nan), "km"),
        (lambda: cottrell.rtt(10, alpha=0), "alpha"),
        (lambda: cottrell.alpha(10, 0), "rtt"),
        (lambda: cottrell.band(1.01), "p"),
        (lambda: cottrell.band(np.nan), "p"),
        (lambda: cottrell.half_a_packet(0), "sent"),
        (lambda: cottrell.window_rate(0, 0.1), "wmax"),
        (lambda: cottrell.window_rate(1, 0), "rtt"),
        (lambda: cottrell.improved(0.1, 1.5, 1), "monthly"),
        (lambda: cottrell.improved(0.1, 0.5, -1), "months"),
        (lambda: cottrell.months_until(0.5, 0.1), "factor"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(call: object, of: str) -> None:
    with pytest.raises(LabkitError, match=f"{of}="):
        call()  # type: ignore[operator]


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(LabkitError, match=r"p \(3,\), monthly \(2,\)"):
        cottrell.improved(np.full(3, 0.01), np.full(2, 0.1), 1)
