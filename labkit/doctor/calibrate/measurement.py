"""One figure of a calibration, and the networks that they are measured on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.models.binomial import interval
from labkit.spec import Experiment, Link, Topology
from labkit.spec.topologies import pair

if TYPE_CHECKING:
    from labkit.results.result import Result

PAYLOAD, HEADERS = 1472, 42
CONFIDENCE = 0.999


@dataclass(frozen=True)
class Row:
    """One figure: the columns of the table."""

    what: str
    configured: float
    measured: float
    limit: float

    @property
    def error(self) -> float:
        return self.measured - self.configured

    @property
    def ok(self) -> bool:
        """Not for NaN: what could not be measured is a fault. The slack is for sums of binary fractions."""
        return abs(self.error) <= self.limit * (1 + 1e-9) + 1e-12


@dataclass(frozen=True)
class Measurement:
    """An experiment, and how its result is read."""

    experiment: Experiment
    read: Callable[[Result], list[Row]]


def share(what: str, n: int, p: float, k: int, effective: float = 1.0) -> Row:
    """k of n, against p: the limit is the binomial interval's edge on the side of k.

    effective: how many independent trials one trial counts for, if they are not independent.
    """
    trials = max(round(n * effective), 1)
    low, high = interval(trials, p, CONFIDENCE)
    edge = high / trials - p if k >= n * p else p - low / trials
    return Row(what, p, k / n, edge)


#   left --- router --- right       the queue is the router's         ("router")
#   left ----------- right          the queue is in the wire          ("wire")
def network(path: str, **fields: Any) -> Topology:
    if path == "wire":
        return pair(**fields)
    return Topology(["left", "router", "right"], [Link("left", "router"), Link("router", "right", **fields)])


def flow_of(result: Result, number: int = 0) -> Any:
    """A flow's row of the table."""
    return result.flows.iloc[number]
