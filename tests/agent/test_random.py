"""Numbers that the agent draws from an exponential distribution: its logarithm is the same in all kernels."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path

import numpy as np
import pytest

from labkit.execute.artifacts.binaries import AGENT, FLAGS
from tests.agent.harness import DRIVERS

LARGEST = 1 << 57
ULPS = 8 * 2.0**-53
"""The series is off by 4.3 units of the last place at most, as 3 million shares have it; Python's by one."""
NUMBERS = 20_000


@pytest.fixture(scope="module")
def exponential(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("random") / "exponential"
    sources = [str(AGENT / "random.c"), str(DRIVERS / "exponential.c")]
    subprocess.run(["cc", *FLAGS, f"-I{AGENT}", "-o", str(program), *sources], check=True)
    return program


def drawn(program: Path, seed: int, mean: int) -> np.ndarray:
    """Rows of share (of 2^53) and number."""
    command = [str(program), str(seed), str(mean), str(NUMBERS)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return np.array([[int(word) for word in line.split()] for line in said.splitlines()], dtype=object)


@pytest.mark.parametrize("seed", [1, 2, 12345])
def test_they_are_logarithms_of_shares(exponential: Path, seed: int) -> None:
    for share, number in drawn(exponential, seed, LARGEST):
        true = -math.log(share / 2**53) * LARGEST
        assert abs(number - true) <= max(1, ULPS * true)


def test_in_nanoseconds_they_are_those_of_any_library(exponential: Path) -> None:
    found = drawn(exponential, 7, 10**9)
    assert [number for _, number in found] == [int(-math.log(share / 2**53) * 1e9) for share, _ in found]


def test_their_mean_is_what_was_asked_for(exponential: Path) -> None:
    """Of an exponential distribution the standard deviation is the mean: 4.5 standard errors."""
    numbers = drawn(exponential, 3, 10**9)[:, 1].astype(float)
    assert abs(numbers.mean() / 1e9 - 1) < 4.5 / math.sqrt(NUMBERS)
