"""Interactive: someone types, and the far end echoes every keystroke, over one TCP connection."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictBool, StrictStr, model_validator

from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import Kind
from labkit.traffic.arrivals import Poisson, instants
from labkit.traffic.exchanges import ORDER, Exchange, Pool, exchanges_record, turned
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import Duration, Size

KIND = "interactive"
MOST = 1_000_000
"""Keystrokes of a session."""
_LARGEST = 2**20
SSH = 36
"""Bytes of an SSH packet with one character: length, padding and payload in cipher blocks of 16, and a
tag."""
KEYSTROKES = plain.RecordTable(
    "One row per keystroke of every Interactive session, with how long its echo took.",
    {
        "flow": plain.flow("name of the session"),
        "number": plain.whole("number", "of the keystroke: counts from 1"),
        "typed_s": plain.instant("ready_ns", "s since the start of the run: when the key was pressed"),
        "echoed_s": plain.instant("done_ns", "s: when its echo was there; NaN: not before the end"),
        "latency_s": plain.between("ready_ns", "done_ns", "s: echoed_s - typed_s"),
        "above_100ms": plain.longer(
            "ready_ns", "done_ns", 0.1, "the echo took longer than 100 ms, or never came"
        ),
        "above_300ms": plain.longer("ready_ns", "done_ns", 0.3, "the same for 300 ms"),
    },
    Kind.EXCHANGE,
    flows=KIND,
    order=ORDER,
    since="ready_ns",
)


class Interactive(Traffic, init=False):
    """Someone on host src types into a session on host dst, which echoes: a keystroke every `every` (s) from
    `start` (s) on, for `duration` (s), over one TCP connection that is opened with the first.

    pattern: "constant" or "exponential" (then every is the mean). keystroke, echo: bytes that go and come.
    nodelay: both ends switch Nagle's algorithm off, as ssh does. cc: congestion control of both ends. mss in
    bytes. name: as of a Flow.

    `result.keystrokes` has a row for each, with its latency: from the key to its echo, whatever kept the two.
    Jacko and Sears' survey of usability has 100 ms as the limit of what feels instantaneous (Miller 1968).
    """

    one_connection: ClassVar[bool] = False
    kind: Literal["interactive"] = "interactive"
    every: Annotated[Duration, Field(ge=1e-6)] = 0.2
    duration: Annotated[Duration, Field(gt=0)]
    pattern: Literal["constant", "exponential"] = "constant"
    keystroke: Annotated[Size, Field(ge=1, le=_LARGEST)] = SSH
    echo: Annotated[Size, Field(ge=1, le=_LARGEST)] = SSH
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr = "cubic"
    mss: SegmentSize | None = None
    nodelay: StrictBool = True

    @model_validator(mode="after")
    def _check(self) -> Interactive:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.duration and self.duration / self.every > MOST / 2:
            yield (
                ("every",),
                f"={self.every}: over {MOST // 2:,} keystrokes: type more slowly, or for less long",
            )

    def sockets(self) -> Sockets:
        return Sockets("tcp", self.cc, min(self.keystroke, self.echo))

    def lasts(self) -> float:
        return self.duration or 0.0

    def typed(self, seed: int) -> list[float]:
        """When each key is pressed, in s after the start."""
        lasts = self.lasts()
        if self.pattern == "constant":
            return [i * self.every for i in range(math.ceil(lasts / self.every))]
        share = random.Random(f"{seed}/keys").random
        return [0.0, *islice(instants(Poisson(), 1 / self.every, lasts, (), lasts, share), MOST - 1)]

    def record(self, context: Context) -> Record:
        keys = [Exchange(self.keystroke, self.echo, wait=at_s) for at_s in self.typed(context.seed)]
        pool = Pool(self.cc, frame=_LARGEST, mss=self.mss, nodelay=self.nodelay)
        return exchanges_record(context, pool, keys, self.start)

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(turned(context)) | {"kind": KIND, "sport": 0}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        return {"keystrokes": KEYSTROKES}
