"""CUBIC's and H-TCP's window laws, as pure functions: their fixed points, joints and bounds."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import cubic, htcp


def test_w_cubic_begins_at_the_epochs_window_and_is_back_at_w_max_after_k() -> None:
    k = cubic.k(1000, 700)
    assert k == pytest.approx((300 / 0.4) ** (1 / 3))
    assert cubic.w_cubic(0, 1000, 700) == pytest.approx(700)
    assert cubic.w_cubic(k, 1000, 700) == pytest.approx(1000)


def test_w_cubic_is_as_far_above_w_max_after_k_as_it_was_below_before() -> None:
    k = cubic.k(1000, 700)
    assert cubic.w_cubic(2 * k, 1000, 700) == pytest.approx(1300)


def test_alpha_gives_a_sawtooth_the_mean_of_renos_at_the_same_loss() -> None:
    # A tooth from b W to W lasts (1-b) W / alpha round trips and has the mean (1+b) W / 2: so many packets.
    def mean(beta: float, alpha: float, packets: float = 600) -> float:
        top = np.sqrt(packets * 2 * alpha / (1 - beta**2))
        return float((1 + beta) * top / 2)

    assert mean(cubic.BETA, cubic.alpha()) == pytest.approx(mean(0.5, 1))
    assert cubic.alpha() == pytest.approx(9 / 17)


def test_w_est_grows_by_one_per_round_trip_beyond_the_window_of_the_loss() -> None:
    trips = (100 - 70) / cubic.alpha()
    t = np.array([0, trips, trips + 10]) * 0.02
    assert cubic.w_est(t, 70, 0.02, w_prior=100) == pytest.approx([70, 100, 110])
    assert cubic.w_est(t, 70, 0.02)[2] == pytest.approx(100 + 10 * cubic.alpha())


def test_the_window_is_the_larger_of_the_two() -> None:
    assert cubic.window(1.0, 100, 70, 0.01) == pytest.approx(cubic.w_est(1.0, 70, 0.01))
    assert cubic.window(1.0, 100, 70, 1.0) == pytest.approx(cubic.w_cubic(1.0, 100, 70))


@pytest.mark.parametrize(("w_loss", "aim"), [(232, 197.2), (400, 400)])
def test_fast_convergence_aims_lower_only_below_the_last_w_max(w_loss: float, aim: float) -> None:
    assert cubic.next_w_max(w_loss, 307) == pytest.approx(aim)


def test_htcp_is_reno_for_a_second_and_hurries_then() -> None:
    assert htcp.alpha([0, 0.5, 1]) == pytest.approx([1, 1, 1])
    assert htcp.alpha(3) == pytest.approx(1 + 10 * 2 + 1)


def test_htcps_alpha_makes_up_for_a_smaller_cut() -> None:
    assert htcp.alpha(3, beta=0.8) == pytest.approx(0.4 * htcp.alpha(3, beta=0.5))


@pytest.mark.parametrize(("rtt", "factor"), [(0.1, 1), (0.05, 0.5), (0.001, 0.1), (1.0, 2)])
def test_htcps_round_trip_scaling_is_bounded(rtt: float, factor: float) -> None:
    assert htcp.alpha(5, rtt=rtt) == pytest.approx(factor * htcp.alpha(5))


def test_htcps_scaling_never_falls_below_reno() -> None:
    assert htcp.alpha(0.5, rtt=0.001) == 1


@pytest.mark.parametrize(("most", "kept"), [(0.051, 0.8), (0.075, 2 / 3), (0.2, 0.5)])
def test_htcps_beta_empties_the_queue_within_its_bounds(most: float, kept: float) -> None:
    assert htcp.beta(0.05, most) == pytest.approx(kept)


def test_htcps_window_adds_up_alpha() -> None:
    t = np.linspace(0, 3, 3001)
    grown = 1 + 2 + 10 * 2**2 / 2 + 2**3 / 12  # the integral of alpha over three seconds
    assert htcp.window(t, 100, 0.1)[-1] == pytest.approx(100 + grown / 0.1, rel=1e-4)


def test_linux_takes_one_ack_more_per_step() -> None:
    assert htcp.linux_alpha(0.5, 4, 0.01, per_ack=1) == pytest.approx(4 / 5)
    assert htcp.linux_alpha(0.5, 4, 0.01, per_ack=2) == pytest.approx(4 / 6)
    assert htcp.linux_alpha(5, 1e6, 0.1) == pytest.approx(np.floor(htcp.alpha(5)), rel=1e-3)


def test_linux_divides_htcps_growth_by_eighths_of_100_ms_over_the_round_trip() -> None:
    f = np.floor(1 + 10 * 4 + 2**2)
    assert htcp.linux_alpha(5, 1e6, 0.0945) == pytest.approx(f, rel=1e-3)  # 95 ms: 8.4 eighths, so 8
    assert htcp.linux_alpha(5, 1e6, 0.1004) == pytest.approx(np.floor(8 * f / 7), rel=1e-3)  # 101 ms
    assert htcp.linux_alpha(5, 1e6, 0.3) == pytest.approx(2 * f, rel=1e-3)
    assert htcp.linux_alpha(5, 1e6, 0.005) == pytest.approx(np.floor(f / 10), rel=1e-3)
