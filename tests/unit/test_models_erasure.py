"""What forward error correction leaves lost, against copies by hand, scipy's binomial and drawn losses."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from labkit.errors import SpecError
from labkit.models.erasure import overhead, residual_loss


def test_of_copies_all_must_be_lost() -> None:
    assert residual_loss(0.1, 2, 1) == pytest.approx(0.01)
    assert residual_loss(0.1, 3, 1) == pytest.approx(0.001)
    assert residual_loss(0.1, 1, 1) == pytest.approx(0.1)


@pytest.mark.parametrize(("n", "k"), [(5, 4), (6, 4), (20, 16), (255, 223), (4, 4)])
def test_it_is_scipys_binomial(n: int, k: int) -> None:
    p = np.array([0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1])
    expected = p * stats.binom.cdf(k - 1, n - 1, 1 - p)
    np.testing.assert_allclose(residual_loss(p, n, k), expected, rtol=1e-9, atol=1e-300)


def test_every_pattern_of_losses_of_a_small_code() -> None:
    """Four packets and two that repair: all 64 patterns, each with its probability."""
    p, n, k, lost = 0.2, 6, 4, 0.0
    for pattern in itertools.product([0, 1], repeat=n):  # 1: it came
        weight = np.prod([1 - p if came else p for came in pattern])
        if sum(pattern) < k:
            lost += weight * (k - sum(pattern[:k]))
    assert residual_loss(p, n, k) == pytest.approx(lost / k, rel=1e-12)


def test_overhead() -> None:
    assert (overhead(5, 4), overhead(3, 1), overhead(4, 4)) == (0.25, 2.0, 0.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1.1, 5, 4), "p=1.1: must be a share"),
        ((float("nan"), 5, 4), "p=nan: holds what is no number"),
        ((0.1, 4, 5), "n=4, k=5: must be whole numbers"),
        ((0.1, 4, 0), "n=4, k=0"),
        ((0.1, 4.0, 2), "n=4.0, k=2"),
    ],
)
def test_bad_input_is_named(given: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        residual_loss(*given)
