"""The chapter's own random numbers, shifted as the lab's are: what its cells seed gets another seed."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from labkit.spec.shaken import LARGEST_SEED, moved_seed

_SEEDED = ((np.random, "default_rng", LARGEST_SEED + 1), (np.random, "seed", 2**32), (random, "seed", 2**63))
"""Functions, and what their seeds stay below. Classes (random.Random) stay: libraries ask what is one."""


def shift(shake: int) -> None:
    """From now on, whatever a cell seeds by a number gets that of this shake. What libraries seed stays."""
    for module, name, largest in _SEEDED:
        setattr(module, name, _shifted(getattr(module, name), shake, largest))


def _shifted(plain: Callable[..., Any], shake: int, largest: int) -> Callable[..., Any]:
    def seeded(seed: Any = None, *args: Any, **named: Any) -> Any:
        mine = sys._getframe(1).f_globals.get("__name__") == "__main__"
        if mine and isinstance(seed, int | np.integer):
            seed = moved_seed(int(seed), shake) % largest
        elif mine and isinstance(seed, list | tuple):
            seed = [*seed, shake]
        return plain(seed, *args, **named)

    return seeded
