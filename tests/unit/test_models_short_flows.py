"""Cardwell, Savage, Anderson: each mean against the sum that it stands for, and windows by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from labkit.errors import SpecError
from labkit.models import padhye, short_flows


@pytest.mark.parametrize("p", [0.0, 0.01, 0.1, 0.3])
def test_the_handshake_is_the_mean_over_all_losses(p: float) -> None:
    """Equations 1 to 3: i SYNs and j SYN-ACKs get lost, which takes (2^i - 1) Ts and (2^j - 1) Ts."""
    waits = sum((1 - p) * p**i * (2**i - 1) for i in range(200))
    assert short_flows.handshake(0.1, p, 0) == pytest.approx(0.1 + 3 * waits)
    assert short_flows.handshake(0.1, p, p) == pytest.approx(0.1 + 6 * waits)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.3])
def test_linux_sends_five_syns_a_second_apart(p: float) -> None:
    """Documentation/networking/ip-sysctl.rst, tcp_syn_linear_timeouts = 4: 1, 1, 1, 1, 1, 2, 4 s."""
    waits = [1, 1, 1, 1, 1, *(2.0**k for k in range(1, 100))]
    mean = sum(p ** (i + 1) * wait for i, wait in enumerate(waits))
    assert short_flows.handshake(0.1, p, 0, timeout=1, linear=4) == pytest.approx(0.1 + mean)


def test_half_the_syns_lost_takes_for_ever() -> None:
    assert short_flows.handshake(0.1, 0.5, 0) == np.inf
    assert short_flows.handshake(0.1, 1, 0, timeout=1, linear=4) == np.inf


@pytest.mark.parametrize(("d", "p"), [(10, 0.01), (10, 0.3), (200, 0.02), (1, 0.1)])
def test_slow_start_data_is_the_sum_of_equation_5(d: int, p: float) -> None:
    """What arrives before the first loss, or all of it; and the lost one, which the closed form always
    counts."""
    before = sum((1 - p) ** k * p * k for k in range(d)) + (1 - p) ** d * d
    assert short_flows.slow_start_data(d, p) == pytest.approx(min(before + 1, d))


def test_without_loss_all_is_slow_start() -> None:
    assert short_flows.slow_start_data(50, 0) == 50
    assert short_flows.slow_start_data(50, 1) == pytest.approx(1)


def test_slow_start_by_hand() -> None:
    """1, 2, 4 packets are three round trips and leave a window of 4; with an ACK for two, 2, 3, 4.5."""
    assert short_flows.slow_start_time(7, 1.0, first=1) == pytest.approx(3)
    assert short_flows.slow_start_window(7, first=1) == pytest.approx(4)
    assert short_flows.slow_start_time(9.5, 1.0, first=2, gamma=1.5) == pytest.approx(3)
    assert short_flows.slow_start_window(9.5, first=2, gamma=1.5) == pytest.approx(4.5)


def test_the_initial_windows_of_the_rfcs_save_round_trips() -> None:
    """RFC 3390, section 3: 4 kB in one round trip. RFC 6928, section 1: ten packets, 15 kB, in one."""
    assert short_flows.slow_start_time(3, 1.0, first=3) == pytest.approx(1)
    assert short_flows.slow_start_time(10, 1.0, first=10) == pytest.approx(1)
    assert short_flows.slow_start_time(10, 1.0, first=1) == pytest.approx(np.log2(11))


def test_a_limit_of_the_window_is_met_halfway() -> None:
    """1, 2, 4, then 4 per round trip: 15 packets take 5."""
    assert short_flows.slow_start_time(15, 1.0, first=1, wmax=4) == pytest.approx(5)
    assert short_flows.slow_start_time(7, 1.0, first=1, wmax=4) == pytest.approx(3)


def test_one_packet_that_gets_lost_waits_for_its_timer() -> None:
    assert short_flows.loss_time(1, 0.1, 0.1, 1.0, 1) == pytest.approx(0.1 * padhye.series_length(0.1, 1.0))
    assert short_flows.loss_time(10, 0, 0.1, 1.0, 10) == 0


def test_a_long_flow_takes_what_padhye_says() -> None:
    d = 1e7
    assert short_flows.latency(d, 0.02, 0.1, 0.4) == pytest.approx(
        d / padhye.throughput(0.02, 0.1, 0.4), rel=1e-3
    )


def test_without_loss_latency_is_slow_start_alone() -> None:
    assert short_flows.latency(30, 0, 0.1, 0.4) == pytest.approx(0.2)
    assert short_flows.latency(30, 0, 0.1, 0.4, delayed_ack=0.1) == pytest.approx(0.3)


def test_latency_grows_with_loss_and_size() -> None:
    p = np.array([0, 0.01, 0.05, 0.2])[:, None]
    table = short_flows.latency(np.array([1, 10, 100]), p, 0.1, 0.4)
    assert (np.diff(table, axis=0) > 0).all() and (np.diff(table, axis=1) > 0).all()
    assert short_flows.latency(10, 1, 0.1, 0.4) == np.inf


@pytest.mark.parametrize(("d", "p"), [(0, 0.1), (np.nan, 0.1), (10, np.nan), (10, 1.5)])
def test_bad_input_is_refused(d: Any, p: Any) -> None:
    with pytest.raises(SpecError, match=r"[dp]="):
        short_flows.latency(d, p, 0.1, 0.4)
    with pytest.raises(SpecError, match="do not fit"):
        short_flows.slow_start_data([1, 2], [0.1, 0.2, 0.3])
