"""Packet pairs and trains, against the papers' definitions and a queue that is followed packet by packet."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labkit.errors import SpecError
from labkit.models import dispersion

LINK = 10e6


def train_through(load: float, size: int = 1500, packets: int = 400, seed: int = 1) -> float:
    """Rate behind a link of 10 Mbit/s of a train that comes at 10 Mbit/s, with Poisson cross traffic of the
    same packets, first in, first out."""
    rng = np.random.default_rng(seed)
    service = 8 * size / LINK
    own = np.arange(packets) * service
    other = np.cumsum(rng.exponential(service / load, int(3 * packets * load))) if load else np.empty(0)
    arrivals = np.concatenate((own, other))
    mine = np.concatenate((np.ones(packets, bool), np.zeros(len(other), bool)))
    order = np.argsort(arrivals, kind="stable")
    free, left = 0.0, []
    for at, is_mine in zip(arrivals[order], mine[order], strict=True):
        free = max(free, at) + service
        if is_mine:
            left.append(free)
    return float(8 * size * (packets - 1) / (left[-1] - left[0]))


def test_a_pair_measures_the_link_that_spread_it() -> None:
    assert dispersion.pair_rate(1.2e-3, 1500) == pytest.approx(10e6)
    assert dispersion.pair_rate(np.array([1.2e-4, 2.4e-3]), 1500) == pytest.approx([100e6, 5e6])


def test_rates_of_trains_leave_out_those_that_lost_a_packet() -> None:
    table = pd.DataFrame(
        {
            "train": [0, 0, 1, 1, 1, 2, 2, 3],
            "packet": [0, 1, 0, 1, 2, 0, 1, 0],
            "received_s": [1, 1.0012, 2, 2.0024, 2.0012, 3, np.nan, 4],
        }
    )
    found = dispersion.rates(table, 1500)
    assert found.tolist() == pytest.approx([10e6, 10e6, np.nan, np.nan], nan_ok=True)


def test_trains_of_two_flows_are_not_mixed_up() -> None:
    table = pd.DataFrame(
        {"flow": [*"aabb"], "train": 1, "packet": [1, 2, 1, 2], "received_s": [1, 1.0012, 1, 1.0024]}
    )
    assert dispersion.rates(table, 1500).tolist() == pytest.approx([10e6, 5e6])


def test_modes_come_by_their_strength() -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate((5e6 * rng.uniform(1, 1.02, 30), 10e6 * rng.uniform(1, 1.02, 20), [2e6, np.nan]))
    first, second = dispersion.modes(values)
    assert (first.many, second.many, first.of) == (30, 20, 51)
    assert first.value == pytest.approx(5e6, rel=0.02) and second.value == pytest.approx(10e6, rel=0.02)


def test_capacity_is_the_strongest_mode_above_what_trains_have() -> None:
    # the INFOCOM paper's case: the global mode lies below the capacity, and the trains tell so
    pairs = np.concatenate((np.full(30, 5e6), np.full(20, 10e6), np.full(3, 14e6)))
    assert dispersion.capacity(pairs) == 5e6
    assert dispersion.capacity(pairs, trains=[6e6, 7e6, np.nan]) == 10e6
    assert np.isnan(dispersion.capacity(pairs, trains=[20e6]))
    assert dispersion.capacity(pairs, trains=[np.nan]) == 5e6


@pytest.mark.parametrize("load", [0, 0.2, 0.5, 0.8])
def test_a_long_train_leaves_a_link_at_c_over_one_plus_u(load: float) -> None:
    found = np.mean([train_through(load, seed=seed) for seed in range(1, 21)])
    assert found == pytest.approx(float(dispersion.asymptotic(LINK, load * LINK)), rel=0.03)
    assert dispersion.asymptotic(LINK, load * LINK) == pytest.approx(LINK / (1 + load))


def test_trains_lie_between_what_is_left_and_the_capacity() -> None:
    cross = np.linspace(0, 9e6, 10)
    adr = dispersion.asymptotic(LINK, cross)
    assert (dispersion.available(LINK, cross) <= adr + 1).all() and (adr <= LINK).all()


def test_a_train_that_leaves_room_is_not_spread_and_a_faster_one_shows_more() -> None:
    assert dispersion.asymptotic(LINK, 4e6, arriving=5e6) == 5e6
    assert dispersion.asymptotic(LINK, 5e6, arriving=100e6) == pytest.approx(LINK * 100 / 105)


@pytest.mark.parametrize(
    ("call", "of"),
    [
        (lambda: dispersion.pair_rate(0, 1500), "gap"),
        (lambda: dispersion.pair_rate(np.nan, 1500), "gap"),
        (lambda: dispersion.pair_rate([1, 2], [1, 2, 3]), "shapes"),
        (lambda: dispersion.pair_rate(1, -1), "size"),
        (lambda: dispersion.rates(pd.DataFrame({"train": [1]}), 1500), "no column packet, received_s"),
        (lambda: dispersion.modes([1, -1]), "values"),
        (lambda: dispersion.modes([1, 2], width=0), "width"),
        (lambda: dispersion.asymptotic(0, 1), "link"),
        (lambda: dispersion.asymptotic(1, -1), "cross"),
        (lambda: dispersion.asymptotic([1, 2], [1, 2, 3]), "shapes"),
        (lambda: dispersion.available(np.nan, 1), "link"),
    ],
)
def test_faults_are_named(call: object, of: str) -> None:
    with pytest.raises(SpecError, match=of):
        call()  # type: ignore[operator]
