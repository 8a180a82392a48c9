"""A rate that follows a trace: steps of (time, rate), given as such or read from Mahimahi's format.

What a step becomes in the kernel: labkit/compile/traces.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from labkit import units
from labkit.errors import SpecError
from labkit.schema import foreign_files
from labkit.schema.base import FaultsError, Loc, Spec
from labkit.units import Duration, bit_rate

SLOWEST = 8
"""bit/s: the kernel counts a rate in whole bytes per second."""
SHORTEST_STEP_S = 1e-3
FRAME = 1514
"""Bytes of what an opportunity of Mahimahi's carries: 1,500 of IP and Ethernet's header, which tbf counts."""
_LESS = 0.999
"""Of a bin's rate: so that what is due as a bin ends is sent once, by the change that begins the next one."""
_SHIPPED = resources.files("labkit") / "spec" / "traces"
_NS, _MS = 10**9, 10**6


def _rate(value: object) -> int:
    return 0 if not isinstance(value, bool) and value == 0 else bit_rate(value)


StepRate = Annotated[int, BeforeValidator(_rate)]


class Until(NamedTuple):
    """A rate (bit/s) from an instant of the run (ns) on, for so long (ns)."""

    at_ns: int
    rate: int
    lasts_ns: int


class Trace(Spec, init=False):
    """A rate that changes with time, for Link(..., rate=Trace(...)): Trace([(0, "8mbit"), (2, 0)], "3s").

    steps: (time in s, rate in bit/s), from time 0 on, in order, at least 1 ms apart; rates count Ethernet
    frames as Direction's do. period: it begins anew after so long (s); None: the last rate stays.

    Each step is a change of the kernel's tbf, which keeps what waits in the queue and fills its bucket: one
    frame may leave at once. So steps that follow each other fast carry up to one frame each more than their
    rates say. A rate of 0 is an outage: packets wait, and none is lost but by the queue's limit. tbf has no
    rate of 0, so it gets one at which a frame takes as long as the outage. One passes: that which waits as
    it begins, and the next leaves as it ends. If none waits, it is the first to come, and those behind it
    leave an outage's length after it, or with whatever comes once the outage is over.

    A run makes one change for each step until its end (duration, else time_limit): see checks.MOST_STEPS.
    """

    _positional: ClassVar = ("steps", "period")
    steps: tuple[tuple[Duration, StepRate], ...]
    period: Annotated[Duration, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Trace:
        faults: list[tuple[Loc, str]] = []
        if not self.steps:
            raise FaultsError([(("steps",), ': none: write [(0, "5mbit"), (1, "2mbit")]')])
        if self.steps[0][0] != 0:
            faults.append((("steps", 0), f": begins at {self.steps[0][0]} s: the first time is 0"))
        for i, (one, other) in enumerate(pairwise(self.steps), 1):
            if other[0] - one[0] < SHORTEST_STEP_S - 1e-12:
                text = f": {other[0]} s after {one[0]} s: times rise by {SHORTEST_STEP_S} s at least"
                faults.append((("steps", i), text))
        for i, (_, rate) in enumerate(self.steps):
            if 0 < rate < SLOWEST:
                faults.append((("steps", i), f": {rate} bit/s: 0 (an outage), or {SLOWEST} at least"))
        if not any(rate for _, rate in self.steps):
            faults.append((("steps",), ": 0 all the time: nothing would ever pass"))
        if self.period is not None and self.period < self.steps[-1][0] + SHORTEST_STEP_S - 1e-12:
            text = f"={self.period}: must exceed the last step's time ({self.steps[-1][0]}) by 0.001 at least"
            faults.append((("period",), text))
        if faults:
            raise FaultsError(faults)
        kept = [step for i, step in enumerate(self.steps) if not i or step[1] != self.steps[i - 1][1]]
        self._default("steps", tuple(kept))
        return self

    @classmethod
    def parse(cls, text: str, bin: Any = "50ms") -> Self:
        """From Mahimahi's format: a line per opportunity to deliver 1,500 bytes, its time in whole ms; the
        trace begins anew after the last one.

        bin: opportunities are counted in bins of this length (s), and spread evenly in each, which makes its
        rate; 20 to 100 ms are usual. Within a bin, then, bursts are lost, and all that is slower is kept. A
        bin carries as many full-size packets (of an MTU of 1500) as it has opportunities. In front of empty
        bins it is one less: that one passes as they begin, since a step always passes one (see above), and
        the rate there is one packet in all their time. Raises SpecError, which names the line.

        Winstein, Sivaraman, Balakrishnan, NSDI 2013; Netravali et al., Mahimahi, USENIX ATC 2015.
        """
        times = _times(text)
        period, width = times[-1] * _MS, units.ns(_bin(bin))
        edges = [*range(0, period, width), period]
        counts = [0] * (len(edges) - 1)
        for time in times:
            counts[max(-(-time * _MS // width) - 1, 0)] += 1
        return cls(_steps(counts, edges), period / _NS)

    @classmethod
    def read(cls, path: str | Path, bin: Any = "50ms") -> Self:
        """From a file of Mahimahi's: see `parse`. Raises SpecError, which names the file, or
        FileNotFoundError."""
        data = foreign_files.content(path, refused=SpecError)
        try:
            return cls.parse(data.decode("ascii", errors="replace"), bin)
        except SpecError as error:
            raise SpecError(f"{path}: {error}") from None

    @classmethod
    def shipped(cls, name: str, bin: Any = "50ms") -> Self:
        """One of labkit's own, synthetic (models.cellular.SHIPPED): "walk", "drive" or "train"."""
        return cls.parse(shipped_text(name), bin)

    @property
    def mean(self) -> int:
        """The rate (bit/s) over a period; without one, over the time to the last step."""
        end = self.period if self.period is not None else self.steps[-1][0] or 1.0
        ends = [*(time for time, _ in self.steps[1:]), max(end, self.steps[-1][0])]
        carried = sum(rate * (until - time) for (time, rate), until in zip(self.steps, ends, strict=True))
        return max(round(carried / end), SLOWEST)

    @property
    def highest(self) -> int:
        """The highest of its rates (bit/s)."""
        return max(rate for _, rate in self.steps)

    def rate_at(self, time: float) -> int:
        """The rate (bit/s) at a time of the run (s)."""
        within = time % self.period if self.period is not None else time
        return next(rate for start, rate in reversed(self.steps) if start <= within)

    def number(self, end: float) -> int:
        """About how many changes it makes in a run of so many seconds."""
        if self.period is None or len(self.steps) == 1:
            return len(self.steps)
        return math.ceil(end / self.period * len(self.steps))

    def until(self, end: float) -> Iterator[Until]:
        """Every rate that differs from the one before, in a run of so many seconds."""
        end_ns = units.ns(end)
        starts = self._starts(end_ns)
        at, rate = next(starts)
        for next_at, next_rate in starts:
            if next_rate != rate:
                yield Until(at, rate, next_at - at)
                at, rate = next_at, next_rate
        yield Until(at, rate, max(end_ns - at, 1))

    def _starts(self, end_ns: int) -> Iterator[tuple[int, int]]:
        steps = [(units.ns(time), rate) for time, rate in self.steps]
        if self.period is None or len(steps) == 1:
            yield from ((at, rate) for at, rate in steps if at < end_ns or not at)
            return
        for begin in range(0, max(end_ns, 1), units.ns(self.period)):
            yield from ((begin + at, rate) for at, rate in steps if begin + at < end_ns or not begin + at)

    def times(self, factor: float) -> Trace:
        """The same with all rates multiplied, outages as they are."""
        rates = ((time, rate and max(round(rate * factor), min(rate, SLOWEST))) for time, rate in self.steps)
        return self.replace(steps=tuple(rates))


def shipped_text(name: str) -> str:
    """The text of a trace that labkit ships, in Mahimahi's format. Raises SpecError."""
    known = sorted(file.name.removesuffix(".trace") for file in _SHIPPED.iterdir())
    if name not in known:
        raise SpecError(f"trace {name!r}: there are {', '.join(known)}; Trace.read(...) takes a file")
    return (_SHIPPED / f"{name}.trace").read_text(encoding="ascii")


def _steps(counts: list[int], edges: list[int]) -> list[tuple[float, int]]:
    """Bins as steps. counts: of opportunities; edges: of bins (ns). Around the end the trace goes on."""
    first = next(i for i, n in enumerate(counts) if n)
    spans: list[list[int]] = []  # begin, end, packets
    for i in range(first, first + len(counts)):
        turn, bin = divmod(i, len(counts))
        begin, end = (edges[bin + more] + turn * edges[-1] for more in (0, 1))
        if counts[bin]:
            spans.append([begin, end, counts[bin]])
        elif not counts[bin - 1] or spans[-1][2] == 1:
            spans[-1][1] = end
        else:
            spans[-1][2] -= 1
            spans.append([begin, end, 1])
    found: dict[float, int] = {}
    for begin, end, n in spans:
        rate = max(math.floor(_LESS * n * FRAME * 8 * _NS / (end - begin)), SLOWEST)
        if begin < edges[-1] < end:
            found[0.0] = rate
        found[begin % edges[-1] / _NS] = rate
    return sorted(found.items())


def _bin(value: Any) -> float:
    try:
        found = units.seconds(value)
    except SpecError as error:
        raise SpecError(f"bin={value!r}: {error}") from None
    if not SHORTEST_STEP_S <= found <= 10 or units.ns(found) % _MS:
        raise SpecError(f'bin={value!r}: must be whole ms, 0.001 to 10 s: write "50ms"')
    return found


def _times(text: str) -> list[int]:
    """The lines as ms, not falling."""
    times: list[int] = []
    for number, line in enumerate(text.rstrip().splitlines(), 1):
        word = line.strip()
        if not (word.isascii() and word.isdecimal()):
            raise SpecError(f"trace, line {number}: {word[:20]!r}: must be a time in whole ms, 0 or more")
        if times and int(word) < times[-1]:
            raise SpecError(f"trace, line {number}: {word[:20]} after {times[-1]}: times must not go back")
        times.append(int(word))
    if not times:
        raise SpecError("trace: no line: there must be one for each opportunity, its time in ms")
    if not times[-1]:
        raise SpecError("trace: its last time is 0: it begins anew after the last one, which must be later")
    if times[-1] > units.LONGEST_S * 1000:
        raise SpecError(f"trace: ends at {times[-1]} ms: {units.LONGEST_S} s are the most")
    return times
