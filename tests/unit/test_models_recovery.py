"""The models of loss recovery: Reno of 1990 against the published rules, the estimators by hand."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
import pytest

from labkit.models.reno import needs_timeout, rule_of_thumb
from labkit.models.rto import Estimate, Sample, linux, rfc6298, samples

WINDOWS = range(6, 33)


def rtts(*values: float) -> list[Sample]:
    """One sample per round trip, in s."""
    return [Sample(float(i), rtt, 10 * i + 1, 10 * i + 5) for i, rtt in enumerate(values)]


@pytest.mark.parametrize("window", WINDOWS)
def test_three_losses_take_a_timeout_exactly_where_the_rule_says(window: int) -> None:
    for others in combinations(range(1, window), 2):
        assert needs_timeout(window, (0, *others)) == rule_of_thumb(window, (0, *others)), others


@pytest.mark.parametrize("window", WINDOWS)
def test_two_losses_take_a_timeout_below_ten_packets_unless_the_second_is_the_last(window: int) -> None:
    for second in range(1, window):
        spared = window >= 10 or (second == window - 1 and window > 7)
        assert needs_timeout(window, (0, second)) != spared, second


def test_four_losses_always_take_a_timeout() -> None:
    for window in (6, 10, 16, 24):
        assert all(needs_timeout(window, (0, *others)) for others in combinations(range(1, window), 3))


def test_one_loss_takes_none_unless_too_few_packets_follow() -> None:
    assert not needs_timeout(8, [0])
    assert not needs_timeout(8, [4])
    assert needs_timeout(3, [0])


def test_a_full_advertised_window_leaves_no_new_packets_to_tell() -> None:
    assert not needs_timeout(16, (0, 1), 19)
    assert needs_timeout(16, (0, 1), 18)
    assert rule_of_thumb(16, (0, 1), 18)
    assert not rule_of_thumb(16, (0, 1), 19)


@pytest.mark.parametrize("lost", [[], [-1], [8]])
def test_a_place_outside_the_window_is_refused(lost: list[int]) -> None:
    with pytest.raises(ValueError, match="0 to 7"):
        needs_timeout(8, lost)


def test_there_is_no_rule_for_five_losses() -> None:
    with pytest.raises(ValueError, match="5 losses"):
        rule_of_thumb(16, range(5))


def test_rfc_6298_by_hand() -> None:
    first, second = rfc6298(rtts(0.4, 0.8))
    assert first == Estimate(0, 0.4, 0.2, pytest.approx(1.2))
    assert second == Estimate(1, pytest.approx(0.45), pytest.approx(0.25), pytest.approx(1.45))


def test_rfc_6298_has_a_floor_of_one_second_on_the_whole() -> None:
    assert rfc6298(rtts(0.05))[-1].rto_s == 1.0
    assert rfc6298(rtts(0.05), floor_s=0)[-1].rto_s == pytest.approx(0.15)


def test_linux_adds_its_floor_to_the_round_trip() -> None:
    assert linux(rtts(*[0.05] * 50))[-1].rto_s == pytest.approx(0.25)


def test_linux_forgets_a_deviation_by_a_quarter_per_round_trip() -> None:
    after = linux(rtts(*[1.0] * 4), floor_s=0.01)
    used = [estimate.rto_s - 1.0 for estimate in after]
    assert used[0] == pytest.approx(2.0)
    assert used[1] == pytest.approx(2.0), "the first round trip still counts"
    assert used[2] == pytest.approx(2.0 * 3 / 4 + 1.125 / 4)


def test_linux_counts_a_shorter_round_trip_by_an_eighth() -> None:
    up, down = (linux(rtts(*[1.0] * 100, rtt))[-1].rttvar_s for rtt in (1.4, 0.6))
    assert up == pytest.approx(0.1, rel=0.01)
    assert down == pytest.approx(0.1 / 8, rel=0.01)


def test_samples_leave_out_what_was_sent_twice() -> None:
    rows = [
        (0.0, "out", "S", 0, 0, 0),
        (0.1, "in", "SA", 0, 1, 0),
        (0.2, "out", "A", 1, 1, 10),
        (0.2, "out", "A", 11, 1, 10),
        (0.3, "in", "A", 1, 11, 0),
        (0.6, "out", "A", 11, 1, 10),
        (0.7, "in", "A", 1, 21, 0),
        (0.7, "out", "A", 21, 1, 10),
        (0.9, "in", "A", 1, 31, 0),
    ]
    packets = pd.DataFrame(rows, columns=["time_s", "direction", "flags", "seq", "ack", "payload"])
    found = samples(packets)
    assert [round(sample.rtt_s, 6) for sample in found] == [0.1, 0.1, 0.2]
    assert [(sample.una, sample.nxt) for sample in found] == [(1, 1), (11, 21), (31, 31)]
