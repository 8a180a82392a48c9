"""A video stream: segments that a client asks for at a rate of its choice, a buffer, and what a viewer
sees."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, StrictStr, model_validator

from labkit import units
from labkit.decode import plain_tables as plain
from labkit.program.records import Record
from labkit.program.structs import RULES, STREAM_OP, Kind, Op
from labkit.traffic.exchanges import ORDER, Pool, pool_op, turned
from labkit.traffic.kind import Context, Fault, Label, SegmentSize, Sockets, Traffic
from labkit.units import BitRate, Duration, Size

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

PLAYBACK_UNITS: dict[str, str] = {
    "flow": "name of the stream",
    "startup_s": "s from its start until playback began; NaN: never",
    "stalls": "how often playback stood still after that",
    "stalled_s": "s for which it did, all together",
    "mean_rate": "bit/s: mean of the segments that came; NaN: none",
    "switches": "how often the rate of a segment was another than that of the one before",
    "segments": "how many came",
    "complete": "all of them came",
}
KIND = "stream"
MOST = 100_000
_SEGMENT_LARGEST = 2**32 - 1
SEGMENTS = plain.RecordTable(
    "One row per segment of every Stream: its rate, when it came, what the buffer held.",
    {
        "flow": plain.flow("name of the stream"),
        "number": plain.whole("number", "of the segment: counts from 1"),
        "rate": plain.listed("rate", "ladder", "bit/s at which it is encoded"),
        "size_bytes": plain.listed("rate", "sizes", "bytes of payload"),
        "asked_s": plain.instant("sent_ns", "s since the start of the run: when the client asked for it"),
        "first_byte_s": plain.instant("first_ns", "s: when the client had the first of it; NaN: never"),
        "done_s": plain.instant("done_ns", "s: when it had all of it; NaN: not before the end"),
        "buffer_s": plain.seconds("buffered_ns", "s of video in the buffer when it was asked for"),
        "stalled_s": plain.seconds(
            "stalled_ns", "s for which playback had stood still when it went on with this one; 0: it did not"
        ),
        "complete": plain.reached("done_ns", "all of it came"),
    },
    Kind.SEGMENT,
    flows=KIND,
    order=ORDER,
)


class Stream(Traffic, init=False):
    """A viewer on host src watches a video of `length` (s) from host dst, from `start` (s) on: in segments of
    `segment` (s), one after the other over one TCP connection, each encoded at one of the rates of `ladder`
    (bit/s, ascending).

    buffer: s of video that the client keeps at most; it does not ask for a segment before there is room.
    begin: playback begins, and goes on after it has stood still, when so many s are there (one segment
    unless given). rule: which rate the next segment has. "throughput": the highest below 4/5 of the
    harmonic mean of the last three segments' throughput (Jiang, Sekar and Zhang, CoNEXT 2012, have the mean
    of 20), the lowest at first. "buffer": the lowest while the buffer is less than 3/8 full, the highest
    from 9/10 on, along a line between: BBA-0 (Huang and others, SIGCOMM 2014). request: bytes; service: how
    long (s) the server works on each. cc: congestion control of both ends. mss in bytes. name: as of a
    Flow.

    `result.segments` has a row for each, `result.playback` what the viewer saw of each stream.
    """

    one_connection: ClassVar[bool] = False
    kind: Literal["stream"] = "stream"
    length: Annotated[Duration, Field(gt=0)]
    ladder: Annotated[tuple[BitRate, ...], Field(min_length=1, max_length=32)] = (
        *(400_000, 1_000_000, 2_500_000),
        *(5_000_000, 8_000_000),
    )
    segment: Annotated[Duration, Field(ge=1e-3)] = 4.0
    buffer: Annotated[Duration, Field(gt=0)] = 30.0
    begin: Annotated[Duration, Field(gt=0)] | None = None
    rule: Literal["throughput", "buffer"] = "throughput"
    request: Annotated[Size, Field(ge=1, le=2**20)] = 400
    service: Duration = 0.0
    start: Duration = 0.0
    name: Label | None = None
    cc: StrictStr = "cubic"
    mss: SegmentSize | None = None

    @model_validator(mode="after")
    def _check(self) -> Stream:
        self.check()
        return self

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        for i, (low, high) in enumerate(zip(self.ladder, self.ladder[1:], strict=False)):
            if low >= high:
                yield ("ladder", i + 1), f"={high}: must be above the rate before it, {low}"
        if any(not 1 <= size <= _SEGMENT_LARGEST for size in self._sizes()):
            yield (
                ("ladder",),
                ": segments of 0 bytes, or above 4 GB: take other rates, or another length of segments",
            )
        if self.buffer < self.segment:
            yield ("buffer",), f"={self.buffer}: holds no segment of {self.segment} s: raise it"
        if self.begin is not None and self.begin > self.buffer:
            yield ("begin",), f"={self.begin}: the buffer never holds so much: at most {self.buffer} s"
        if self.length / self.segment > MOST:
            yield ("length",), f"={self.length}: over {MOST:,} segments: shorten it, or take longer ones"

    def sockets(self) -> Sockets:
        return Sockets("tcp", self.cc, self.request)

    def lasts(self) -> float:
        return self.length

    def carries(self) -> int:
        return self._segments() * (self.request + self._sizes()[-1])

    def record(self, context: Context) -> Record:
        """struct stream_op, and the sizes of segments."""
        pool = pool_op(context, Pool(self.cc, mss=self.mss, nodelay=True), self.carries())
        stream = STREAM_OP.pack(
            pool=pool,
            segments=self._segments(),
            segment_ns=units.ns(self.segment),
            buffer_ns=units.ns(self.buffer),
            begin_ns=units.ns(self.begin or self.segment),
            request=self.request,
            service_ns=units.ns(self.service),
            rule=RULES.index(self.rule),
            rates=len(self.ladder),
        )
        body = stream + struct.pack(f"<{len(self.ladder)}Q", *self._sizes())
        return Record(Op.STREAM, body, context.src_ns, units.ns(self.start))

    def _segments(self) -> int:
        return math.ceil(round(self.length / self.segment, 9))

    def _sizes(self) -> list[int]:
        return [round(rate * self.segment / 8) for rate in self.ladder]

    def facts(self, context: Context) -> dict[str, Any]:
        first = min(math.ceil(round((self.begin or self.segment) / self.segment, 9)), self._segments())
        own = {"kind": KIND, "sport": 0, "segments": self._segments(), "plays_with": first}
        return self.describe(turned(context)) | own | {"ladder": list(self.ladder), "sizes": self._sizes()}

    @classmethod
    def tables(cls) -> Mapping[str, plain.Table]:
        what = "One row per Stream: start-up delay, stalls, mean rate."
        return {"segments": SEGMENTS, "playback": plain.ComputedTable(what, PLAYBACK_UNITS, playback)}


def playback(run: Recorded) -> pd.DataFrame:
    """One row per stream: what its viewer saw. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.plain_columns import made

    found = made(SEGMENTS, run)
    rows = []
    for flow in run.part("flows"):
        if flow.get("kind") != KIND:
            continue
        asked = found[found["flow"] == flow["name"]]
        came = asked[asked["complete"]]
        begun = came.loc[came["number"] == flow["plays_with"], "done_s"]
        rows.append(
            {
                "flow": flow["name"],
                "startup_s": begun.iloc[0] - flow["start_s"] if len(begun) else float("nan"),
                "stalls": int((asked["stalled_s"] > 0).sum()),
                "stalled_s": float(asked["stalled_s"].sum()),
                "mean_rate": came["rate"].mean(),
                "switches": int((came["rate"].diff().fillna(0) != 0).sum()),
                "segments": len(came),
                "complete": len(came) == flow["segments"],
            }
        )
    return pd.DataFrame(rows, columns=list(PLAYBACK_UNITS))
