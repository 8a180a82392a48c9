"""Synthetic traces of a cellular link, after Sprout's model of one.

Packets can be delivered at the instants of a Poisson process whose rate does a Brownian motion; at a rate of
0 it is in an outage, which it leaves at a rate of its own. K. Winstein, A. Sivaraman, H. Balakrishnan,
Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks, NSDI 2013, section 3.1:
200 packets per second per square root of a second, outages of a second in the mean.

Only random.Random.random() is drawn from, whose numbers are the same in every version of Python.
"""

from __future__ import annotations

import math
import random
from dataclasses import asdict, dataclass
from statistics import NormalDist

from labkit.errors import SpecError
from labkit.models import arguments

TICK_S = 0.02
"""How long the rate stays, as in Sprout's inference."""
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Cell:
    """A cell. first, most: packets of 1,500 bytes per second at the begin and at the most, where the motion
    turns back; noise: of the Brownian motion, in packets per second per square root of a second; outage: the
    mean length (s)."""

    first: float = 300.0
    most: float = 1000.0
    noise: float = 200.0
    outage: float = 1.0

    def __post_init__(self) -> None:
        """Raises SpecError."""
        for name, value in asdict(self).items():
            arguments.scalar(arguments.positive, name, value)
        if self.first > self.most:
            raise SpecError(f"first={self.first:g}: must not exceed most={self.most:g}")


SHIPPED: dict[str, tuple[Cell, int, int]] = {
    "walk": (Cell(first=250, most=450, noise=60, outage=0.5), 30, 5),
    "drive": (Cell(first=300, most=600, noise=150, outage=0.6), 30, 4),
    "train": (Cell(first=200, most=500, noise=250, outage=0.8), 30, 2),
}
"""What made the traces that labkit ships: cell, seconds, seed."""


def deliveries(cell: Cell, seconds: int, seed: int) -> list[int]:
    """The instants (whole ms, from 1 on) at which a packet can be delivered; the last one is at the end, so
    that a trace of them repeats after so many seconds. Raises SpecError."""
    if not isinstance(cell, Cell):
        raise SpecError(f"cell={arguments.shown(cell)}: must be a Cell")
    seconds, seed = arguments.count("seconds", seconds, 1), arguments.count("seed", seed)
    draw = random.Random(seed).random
    rate, times = cell.first, []
    for tick in range(round(seconds / TICK_S)):
        at = _interval(draw(), rate)
        while at < TICK_S:
            times.append(max(math.ceil(1000 * (tick * TICK_S + at)), 1))
            at += _interval(draw(), rate)
        rate = _moved(rate, cell, draw(), draw())
    return [*times, 1000 * seconds]


def mahimahi(times: list[int]) -> str:
    """The same as text in Mahimahi's format, which Trace.parse reads. Raises
    SpecError."""
    arguments.row("times", times)
    return "".join(f"{arguments.count('times', time)}\n" for time in times)


def _interval(drawn: float, rate: float) -> float:
    """Exponential, by inversion; without a rate nothing comes."""
    return -math.log(1 - drawn) / rate if rate else math.inf


def _moved(rate: float, cell: Cell, stays: float, drawn: float) -> float:
    """The rate a tick later."""
    if not rate and stays < math.exp(-TICK_S / cell.outage):
        return 0.0
    step = cell.noise * math.sqrt(TICK_S) * _NORMAL.inv_cdf(min(max(drawn, 1e-12), 1 - 1e-12))
    moved = abs(step) if not rate else rate + step  # an outage ends upwards
    return max(cell.most - abs(cell.most - moved), 0.0)
