"""The lab against what was configured, by the figures of `labkit doctor --calibrate` and its limits."""

from __future__ import annotations

import pytest

from labkit.doctor.calibrate import calibrate, timing
from labkit.doctor.calibrate import counts as packets
from labkit.doctor.calibrate.measurement import Measurement


def assert_within_limits(*measurements: Measurement) -> None:
    table = calibrate(measurements)
    assert len(table) >= len(measurements)
    assert table["ok"].all(), table[~table["ok"]].to_string()


@pytest.mark.parametrize("path", ["wire", "router"])
def test_rates_are_within_half_a_percent(path: str) -> None:
    assert_within_limits(*(timing.rate(mbit, path) for mbit in (1, 10, 100, 1000)))


def test_delays_are_within_20_microseconds() -> None:
    assert_within_limits(*(timing.delay(ms, mbit) for ms in (1, 5, 25, 100, 300) for mbit in (None, 10)))


def test_ping_agrees() -> None:
    assert_within_limits(*(timing.ping(ms) for ms in (1, 25, 300)))


def test_independent_losses_are_binomial() -> None:
    assert_within_limits(*(packets.random_loss(percent) for percent in (0.1, 1, 5, 20)))


def test_bursts_of_losses_are_as_long_and_as_frequent_as_asked() -> None:
    assert_within_limits(packets.gilbert_elliott(0.01, 0.19), packets.bursts(0.05, 0.25))


@pytest.mark.parametrize("n", [10, 1000, 70_000])
def test_every_nth_is_lost_exactly(n: int) -> None:
    assert_within_limits(packets.every_nth(n))


def test_named_packets_are_lost_exactly() -> None:
    assert_within_limits(packets.drop_packets((1, 2, 5, 999, 10_000)))


def test_corruption_and_duplication_are_binomial() -> None:
    assert_within_limits(packets.corruption(5), packets.duplication(5))


@pytest.mark.parametrize("path", ["wire", "router"])
def test_a_queue_holds_its_limit_to_the_packet(path: str) -> None:
    assert_within_limits(*(packets.queue(limit, path) for limit in (1, 10, 100, 1000)))


def test_flows_start_on_the_microsecond() -> None:
    assert_within_limits(timing.start_times())


def test_changes_take_effect_on_the_microsecond() -> None:
    assert_within_limits(timing.change_instant(), timing.rate_change())


def test_the_kernels_timers_run_in_virtual_time() -> None:
    assert_within_limits(timing.kernel_timer())
