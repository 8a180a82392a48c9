"""How much is tried, and by which seed, of what is tried at random.

Without LABKIT_FUZZ it is always the same and takes moments. LABKIT_FUZZ=20 (`make fuzz FUZZ=20`) tries twenty
times as much by a seed that is drawn once for all and printed; LABKIT_FUZZ_SEED=… repeats one.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable

from hypothesis import HealthCheck, settings
from pytest import Config, TestReport

ENDS = "ends of nasty experiments"  # the property by which a test says how many came to which
_TIMES, _SEED = "LABKIT_FUZZ", "LABKIT_FUZZ_SEED"
_PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]


def longer() -> bool:
    """Is more tried than in CI?"""
    return _TIMES in os.environ


def examples(count: int) -> int:
    """So many in CI; more if asked to."""
    return count * int(os.environ.get(_TIMES, "1"))


def seed() -> int:
    """What all draws begin with."""
    return int(os.environ.get(_SEED, "1"))


def of(count: int) -> settings:
    """Hypothesis' settings for a test that tries `count` examples in CI, each of which may take long."""
    return settings(max_examples=examples(count), suppress_health_check=_PATIENT)


def configure(config: Config) -> None:
    """Before anything is collected. No example is timed: a busy machine may take a second for any."""
    settings.register_profile("ci", deadline=None, derandomize=True, max_examples=100)
    settings.register_profile(
        "fuzz", deadline=None, derandomize=False, database=None, print_blob=True, max_examples=examples(100)
    )
    settings.load_profile("fuzz" if longer() else "ci")
    if longer():
        os.environ.setdefault(_SEED, str(random.SystemRandom().randrange(2**32)))  # workers inherit it
        config.option.hypothesis_seed = str(seed())


def ends(reports: Iterable[TestReport]) -> Counter[str]:
    """How many of what was tried came to which end, of all tests together."""
    total: Counter[str] = Counter()
    for report in reports:
        for name, value in report.user_properties:
            if name == ENDS and isinstance(value, dict):
                total.update(value)
    return total


def header() -> list[str]:
    """For the first lines of pytest."""
    return [f"{_TIMES}={os.environ[_TIMES]} {_SEED}={seed()}"] if longer() else []
