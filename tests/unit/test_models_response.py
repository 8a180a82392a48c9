"""Response functions and recovery times against the figures that RFC 3649, RFC 9438 and papers print."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import highspeed, response

P = 10.0 ** -np.arange(2, 9)
RFC3649_TABLE_1 = [12, 38, 120, 379, 1200, 3795, 12000]  # Reno; also RFC 9438, tables 1 and 2
RFC3649_TABLE_2 = [12, 38, 263, 1795, 12279, 83981, 574356]
RFC9438_TABLE_1 = {  # RTT 0.1 s
    0.04: [12, 38, 120, 593, 3332, 18740, 105383],
    0.4: [12, 38, 187, 1054, 5926, 33325, 187400],
    4: [12, 59, 333, 1874, 10538, 59261, 333250],
}
RFC9438_TABLE_2 = {  # RTT 0.01 s
    0.04: [12, 38, 120, 379, 1200, 3795, 18740],
    0.4: [12, 38, 120, 379, 1200, 5926, 33325],
    4: [12, 38, 120, 379, 1874, 10538, 59261],
}
RFC3649_APPENDIX_B = [  # window, a, b: each tenth row
    (38, 1, 0.50),
    (118, 2, 0.44),
    (1529, 10, 0.31),
    (5497, 21, 0.24),
    (11358, 31, 0.20),
    (19965, 41, 0.17),
    (32450, 51, 0.15),
    (51258, 61, 0.13),
    (84035, 71, 0.10),
]


def test_reno_is_mathis_with_its_two_constants() -> None:
    assert response.reno(1e-4) == pytest.approx(122.5, abs=0.1)  # 1.22, an ACK for each packet
    assert response.reno(1e-4, per_ack=2) == pytest.approx(86.6, abs=0.1)  # 0.87, delayed ACKs
    assert response.reno(P) == pytest.approx(RFC3649_TABLE_1, rel=0.025)  # the RFC has 1.2 for 1.22


def test_highspeed_has_the_windows_of_rfc_3649() -> None:
    assert response.highspeed(P) == pytest.approx(RFC3649_TABLE_2, abs=1)


@pytest.mark.parametrize(("w", "a", "b"), RFC3649_APPENDIX_B)
def test_highspeed_grows_and_is_cut_as_in_appendix_b(w: int, a: int, b: float) -> None:
    assert highspeed.linux_increase(w, per_ack=1) == a
    assert highspeed.decrease(w) == pytest.approx(b, abs=0.005)
    assert highspeed.increase(w) == pytest.approx(
        a, rel=0.03
    )  # the table's windows are rounded, step by step


def test_highspeed_loses_its_rates_where_the_window_is() -> None:
    assert highspeed.loss_rate(highspeed.HIGH_WINDOW) == pytest.approx(highspeed.HIGH_P)
    assert highspeed.loss_rate(1000) == pytest.approx(0.078 / 1000**1.2, rel=0.02)  # its rounded formula


@pytest.mark.parametrize("c", RFC9438_TABLE_1)
def test_cubic_has_the_windows_of_rfc_9438(c: float) -> None:
    assert response.cubic(P, 0.1, c) == pytest.approx(RFC9438_TABLE_1[c], abs=1, rel=1e-4)
    assert response.cubic(P, 0.01, c) == pytest.approx(RFC9438_TABLE_2[c], abs=1, rel=1e-4)


def test_scalable_is_kellys_law_and_its_mean_is_six_per_cent_lower() -> None:
    assert response.scalable(1e-4) == pytest.approx(800)
    mean = response.periodic(1e-4, *response.mimd_rules())
    assert mean / response.scalable(1e-4) == pytest.approx(0.125 / np.log(8 / 7), rel=1e-3)


def test_linuxs_scalable_is_a_reno_that_is_cut_by_an_eighth_below_a_window_of_100() -> None:
    mean = response.periodic(1 / 500, *response.linux_scalable_rules())
    assert mean == pytest.approx(response.aimd(1 / 500, b=0.125), rel=1e-3)
    assert response.periodic(1e-4, *response.linux_scalable_rules()) == pytest.approx(749, rel=1e-3)


def test_periodic_gives_reno_the_law_of_mathis() -> None:
    assert response.periodic(P, *response.aimd_rules()) == pytest.approx(response.reno(P), rel=1e-3)


def test_highspeeds_rules_give_the_response_function_that_they_were_made_for() -> None:
    p = P[2:6]  # above the table's first row and within it; the table rounds a(w) up, and losses are even
    found = response.periodic(p, *response.highspeed_rules()) / response.highspeed(p)
    assert found.min() > 0.95 and found.max() < 1.2


def test_bics_straight_stretch_gives_the_square_root_law_of_its_paper() -> None:
    # if b W_max is many times s_max, the mean is sqrt(s_max (2 - b) / (2 b p)): its section IV
    assert response.bic(1e-7) == pytest.approx(response.aimd(1e-7, a=32, b=0.125), rel=0.1)
    assert response.bic(0.02) == pytest.approx(response.reno(0.02))


def test_linuxs_bic_takes_35_round_trips_for_its_last_seven_segments() -> None:
    # a top of 34: a loss leaves 27, and 27 + 28 + ... + 33 segments, 5 round trips each, make a tooth
    sent = 5 * sum(range(27, 34))
    assert response.linux_bic(1 / sent, counted=1) == pytest.approx(sent / 35)
    assert response.linux_bic(2 / sent, counted=2) == pytest.approx(sent / 35)


def test_linuxs_bic_is_the_search_of_its_paper_but_for_whole_numbers() -> None:
    p = np.array([1e-5, 1e-6])  # the last seven segments are few of so many
    search = response.bic(p, s_max=16, s_min=1, b=0.2, divide=4)
    assert response.linux_bic(p, counted=1, least=1) == pytest.approx(search, rel=0.06)


def test_recovery_times_are_kellys() -> None:
    # 1500 bytes, 200 ms, at 1 Mbit/s to 1 Gbit/s: 1.7 s, 17 s, 2.8 minutes, 28 minutes; Scalable 2.7 s at all
    w = np.array([1e6, 1e7, 1e8, 1e9]) * 0.2 / 12_000
    reno = response.recovery_time(w, 0.2, *response.aimd_rules())
    assert reno == pytest.approx([1.7, 17, 168, 1680], rel=0.03)
    scalable = response.recovery_time(w, 0.2, *response.mimd_rules())
    assert scalable == pytest.approx([2.7] * 4, abs=0.05)


def test_recovery_time_takes_a_number_and_an_array() -> None:
    one = response.recovery_time(1000.0, 0.1, *response.highspeed_rules())
    both = response.recovery_time(np.array([1000.0, 2000.0]), 0.1, *response.highspeed_rules())
    assert one == pytest.approx(both[0]) and both.shape == (2,)


def test_rate_is_a_window_per_round_trip() -> None:
    assert response.rate(1000, 0.1) == pytest.approx(8 * 1448 * 1000 / 0.1)
