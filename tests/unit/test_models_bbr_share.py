"""BBR's share by Ware et al. (IMC 2019): the printed law follows from its parts."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import bbr_share


def inflight(p: float, q: float, bdp: float, rtt_packets: float) -> tuple[float, float]:
    """What BBR has under way with a full queue, and its cap of twice its rate times the round trip (in
    packets of the link) that it measured."""
    return (1 - p) * (q + bdp), 2 * (1 - p) * rtt_packets


@pytest.mark.parametrize(("x", "bdp", "n"), [(2, 33, 1), (8, 33, 1), (16, 100, 2), (64, 33, 10)])
def test_the_papers_law_is_where_the_cap_is_used_up(x: float, bdp: float, n: int) -> None:
    q = x * bdp
    p = float(bbr_share.loss_based(q, bdp, n))
    assert p == pytest.approx(1 / 2 - 1 / (2 * x) - 4 * n / q)
    measured = bbr_share.round_trip(bdp, q, p) + 4 * n  # the packets of PROBE_RTT are on the way, too
    has, may = inflight(p, q, bdp, float(measured))
    assert has == pytest.approx(may)


@pytest.mark.parametrize(("x", "bdp", "n"), [(2, 33, 1), (8, 33, 1), (16, 100, 2)])
def test_so_is_ours_with_the_path_filled_first(x: float, bdp: float, n: int) -> None:
    q = x * bdp
    p = float(bbr_share.loss_based_refilled(q, bdp, n))
    measured = p * (q + bdp) + 4 * n
    has, may = inflight(p, q, bdp, measured)
    assert has == pytest.approx(may)
    assert float(bbr_share.round_trip_refilled(bdp, q, p)) == pytest.approx(measured - 4 * n)


def test_a_short_queue_leaves_nothing_and_a_long_one_nearly_half() -> None:
    assert bbr_share.loss_based(33, 33) == 0
    assert float(bbr_share.loss_based(1e9, 33)) == pytest.approx(0.5)


def test_the_abstracts_forty_per_cent_of_a_deep_queue() -> None:
    """10 Mbit/s, 40 ms, 64 times the path's packets: "a fixed, 40 % proportion"."""
    bdp = 10e6 * 0.04 / 8 / 1500
    wait = 64 * bdp * 1500 * 8 / 10e6
    share = bbr_share.bbr(bbr_share.loss_based(64 * bdp, bdp), 0.04, wait)
    assert 0.35 < float(share) < 0.45


def test_bbr_is_away_for_a_fifth_of_a_second_and_a_full_queue_in_ten() -> None:
    assert float(bbr_share.bbr(0.0, 0.04, 0.0)) == pytest.approx(1 - 0.024)


def test_round_trips_are_never_below_the_paths() -> None:
    assert float(bbr_share.round_trip_refilled(0.04, 0.08, 0.1)) == 0.04
    both = bbr_share.round_trip(0.04, np.array([0.08, 0.32]), 0.5)
    assert (both > bbr_share.round_trip_refilled(0.04, np.array([0.08, 0.32]), 0.5)).all()
