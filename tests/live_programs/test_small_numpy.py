"""The little of numpy that a page has draws the numbers of numpy."""

from __future__ import annotations

import numpy as np
import pytest
from live import small_numpy


@pytest.mark.parametrize("seed", [0, 1, 7, 2**32 - 1, 2**40 + 5, 2**90 + 1, [15, 3], [1, 2, 3, 4, 5, 2**33]])
def test_it_draws_the_same(seed: int | list[int]) -> None:
    theirs, ours = np.random.default_rng(seed), small_numpy.random.default_rng(seed)
    assert [ours.random() for _ in range(50)] == [theirs.random() for _ in range(50)]
    assert ours.uniform(0.2, 30, 20) == theirs.uniform(0.2, 30, 20).tolist()


def test_its_root_is_the_same() -> None:
    assert small_numpy.sqrt(0.0137) == np.sqrt(0.0137)
