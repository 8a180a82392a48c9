"""How large the transfers of a background are: distributions of sizes, drawn by inversion."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from labkit.schema.base import FaultsError, Spec
from labkit.units import Size, size

LARGEST = 2**40
Share = Callable[[], float]
"""The next random number, from 0 to just below 1."""
_HALVINGS = 200  # of an interval in logarithms: to the last bit of a float


class Fixed(Spec, init=False):
    """Every transfer has this size (bytes)."""

    _positional: ClassVar = ("mean",)
    kind: Literal["fixed"] = "fixed"
    mean: Annotated[Size, Field(le=LARGEST)]

    def draw(self, share: Share) -> int:
        """One size (bytes)."""
        return self.mean


class Exponential(Spec, init=False):
    """Sizes (bytes) with an exponential distribution of that mean, each at least 1 byte."""

    _positional: ClassVar = ("mean",)
    kind: Literal["exponential"] = "exponential"
    mean: Annotated[Size, Field(le=LARGEST)]

    def draw(self, share: Share) -> int:
        """One size (bytes)."""
        return max(math.ceil(-math.log1p(-share()) * self.mean), 1)


class Pareto(Spec, init=False):
    """Heavy-tailed sizes (bytes): a bounded Pareto distribution with this mean, tail index `shape` and
    largest size `most` (a hundred times the mean unless given), as measured sizes of files and flows have it
    (Crovella and Bestavros 1997). The smaller the shape, the more of all bytes are in a few large transfers;
    below 2 a Pareto without bound has no variance.

    The smallest size follows from the three. With L the smallest, H the largest: P(X > x) = ((L/x)^shape -
    (L/H)^shape) / (1 - (L/H)^shape) for x from L to H (Harchol-Balter, Performance Modeling and Design of
    Computer Systems, 2013, section 20.5).
    """

    _positional: ClassVar = ("mean",)
    kind: Literal["pareto"] = "pareto"
    mean: Annotated[Size, Field(le=LARGEST)]
    shape: Annotated[float, Field(ge=0.5, le=10)] = 1.3
    most: Annotated[Size, Field(le=LARGEST)] = 0

    @model_validator(mode="after")
    def _check(self) -> Pareto:
        if not self.most:
            self._default("most", min(100 * self.mean, 2 * LARGEST))
        if self.most <= self.mean:
            raise FaultsError([(("most",), f"={self.most}: not above the mean ({self.mean}): raise it")])
        return self

    def draw(self, share: Share) -> int:
        """One size (bytes)."""
        least = smallest(self.mean, self.shape, self.most)
        tail = math.pow(least / self.most, self.shape)
        exact = least * math.pow(1 - share() * (1 - tail), -1 / self.shape)
        return min(max(math.ceil(exact), 1), self.most)


@functools.lru_cache
def smallest(mean: float, shape: float, most: float) -> float:
    """The smallest size (bytes, not rounded) of a bounded Pareto distribution with that mean, found by
    halving: the mean grows with it.
    """
    low, high = math.log(mean) - 60, math.log(mean)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if bounded_mean(math.exp(middle), shape, most) < mean:
            low = middle
        else:
            high = middle
    return math.exp(high)


def bounded_mean(least: float, shape: float, most: float) -> float:
    """The mean of a bounded Pareto distribution from `least` to `most` (Harchol-Balter 2013, section
    20.5).
    """
    if math.isclose(shape, 1):
        return least * most / (most - least) * math.log(most / least)
    scale = shape * math.pow(least, shape) / (1 - math.pow(least / most, shape))
    return scale * (math.pow(least, 1 - shape) - math.pow(most, 1 - shape)) / (shape - 1)


Sizes = Fixed | Exponential | Pareto
_KINDS: dict[str, type[Sizes]] = {"fixed": Fixed, "exponential": Exponential, "pareto": Pareto}


def as_sizes(value: object) -> Sizes:
    """Sizes from their shorthand: "30kB" or 30000 (all alike), or a mapping with `kind`. Raises SpecError."""
    if isinstance(value, Sizes):
        return value
    if not isinstance(value, Mapping):
        return Fixed(size(value))
    kind = _KINDS.get(str(value.get("kind")))
    if kind is None:
        raise FaultsError([(("kind",), f"={value.get('kind')!r}: must be one of {', '.join(_KINDS)}")])
    return kind.model_validate(value)
