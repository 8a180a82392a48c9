"""Tables of random delays for netem (TCA_NETEM_DELAY_DIST). Definitions only, no netlink.

A table is the inverse of a distribution function, sampled at equal steps of probability, in units
of jitter / 8192 (NETEM_DIST_SCALE): netem draws an entry t and delays by latency + t * jitter / 8192.
The shapes are those of iproute2's netem/normal.c, pareto.c and paretonormal.c, sampled here in the
middle of each step, which keeps `normal` symmetric. Pareto is 4/3 (x^(-1/3) - 3/2): shape 3, mean
zero; its standard deviation is 1.15 jitter before the cut at 4 jitter, as it is in iproute2.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

SCALE = 8192
ENTRIES = 4096  # as iproute2; the kernel takes up to 16384 (NETEM_DIST_MAX)
MAX_ENTRIES = 16384
_INT16_MIN, _INT16_MAX = -(2**15), 2**15 - 1


def _uniform(q: float) -> float:
    return 2 * q - 1


def _normal(q: float) -> float:
    return NormalDist().inv_cdf(q)


def _pareto(q: float) -> float:
    return (math.pow(1 - q, -1 / 3) - 1.5) * 4 / 3


def _clip(value: float) -> int:
    return max(_INT16_MIN, min(_INT16_MAX, round(value * SCALE)))


def _paretonormal(q: float) -> float:
    """A quarter of normal and three of pareto, at the same quantile."""
    return (_normal(q) + 3 * _clip(_pareto(q)) / SCALE) / 4


QUANTILES: dict[str, Callable[[float], float]] = {
    "uniform": _uniform,
    "normal": _normal,
    "pareto": _pareto,
    "paretonormal": _paretonormal,
}


@cache
def delay_table(name: str, entries: int = ENTRIES) -> bytes:
    """The table as native int16. Raises ValueError for an unknown name or size.

    netem is uniform without any table, and `change` cannot take a table away again: the table
    "uniform" is for changing back.
    """
    if name not in QUANTILES:
        raise ValueError(f"distribution {name!r}: must be one of {', '.join(QUANTILES)}")
    if not 1 <= entries <= MAX_ENTRIES:
        raise ValueError(f"{entries} entries: netem takes 1 to {MAX_ENTRIES}")
    quantile = QUANTILES[name]
    values = (_clip(quantile((i + 0.5) / entries)) for i in range(entries))
    return struct.pack(f"={entries}h", *values)
