"""The mean of a settled process, against processes whose mean is known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.signal import lfilter

from labkit.errors import SpecError
from labkit.models.steady_state import (
    BATCHES,
    FEWEST,
    Numbers,
    Settled,
    Unsettled,
    batch_means,
    steady_state,
    warm_up,
)

CHANCE = np.random.default_rng(20)
TRIALS = 200


def autoregressive(n: int, keeps: float, mean: float = 10.0) -> Numbers:
    """Of variance 1; each value keeps so much of the one before."""
    noise = CHANCE.normal(0, math.sqrt(1 - keeps**2), n)
    found: Numbers = mean + lfilter([1], [1, -keeps], noise)
    return found


def waits(n: int, load: float) -> Numbers:
    """In an M/M/1 queue that begins empty (Lindley's recursion): the mean is load / (1 - load)."""
    steps = CHANCE.exponential(1, n) - CHANCE.exponential(1 / load, n)
    found = np.zeros(n)
    for i in range(1, n):
        found[i] = max(0.0, found[i - 1] + steps[i])
    return found


def tried(make: Callable[[], Numbers], mean: float) -> tuple[float, float]:
    """(share of runs with a mean, share of these whose interval has it inside)."""
    all_of = [steady_state(make()) for _ in range(TRIALS)]
    found = [one for one in all_of if isinstance(one, Settled)]
    return len(found) / TRIALS, float(np.mean([one.low <= mean <= one.high for one in found]))


# Bounds: three standard errors of a share of 200 below what 400 runs had (labkit/models/steady_state.py).
@pytest.mark.parametrize(("keeps", "found", "inside"), [(0.0, 0.95, 0.90), (0.9, 0.90, 0.87)])
def test_the_interval_has_the_mean_inside(keeps: float, found: float, inside: float) -> None:
    got = tried(lambda: autoregressive(1000, keeps), 10.0)
    assert got[0] >= found
    assert got[1] >= inside


def test_a_warm_up_is_left_out() -> None:
    """From 2 up to 10, to 1/e in 60 values: with it the mean would be too small by a half."""
    times = np.arange(1000)
    got = tried(lambda: autoregressive(1000, 0.9) - 8 * np.exp(-times / 60), 10.0)
    assert got[0] >= 0.9
    assert got[1] >= 0.82
    assert np.mean([(autoregressive(1000, 0.9) - 8 * np.exp(-times / 60)).mean() for _ in range(50)]) < 9.6


def test_a_queue_that_begins_empty_has_its_mean() -> None:
    """Pollaczek and Khinchine's for M/M/1: 4 at a load of 0.8."""
    got = [steady_state(waits(20_000, 0.8)) for _ in range(30)]
    means = [one.mean for one in got if isinstance(one, Settled)]
    assert len(means) >= 25
    assert np.mean(means) == pytest.approx(4.0, rel=0.1)


def test_a_step_within_the_first_half_is_warm_up() -> None:
    x = autoregressive(1000, 0.5) + 5 * (np.arange(1000) > 300)
    found = steady_state(x)
    assert isinstance(found, Settled)
    assert 300 <= found.first <= 320
    assert found.mean == pytest.approx(15, abs=0.5)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (autoregressive(1000, 0.5) + 5 * (np.arange(1000) > 550), "warm-up"),
        (autoregressive(1000, 0.5) + 5 * (np.arange(1000) > 700), "trend"),
        (autoregressive(1000, 0.3) + np.linspace(0, 2, 1000), "trend"),
        (autoregressive(1000, 0.3) + 0.8 * np.cos(np.arange(1000) / 1000 * 2 * np.pi), "slow swings"),
    ],
)
def test_what_has_not_settled_is_refused(values: Numbers, fault: str) -> None:
    found = steady_state(values)
    assert isinstance(found, Unsettled)
    assert found.fault == fault
    assert found.times >= 2


def test_a_sawtooth_has_its_mean() -> None:
    """From 50 to 100 packets: three quarters of the largest, whatever the phase."""
    for phase in range(0, 80, 7):
        found = steady_state(50 + 50 * ((np.arange(1000) + phase) % 80 / 80))
        assert isinstance(found, Settled)
        assert found.low <= 74.7 <= found.high


def test_what_never_changes_is_settled() -> None:
    found = steady_state(np.full(FEWEST, 3.0))
    assert found == Settled(3.0, 3.0, 3.0, 0, 0.0)


def test_the_estimated_error_is_smallest_where_the_warm_up_ends() -> None:
    """MSER-5 by its definition, value by value, against the sums that it is made of here."""
    x = autoregressive(400, 0.8) + np.where(np.arange(400) < 60, 6, 0)
    fives = [x[i : i + 5].mean() for i in range(0, 400, 5)]
    error = {5 * d: np.var(fives[d:]) / (len(fives) - d) for d in range(len(fives) // 2 + 1)}
    assert warm_up(x) == next(d for d, one in error.items() if one <= 1.1 * min(error.values()))
    assert 55 <= (warm_up(x) or 0) <= 65


def test_what_repeats_itself_is_settled_from_its_start() -> None:
    """A window per round trip, looked at at other instants each time: late samples repeat by chance."""
    sent = np.floor(np.arange(1001) * 0.03 / 0.05) + np.minimum(1, np.arange(1001) * 0.03 % 0.05 / 0.005)
    found = steady_state(np.diff(sent))
    assert isinstance(found, Settled)
    assert found.first <= 50
    assert found.mean == pytest.approx(0.6, rel=0.01)


def test_batches_take_the_end() -> None:
    x = np.arange(FEWEST + 3, dtype=float)
    assert len(batch_means(x)) == BATCHES
    assert batch_means(x).mean() == pytest.approx(x[3:].mean())


@pytest.mark.parametrize("values", [[1.0] * (FEWEST - 1), [math.nan] * FEWEST, [math.inf] * FEWEST])
def test_values_that_say_nothing(values: list[float]) -> None:
    with pytest.raises(SpecError, match="values"):
        steady_state(values)
