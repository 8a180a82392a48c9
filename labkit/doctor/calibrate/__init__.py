"""Does the lab do what it was told? Measurements of it by its own traffic, against what was configured.

Every figure comes from a run as any reader would make it: UDP flows, TCP flows and the machine's own
ping, through links built by the same compiler. Nothing is subtracted that is not named here:

- rate: from the first arrival to the last of a flow that never lets the queue run empty, so that n
  frames take n - 1 frame times. A frame is 1472 bytes of payload and 42 of headers (Ethernet's 14 as
  tbf counts them, IP 20, UDP 8).
- delay: of a single datagram, from the instant its flow was to start to its arrival, or ping's round
  trip. An idle tbf lets a frame pass at once, as its bucket holds one: serialisation appears between
  frames, not in front of the first, so that a lone packet takes `delay` and no more.
- queue: a burst into an idle link. One frame more than the queue's limit arrives: the one that found
  the bucket full was on the wire before the queue began to fill.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pandas as pd

from labkit.doctor.calibrate import counts as packets
from labkit.doctor.calibrate import timing
from labkit.doctor.calibrate.measurement import Measurement, Row
from labkit.execute.machine import processors
from labkit.results.run import run

UNITS = {
    "what": "what was measured, with the unit of the figures",
    "configured": "in that unit",
    "measured": "in that unit",
    "error": "measured - configured",
    "limit": "the largest |error| on that side that is no fault of the lab's",
    "ok": "|error| <= limit",
}


def calibrate(measurements: Sequence[Measurement] | None = None, *, place: str = "guest") -> pd.DataFrame:
    """Measure, two runs at a time; one row per figure, columns as in UNITS.

    Never from the cache. Raises LabkitError.
    """
    chosen = list(everything()) if measurements is None else list(measurements)

    def measure(one: Measurement) -> list[Row]:
        return one.read(run(one.experiment, cache=False, place=place))

    with ThreadPoolExecutor(processors.number()) as pool:
        rows = [row for rows in pool.map(measure, chosen) for row in rows]
    table = pd.DataFrame(
        [(r.what, r.configured, r.measured, r.error, r.limit, r.ok) for r in rows], columns=list(UNITS)
    )
    table.attrs["units"] = UNITS
    return table


def everything() -> Iterator[Measurement]:
    """All that `labkit doctor --calibrate` measures."""
    yield from (timing.rate(mbit, path) for mbit in (1, 10, 100, 1000) for path in ("wire", "router"))
    yield from (timing.delay(ms, mbit) for ms in (1, 5, 25, 100, 300) for mbit in (None, 10))
    yield from (timing.ping(ms) for ms in (1, 25, 300))
    yield from (packets.random_loss(percent) for percent in (0.1, 1, 5, 20))
    yield packets.gilbert_elliott(0.01, 0.19)
    yield packets.bursts(0.05, 0.25)
    yield from (packets.every_nth(n) for n in (10, 1000, 70_000))
    yield packets.drop_packets((1, 2, 5, 999, 10_000))
    yield from (packets.corruption(5), packets.duplication(5))
    yield from (packets.queue(limit, path) for limit in (1, 10, 100, 1000) for path in ("wire", "router"))
    yield from (timing.start_times(), timing.change_instant(), timing.rate_change(), timing.kernel_timer())
