"""A link whose rate follows a trace carries what the trace says, second by second, as captures have it."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import pytest

from labkit.results.result import Result
from labkit.spec import Capture, Experiment, Flow, Trace
from labkit.spec.topologies import dumbbell, pair
from labkit.spec.traced_rate import shipped_text
from tests.guest.helpers import NOTHING, fresh

DELAY_S = 0.02


def flood(src: str = "left", dst: str = "right", **fields: Any) -> Flow:
    """More full-size datagrams than the traces here carry."""
    return Flow(src, dst, **{"protocol": "udp", "rate": "9mbit", "packet": 1472, "duration": "35s"} | fields)


def ran(topology: Any, flows: list[Flow], seconds: int = 35) -> Result:
    """For a second more than asked for, in which the last ones arrive."""
    capture, end = [Capture("left", snap=96), Capture("right", snap=96)], f"{seconds + 1}s"
    return fresh(Experiment(topology, flows=flows, duration=end, capture=capture, probes=NOTHING))


def arrived(result: Result, host: str, after_s: float = DELAY_S) -> Counter[int]:
    """Second of the run -> full-size packets that left the queue in it."""
    table = result.packet_table(host)
    mine = table[(table["direction"] == "in") & (table["payload"] > 1000)]
    return Counter(int(time - after_s) for time in mine["time_s"])


def departed(result: Result) -> list[float]:
    """When (s) each full-size packet left the queue."""
    table = result.packet_table("right")
    return sorted(table[table["payload"] > 1000]["time_s"] - DELAY_S)


def opportunities(name: str, seconds: int) -> Counter[int]:
    """The same of Mahimahi's own lines, as Mahimahi repeats them; nothing of Trace is used."""
    times = [int(line) for line in shipped_text(name).split()]
    found: Counter[int] = Counter()
    for turn in count():
        if turn * times[-1] >= 1000 * seconds:
            return found
        found.update((turn * times[-1] + time - 1) // 1000 for time in times)
    return found


@pytest.mark.parametrize(("name", "bin"), [("walk", "20ms"), ("train", "50ms")])
def test_a_flood_gets_every_opportunity_of_the_trace_each_second(name: str, bin: str) -> None:
    """One packet may fall to the other side of a second's edge; traces repeat after 30 s."""
    trace = Trace.shipped(name, bin)
    result = ran(pair(rate=trace, delay="20ms", queue="200p"), [flood()])
    found, wanted = arrived(result, "right"), opportunities(name, 35)
    assert {s: (found[s], wanted[s]) for s in range(35) if abs(found[s] - wanted[s]) > 1} == {}
    assert sum(found[s] for s in range(35)) == pytest.approx(sum(wanted[s] for s in range(35)), abs=2)


def test_each_direction_follows_its_own_trace() -> None:
    ways = {"forward": {"rate": Trace.shipped("train")}, "backward": {"rate": Trace.shipped("walk")}}
    result = ran(pair(delay="20ms", queue="200p", **ways), [flood(), flood("right", "left")], 20)
    for host, name in (("right", "train"), ("left", "walk")):
        found, wanted = arrived(result, host), opportunities(name, 20)
        assert {s: (found[s], wanted[s]) for s in range(20) if abs(found[s] - wanted[s]) > 1} == {}


def test_tcp_gets_nearly_all_of_a_trace_without_long_outages() -> None:
    """A queue that never runs dry: what CUBIC leaves is its slow start, a second's worth."""
    trace = Trace([(0, "6mbit"), (3, "2mbit"), (5, "4mbit")], "7s")
    result = ran(pair(rate=trace, delay="20ms", queue="300p"), [Flow("left", "right", duration="21s")], 21)
    found = arrived(result, "right")
    for second in range(1, 20):
        wanted = trace.rate_at(second) / 8 / 1514
        assert wanted * 0.99 - 1 <= found[second] <= wanted * 1.01 + 2, second


def test_on_a_router_the_queue_is_another_device_and_the_rate_the_same() -> None:
    trace = Trace.shipped("train")
    topology = dumbbell(rate=trace, delay="20ms", queue="200p", access_rate="100mbit")
    found, wanted = arrived(ran(topology, [flood()], 15), "right", DELAY_S + 1e-3), opportunities("train", 15)
    assert {s: (found[s], wanted[s]) for s in range(1, 15) if abs(found[s] - wanted[s]) > 2} == {}


@pytest.mark.parametrize("queue", ["100p", "150kB", "sfq", "pfifo", "pfifo_fast"])
def test_in_an_outage_packets_wait_and_the_queue_keeps_its_limit(queue: Any) -> None:
    """20 packets come in the 20 ms before an outage of 2 s. The line takes 9 of them, one more passes as the
    outage begins, and the rest waits until it ends; none is lost. tbf's timer is not set anew by a change, so
    that one leaves when it would have anyway; a rate is whole bytes per second: 756 here, some ms late."""
    trace = Trace([(0, "5mbit"), (1, 0), (3, "5mbit")])
    flow = flood(rate="12mbit", start="0.98s", duration=None, size=20 * 1472)
    times = departed(ran(pair(rate=trace, delay="20ms", queue=queue), [flow], 4))
    assert len(times) == 20
    assert sum(time < 1 for time in times) == 9
    assert times[9] == pytest.approx(1, abs=2.5e-3)
    assert 3 <= times[10] < 3.005
    assert times[19] - times[10] == pytest.approx(9 * 1514 * 8 / 5e6, rel=0.01)


def test_an_outage_that_finds_the_queue_empty_lets_the_first_packet_through() -> None:
    """Two packets at 1.1 s: the second is due 2 s later, unless one that comes after the outage wakes tbf."""
    trace = Trace([(0, "5mbit"), (1, 0), (3, "5mbit")])
    two = flood(rate="12mbit", start="1.1s", duration=None, size=2 * 1472)
    third = flood(start="3.05s", duration=None, size=1472, name="third")
    topology = pair(rate=trace, delay="20ms", queue="100p")
    assert departed(ran(topology, [two], 4)) == pytest.approx([1.1, 3.1], abs=4e-3)
    assert departed(ran(topology, [two, third], 4)) == pytest.approx([1.1, 3.05, 3.05], abs=4e-3)


def test_a_step_does_not_lengthen_a_fifo() -> None:
    """60 packets come into a queue of 10 after many steps: tbf and queue hold 10, one is on the line."""
    steps = [(i / 100, f"{80 + i % 2}kbit") for i in range(100)]
    flow = flood(rate="100mbit", start="1.5s", duration=None, size=60 * 1472)
    result = ran(pair(rate=Trace(steps), delay="20ms", queue="10p"), [flow], 5)
    assert sum(arrived(result, "right").values()) == 11


def test_the_same_experiment_gives_the_same_bytes() -> None:
    topology = pair(rate=Trace.shipped("drive"), delay="20ms", queue="100p")
    one, other = (ran(topology, [Flow("left", "right", duration="8s")], 8) for _ in range(2))
    assert one.digest() == other.digest()
