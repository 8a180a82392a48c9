"""The lab's own flows against iperf3, a program that knows nothing of labkit, run inside the same network.

Five points as the thesis (three hosts, 10 Mbit/s, MTU 1400) and GENI (a star of 100 Mbit/s) have them, of
three algorithms, four shares of lost packets and four round-trip times. A seed draws which packets are lost,
and both transfers lose the same ones, counted from their first full-size segment on: before that, iperf3
sends some control messages (`lead`). One more of its messages comes a little later, and what it writes is
cut into segments otherwise, so that late in a transfer a loss may hit a neighbour: retransmissions agree
within a few.

Both have socket buffers of 128 KiB. They keep iperf3 quick: once it has written all, it spins until the
receiver has it, and a program that spins has to be waited for, as its clock hardly moves.

Goodput: iperf3's receiver divides by the time since its client said "start", ours by that from the first
arrival to the last. They differ by about a round trip, and by the bytes that iperf3 counts to its last look
at the clock: 10 ms of 2.5 s, 0.3 s of 62 s. A retransmission timeout more or less (0.2 s) is 1 % of the
transfer with most of them (16 s). So 2 % are allowed; a wrong count of headers (3 to 5 %) would be seen.
"""

from __future__ import annotations

import functools
import json
import shutil
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from labkit import Capture, Command, DropPackets, Experiment, Flow, Link, Topology, run
from labkit.results.result import Result

BUFFER = 131_072
FULL = 1300  # bytes of payload that only data have
SHORT = 300_000  # bytes: long enough to see how a transfer begins

pytestmark = [
    pytest.mark.truth,
    pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3: sudo apt install iperf3"),
]


@dataclass(frozen=True)
class Point:
    """loss: share of the packets after the first full-size one. delay: of one link, one way."""

    net: str
    cc: str
    loss: float
    delay: str
    size: int
    seed: int = 1

    @property
    def ends(self) -> tuple[str, str]:
        return ("C", "A") if self.net == "thesis" else ("right", "left")

    def network(self, drops: list[int]) -> Topology:
        """Losses are at the router, towards the receiver."""
        lossy: dict[str, Any] = {"loss": DropPackets(drops) if drops else None}
        if self.net == "thesis":
            each = {"rate": "10mbit", "queue": "100p", "mtu": 1400, "delay": self.delay}
            links = [Link("C", "router", **each), Link("router", "A", forward=lossy, **each)]
            return Topology(["A", "router", "C"], links)
        each = {"rate": "98.44mbit", "queue": "1000p"}  # a frame of 1514 bytes takes 1538 on a real wire
        there = Link("center", "left", forward=lossy | {"delay": self.delay}, **each)
        return Topology(["center", "left", "right"], [there, Link("center", "right", **each)])

    def drops(self, after: int) -> list[int]:
        """The packets to lose, the first of which is number 1, in a transfer of `after` packets' lead."""
        most = int(1.3 * self.size / FULL)
        lost = np.random.default_rng(self.seed).random(most) < self.loss
        return [int(i) + after + 1 for i in np.flatnonzero(lost)]


POINTS = [
    Point("thesis", "reno", 0.01, "2.5ms", 5_000_000),
    Point("thesis", "cubic", 0.05, "50us", 5_000_000, seed=2),
    Point("thesis", "htcp", 0.10, "2.5ms", 3_000_000, seed=3),
    Point("geni", "cubic", 0.0, "300ms", 12_000_000),
    Point("geni", "reno", 0.05, "0.25ms", 10_000_000, seed=4),
]
NO_LOSS = Point("thesis", "reno", 0.0, "2.5ms", 3_000_000)


def ours(point: Point, size: int, drops: list[int], **more: Any) -> Result:
    """A flow of labkit."""
    flow = Flow(*point.ends, cc=point.cc, size=size, sndbuf=BUFFER, rcvbuf=BUFFER)
    return run(Experiment(point.network(drops), flows=[flow], probes=[], **more))


def theirs(point: Point, size: int, drops: list[int], **more: Any) -> Result:
    """The same by iperf3."""
    source, sink = point.ends
    client = f"iperf3 -c {sink} -n {size} -w {BUFFER // 2} -l 500000 -C {point.cc} -J"
    commands = [Command(sink, "iperf3 -s -1 > /dev/null"), Command(source, client, at="1s")]
    return run(Experiment(point.network(drops), commands=commands, probes=[], time_limit="300s", **more))


def lead(result: Result, host: str) -> int:
    """How many packets come to a host before the first full-size segment."""
    table = result.packet_table(host)
    coming = table.loc[table["direction"] == "in", "payload"].to_numpy()
    assert coming.max() > FULL
    return int(np.argmax(coming > FULL))


@functools.cache
def transfers(point: Point) -> tuple[Result, dict[str, Any]]:
    """Ours, and the report of iperf3's client, which holds the receiver's figures."""
    source, sink = point.ends
    first = [0, 0]
    if point.loss:
        first = [lead(by(point, SHORT, [], capture=[Capture(sink)]), sink) for by in (ours, theirs)]
    mine = ours(point, point.size, point.drops(first[0]))
    report = theirs(point, point.size, point.drops(first[1])).output(source)
    end: dict[str, Any] = json.loads(report)["end"]
    return mine, end


@pytest.mark.parametrize("point", [NO_LOSS, *POINTS], ids=lambda p: f"{p.net}-{p.cc}-{p.loss:g}-{p.delay}")
def test_goodput_agrees_with_iperf3(point: Point) -> None:
    mine, end = transfers(point)
    assert mine.goodput().iloc[0] == pytest.approx(end["sum_received"]["bits_per_second"] / 1e6, rel=0.02)


def test_without_losses_neither_retransmits() -> None:
    mine, end = transfers(NO_LOSS)
    assert mine.retransmits().iloc[0] == end["sum_sent"]["retransmits"] == 0


@pytest.mark.parametrize("point", [p for p in POINTS if p.loss], ids=lambda p: f"{p.net}-{p.cc}-{p.loss:g}")
def test_both_send_again_what_was_lost(point: Point) -> None:
    """As many as were drawn, or more: what was taken for lost, and what follows the last that was drawn."""
    mine, end = transfers(point)
    counts = mine.retransmits().iloc[0], end["sum_sent"]["retransmits"]
    segments = point.size / (1348 if point.net == "thesis" else 1448)
    assert min(counts) >= 0.8 * point.loss * segments
    assert counts[0] == pytest.approx(counts[1], rel=0.06)
