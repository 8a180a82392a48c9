"""Pings: ICMP echo requests, and how long each answer took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from labkit.program.records import Record
from labkit.traffic.kind import Context, Ended, Fault, Label, Sockets, Traffic
from labkit.traffic.trains import LONGEST_WAIT_S, MOST, packets_of, train_record
from labkit.units import Duration, Integer

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.raw import Raw

UNITS: dict[str, str] = {
    "flow": "name of the pings",
    "number": "of the request: counts from 1",
    "sent_s": "s since the start of the run: when it was handed to the kernel",
    "rtt_s": "s until its answer was there; NaN: none came",
}
KIND = "pings"
_ICMP = 1


class Pings(Traffic, init=False):
    """ICMP echo requests (RFC 792) from host src to host dst, which answers them: `count` of them, one every
    `every` (s), from `start` (s) on.

    size: bytes of payload, as ping's -s has it. wait: for how long (s) after the last request answers may
    still come. name: as of a Flow. `result.pings` has a row for each request.
    """

    kind: Literal["pings"] = "pings"
    count: Annotated[Integer, Field(ge=1, le=MOST)]
    every: Annotated[Duration, Field(gt=0)] = 1.0
    size: Annotated[Integer, Field(ge=0, le=65507)] = 56
    wait: Annotated[Duration, Field(le=LONGEST_WAIT_S)] = 10.0
    start: Duration = 0.0
    name: Label | None = None

    @model_validator(mode="after")
    def _check(self) -> Pings:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.wait / self.every > 2**16:  # the sequence number has 16 bits
            yield ("every",), f"={self.every}: over 65,536 requests within `wait`: their numbers would repeat"

    def sockets(self) -> Sockets:
        return Sockets("icmp", packet=self.size)

    def lasts(self) -> float:
        return self.count * self.every + self.wait

    def until(self, ended: Ended, run_s: float) -> float:
        return min(ended.start_s + self.count * self.every, run_s)

    def sized(self) -> bool:
        return False

    def carries(self) -> int:
        return self.count * self.size

    def record(self, context: Context) -> Record:
        times = self.start, self.every, self.wait
        return train_record(context, _ICMP, *times, packets=1, count=self.count, size=self.size)

    def facts(self, context: Context) -> dict[str, Any]:
        return self.describe(context) | {"kind": KIND}


def pings(raw: Raw, layout: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row per request of each of the Pings in the layout, in their order. Raises RawFormatError."""
    import numpy as np
    import pandas as pd

    names, rows = packets_of(raw, layout, KIND)
    took_ns = rows["received_ns"] - rows["sent_ns"]
    return pd.DataFrame(
        {
            "flow": names,
            "number": rows["train"].astype(np.int64) + 1,
            "sent_s": rows["sent_ns"] / 1e9,
            "rtt_s": np.where(rows["received_ns"] < 0, np.nan, took_ns / 1e9),
        }
    )
