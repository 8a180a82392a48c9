"""Vegas's law, against its paper's figures and against Linux's source read by hand."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import vegas


def test_what_waits_is_the_window_less_what_the_path_holds() -> None:
    """A path that holds 33 packets, filled: a window of 37 makes a round trip of 37."""
    assert vegas.extra(37, 33, 37) == pytest.approx(4)
    assert vegas.extra(30, 33, 33) == 0


def test_it_is_the_papers_difference_of_rates_times_the_base() -> None:
    """Brakmo and Peterson: Diff = Expected - Actual, with Expected = window / BaseRTT."""
    window, base, rtt = 50, 0.100, 0.105
    assert vegas.extra(window, base, rtt) == pytest.approx((window / base - window / rtt) * base)


def test_linux_divides_by_the_base_and_rounds_down() -> None:
    assert vegas.linux_extra(120, 50, 60) == 24
    assert vegas.extra(120, 50, 60) == pytest.approx(20)
    assert vegas.linux_extra(68, 66.06, 68) == 1  # 1.997


@pytest.mark.parametrize(("waiting", "change"), [(0, 1), (1.9, 1), (2, 0), (3.9, 0), (4.1, -1)])
def test_a_packet_more_below_alpha_a_packet_fewer_above_beta(waiting: float, change: int) -> None:
    holds = 30.0
    assert vegas.step(holds + waiting, holds, holds + waiting) == pytest.approx(holds + waiting + change)


def test_linux_rests_where_its_step_changes_nothing() -> None:
    for holds in (4.13, 8.26, 16.5, 33.03, 66.06):
        low, high = vegas.linux_rests(holds)
        still = [w for w in range(3, 100) if w > holds and vegas.linux_step(w, holds, w) == w]
        assert still == [w for w in range(3, 100) if low <= w < high]


def test_the_two_laws_part_where_the_path_holds_little() -> None:
    assert vegas.rests(8.26, 8, 10)[0] > vegas.linux_rests(8.26, 8, 10)[1] + 1
    assert vegas.rests(1000) == pytest.approx(vegas.linux_rests(1000, 2, 3), abs=0.02)


def test_a_wrong_base_keeps_the_window_small_on_an_empty_path() -> None:
    low, high = vegas.linux_misled(20, 25)
    assert (low, high) == (8, 20)
    assert vegas.linux_step(20, 20, 25) == 19 == vegas.linux_step(19, 20, 25)
    assert vegas.linux_misled(20, 500) == (2, 2)
    with pytest.raises(ValueError, match="longer one"):
        vegas.linux_misled(20, 20)


def test_coming_down_takes_a_round_trip_for_each_packet() -> None:
    assert vegas.drains(80, 37, 0.001) == pytest.approx(0.001 * np.arange(38, 81).sum())
    assert vegas.drains(37, 37, 0.001) == 0


def test_flows_that_start_together_share_and_know_the_base() -> None:
    found = vegas.together(33.03, [0] * 4, 900)
    assert len({window for window, _ in found}) == 1
    assert {base for _, base in found} == {33.03}


def test_each_newcomer_takes_the_standing_queue_for_part_of_the_path() -> None:
    windows, bases = zip(*vegas.together(33.03, [0, 150, 300, 450], 900), strict=True)
    assert list(windows) == sorted(windows) and windows[-1] > 2 * windows[0]
    assert list(np.diff(bases) > 3) == [True] * 3
