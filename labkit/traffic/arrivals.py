"""When the transfers of a background begin: arrival processes, and a profile of the day over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from labkit.schema.base import FaultsError, Spec
from labkit.units import Duration

Share = Callable[[], float]
SHORTEST_PERIOD_S = 1e-3


class Poisson(Spec, init=False):
    """One after the other, independently: exponential times between them."""

    kind: Literal["poisson"] = "poisson"

    def crowd(self) -> float:
        """By which factor arrivals are denser while there are any."""
        return 1.0

    def open_until(self, share: Share) -> Iterator[tuple[float, float]]:
        """Periods (from, until, in s) in which there are arrivals."""
        yield 0.0, math.inf


class OnOff(Spec, init=False):
    """Poisson arrivals in bursts: exponentially distributed periods with arrivals (mean `on`, s) and without
    (mean `off`). In the mean over both there are as many as without bursts. It begins in its stationary
    distribution: on with the probability on / (on + off)."""

    _positional: ClassVar = ("on", "off")
    kind: Literal["on_off"] = "on_off"
    on: Annotated[Duration, Field(ge=SHORTEST_PERIOD_S)]
    off: Annotated[Duration, Field(ge=SHORTEST_PERIOD_S)]

    def crowd(self) -> float:
        """By which factor arrivals are denser while there are any."""
        return (self.on + self.off) / self.on

    def open_until(self, share: Share) -> Iterator[tuple[float, float]]:
        """Periods (from, until, in s) in which there are arrivals."""
        now = 0.0
        if share() >= self.on / (self.on + self.off):
            now = -math.log1p(-share()) * self.off
        while True:
            until = now - math.log1p(-share()) * self.on
            yield now, until
            now = until - math.log1p(-share()) * self.off


Arrivals = Poisson | OnOff
_KINDS: dict[str, type[Arrivals]] = {"poisson": Poisson, "on_off": OnOff}


def as_arrivals(value: object) -> Arrivals:
    """An arrival process from a mapping with `kind`. Raises SpecError."""
    if isinstance(value, Arrivals):
        return value
    kind = _KINDS.get(str(value.get("kind"))) if isinstance(value, Mapping) else None
    if kind is None or not isinstance(value, Mapping):
        raise FaultsError([((), f"={value!r}: must be Poisson() or OnOff(on=..., off=...)")])
    return kind.model_validate(value)


def instants(
    process: Arrivals, per_s: float, until_s: float, profile: Sequence[float], period_s: float, share: Share
) -> Iterator[float]:
    """When transfers arrive (s, ascending, below until_s): per_s of them in the mean where the profile is 1.

    profile: factors that last a period together, each as long as the others, repeated; () stands for 1. Drawn
    by thinning (Lewis and Shedler 1979): candidates at the highest rate, of which each stays with the
    probability that its moment's rate has of that."""
    highest = max(profile, default=1.0)
    rate = per_s * process.crowd() * highest
    if not rate:
        return
    for begins, ends in process.open_until(share):
        now = begins
        while (now := now - math.log1p(-share()) / rate) < min(ends, until_s):
            if not profile or share() * highest < factor(profile, period_s, now):
                yield now
        if ends >= until_s:
            return


def factor(profile: Sequence[float], period_s: float, at_s: float) -> float:
    """That of the profile at an instant (s since the background's start)."""
    return profile[min(int(at_s % period_s / period_s * len(profile)), len(profile) - 1)]
