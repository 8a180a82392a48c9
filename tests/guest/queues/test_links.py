"""What a link is told to do is what packets see, exactly where there is no chance in it."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from labkit.execute.guest.kernel.config import FRAGMENT
from labkit.qdiscs import KINDS
from labkit.spec import Change, DropPackets, EveryNth, Experiment, Flow, GilbertElliott, Queue, QueueClass
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, binomial, counter, fresh, packets, pings, received

BUILT_IN = ("pfifo", "bfifo", "pfifo_fast")
OPTIONS: dict[str, dict[str, Any]] = {
    "pfifo": {"packets": 50},
    "bfifo": {"bytes": "75kB"},
    "sfq": {"packets": 60, "perturb": 10},
    "red": {"bytes": "150kB", "min": "15kB", "max": "45kB", "probability": 0.1},
    "codel": {"packets": 100, "target": "5ms", "interval": "100ms"},
    "fq": {"packets": 100, "flow_limit": 50},
    "fq_codel": {"packets": 100, "target": "5ms", "interval": "100ms", "flows": 64},
    "cake": {"bytes": "150kB"},
    "pie": {"packets": 100, "target": "15ms"},
    "fq_pie": {"packets": 100, "target": "15ms"},
    "choke": {"packets": 100},
    "sfb": {"packets": 100},
    "hhf": {"packets": 100},
    "htb": {"classes": [QueueClass("all", rate="10mbit")]},
    "drr": {"classes": ["all"]},
    "ets": {"classes": ["all"]},
}


def test_delay_is_exact_to_a_microsecond() -> None:
    table = packets(10, delay="25ms").flows.iloc[0]
    assert table["first_byte_s"] - table["start_s"] == pytest.approx(0.025, abs=1e-6)


def test_a_link_without_delay_has_none() -> None:
    table = packets(10).flows.iloc[0]
    assert table["first_byte_s"] - table["start_s"] == pytest.approx(0, abs=1e-6)


def test_each_direction_has_its_own_delay() -> None:
    assert pings(3, forward={"delay": "5ms"}, backward={"delay": "2ms"}) == pytest.approx([7.0] * 3, abs=0.02)


def test_uniform_jitter_fills_its_bounds() -> None:
    times = pings(300, forward={"delay": "5ms", "jitter": "2ms"})
    assert 2.99 <= min(times) < 3.1
    assert 6.9 < max(times) <= 7.01
    assert statistics.mean(times) == pytest.approx(5, abs=3.29 * 2 / 3**0.5 / 300**0.5)


@pytest.mark.parametrize("distribution", ["normal", "pareto", "paretonormal"])
def test_jitter_has_the_spread_of_its_distribution(distribution: str) -> None:
    way = {"delay": "5ms", "jitter": "1ms", "distribution": distribution}
    times = pings(300, forward=way)
    assert min(times) >= 0.99
    assert max(times) <= 9.01
    assert statistics.mean(times) == pytest.approx(5, abs=0.3)
    assert statistics.pstdev(times) == pytest.approx(1, abs=0.35)
    if distribution == "pareto":
        assert max(times) - 5 > 5 - min(times)


def test_every_nth_packet_is_lost_and_no_other() -> None:
    assert received(packets(1000, loss=EveryNth(7))) == 1000 - 1000 // 7


def test_every_nth_packet_of_a_large_n_is_lost() -> None:
    many = Flow("left", "right", protocol="udp", rate="8gbit", packet=100, size=100 * 70_001)
    result = fresh(Experiment(pair(loss=EveryNth(70_000)), flows=[many], probes=NOTHING))
    assert received(result) == 70_000


def test_exactly_the_named_packets_are_lost() -> None:
    result = packets(100, loss=DropPackets([1, 2, 50, 100]))
    assert received(result) == 96
    flow = result.flows.iloc[0]
    assert (flow["first_byte_s"], flow["last_byte_s"]) == pytest.approx((0.002, 0.098), abs=1e-5)


def test_a_named_packet_is_lost_once_and_retransmitted_once() -> None:
    network = pair(delay="10ms", loss=DropPackets([10]))
    result = fresh(Experiment(network, flows=[Flow("left", "right", size="100kB")]))
    assert result.retransmits()["left-right"] == 1
    assert counter(result, "left", "TcpRetransSegs") == 1
    assert counter(result, "left", "TcpExtTCPTimeouts") == 0


def test_random_loss_is_as_likely_as_asked_for() -> None:
    least, most = binomial(3000, 0.1)
    assert least <= 3000 - received(packets(3000, loss="10%")) <= most


def test_loss_in_one_direction_leaves_the_other_alone() -> None:
    network = pair(forward={"loss": "100%"})
    flow = Flow("right", "left", protocol="udp", rate="800kbit", packet=100, size=10_000)
    assert received(fresh(Experiment(network, flows=[flow], probes=NOTHING))) == 100


def test_gilbert_elliott_loses_its_stationary_share() -> None:
    p, r, n = 0.01, 0.25, 10_000
    share, correlation = p / (p + r), 1 - p - r
    spread = 3.29 * (n * share * (1 - share) * (1 + correlation) / (1 - correlation)) ** 0.5
    lost = n - received(packets(n, loss=GilbertElliott(p, r)))
    assert lost == pytest.approx(n * share, abs=spread)


def test_corrupted_packets_are_counted_and_never_delivered() -> None:
    result = packets(2000, corrupt="5%")
    lost = 2000 - received(result)
    least, most = binomial(2000, 0.05)
    assert least <= lost <= most
    assert 0 < counter(result, "right", "UdpInCsumErrors") <= lost
    assert result.flows["received_bytes"].iloc[0] == 100 * received(result)


def test_corrupted_segments_are_retransmitted_until_all_is_there() -> None:
    network = pair(delay="2ms", corrupt="5%")
    result = fresh(Experiment(network, flows=[Flow("left", "right", size="300kB")]))
    assert result.flows["received_bytes"].iloc[0] == 300_000
    assert counter(result, "right", "TcpInCsumErrors") > 0
    assert result.retransmits().iloc[0] > 0


def test_duplicated_packets_arrive_twice() -> None:
    least, most = binomial(2000, 0.05)
    assert least <= received(packets(2000, duplicate="5%")) - 2000 <= most


def test_reordered_packets_overtake_those_that_are_delayed() -> None:
    times = pings(300, forward={"delay": "5ms", "reorder": "20%"})
    at_once = [time for time in times if time < 1]
    least, most = binomial(300, 0.2)
    assert least <= len(at_once) <= most
    assert all(time == pytest.approx(5, abs=0.02) for time in times if time >= 1)


def test_the_receiver_sees_reordering_as_such() -> None:
    network = pair(rate="10mbit", delay="5ms", reorder="3%", queue="1000p")
    result = fresh(Experiment(network, flows=[Flow("left", "right", size="500kB")]))
    assert counter(result, "right", "TcpExtTCPOFOQueue") > 0


def test_a_wire_limit_drops_what_does_not_fit_in_flight() -> None:
    # 4.5 ms hold five packets at one a millisecond: of each five, the first three find room
    assert received(packets(1000, delay="4.5ms", wire_limit="3p")) == 600


def test_without_a_wire_limit_the_wire_holds_everything() -> None:
    flow = Flow("left", "right", protocol="udp", rate="800mbit", packet=100, size=500_000)
    assert received(fresh(Experiment(pair(delay="1s"), flows=[flow], probes=NOTHING))) == 5000


def test_rate_counts_ethernet_frames() -> None:
    flow = Flow("left", "right", protocol="udp", rate="20mbit", duration="1s")
    result = fresh(Experiment(pair(rate="10mbit", queue="10p"), flows=[flow]))
    packet = 1472 * 8e-6  # the first goes at once
    assert result.goodput().iloc[0] == pytest.approx(10 * 1472 / 1514, abs=1.01 * packet)


def test_queue_samples_stay_within_the_limit_and_reach_it() -> None:
    flow = Flow("left", "right", protocol="udp", rate="20mbit", duration="1s")
    result = fresh(Experiment(pair(rate="10mbit", queue="25p"), flows=[flow], sample_interval="10ms"))
    forward = result.backlog[result.backlog["host"] == "left"]
    assert forward["backlog_packets"].max() == 25
    lost = int((result.flows["sent_packets"] - result.flows["received_packets"]).iloc[0])
    assert forward["drops"].max() == lost


@pytest.mark.parametrize("network", [pair, dumbbell])
def test_cubic_overflows_a_short_queue(network: Any) -> None:
    experiment = Experiment(
        network(rate="10mbit", delay="20ms", queue="20p"), flows=[Flow("left", "right", duration="10s")]
    )
    result = fresh(experiment)
    bottleneck = result.backlog[result.backlog["host"] == ("left" if network is pair else "r1")]
    bottleneck = bottleneck[bottleneck["peer"] == ("right" if network is pair else "r2")]
    assert bottleneck["drops"].max() > 0
    assert bottleneck["backlog_packets"].max() <= 20
    assert result.retransmits().iloc[0] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_queue_passes_traffic(kind: str) -> None:
    if f"CONFIG_NET_SCH_{kind.upper()}=y" not in FRAGMENT.read_text() and kind not in BUILT_IN:
        pytest.skip(f"lab.config leaves {kind} out")
    queue = Queue(kind, **OPTIONS.get(kind, {}))
    network = pair(rate="10mbit", delay="5ms", queue=queue)
    result = fresh(Experiment(network, flows=[Flow("left", "right", size="300kB")], sample_interval="20ms"))
    assert set(result.backlog["kind"]) == {kind}
    assert result.flows["complete"].all()
    assert result.goodput().iloc[0] > 5
    if KINDS[kind].limit == "packets":
        assert result.backlog["backlog_packets"].max() <= OPTIONS[kind]["packets"]


def test_a_delay_changes_when_it_is_told_to() -> None:
    times = pings(10, every_ms=100, delay="5ms", changes=(Change("450ms", ("left", "right"), delay="15ms"),))
    assert times == pytest.approx([10.0] * 5 + [30.0] * 5, abs=0.05)


def test_a_rate_changes_when_it_is_told_to() -> None:
    flow = Flow("left", "right", protocol="udp", rate="20mbit", duration="2s")
    change = Change("1s", ("left", "right"), rate="5mbit")
    result = fresh(Experiment(pair(rate="10mbit", queue="10p"), flows=[flow], changes=[change]))
    sent = result.backlog[result.backlog["host"] == "left"].set_index("time_s")["sent_bytes"]
    assert 8 * (sent[0.9] - sent[0.1]) / 0.8 == pytest.approx(10e6, rel=5e-3)
    assert 8 * (sent[1.9] - sent[1.1]) / 0.8 == pytest.approx(5e6, rel=5e-3)


LOSSES: list[tuple[Any, Any, int]] = [
    (None, EveryNth(2), 500 + 250),
    (EveryNth(2), None, 250 + 500),
    (None, "100%", 500),
    ("100%", None, 500),
    (EveryNth(2), EveryNth(5), 250 + 400),
    (None, DropPackets([1, 500]), 498 + 500),
    (DropPackets([1, 2]), EveryNth(4), 498 + 375),
    (EveryNth(4), DropPackets([7]), 375 + 499),
    (DropPackets([9]), "100%", 499),
]


@pytest.mark.parametrize(("before", "after", "expected"), LOSSES, ids=str)
def test_a_loss_changes_its_kind_when_it_is_told_to(before: Any, after: Any, expected: int) -> None:
    # packets leave at 0, 1, 2, ... ms: 500 before 499.5 ms, 500 after it
    change = Change("499.5ms", ("left", "right"), direction="forward", loss=after)
    assert received(packets(1000, loss=before, changes=(change,))) == expected


@pytest.mark.parametrize("kind", ["fq_codel", "sfq", "pie", "codel", "prio"])
def test_a_queue_changes_its_kind_when_it_is_told_to(kind: str) -> None:
    change = Change("1s", ("left", "right"), queue=kind)
    flow = Flow("left", "right", duration="2s")
    result = fresh(Experiment(pair(rate="10mbit", delay="5ms", queue="50p"), flows=[flow], changes=[change]))
    table = result.backlog
    assert set(table[table["time_s"] < 1]["kind"]) == {"pfifo"}
    assert set(table[table["time_s"] > 1]["kind"]) == {kind}
    sent = table[table["host"] == "left"].set_index("time_s")["sent_bytes"]
    assert sent.iloc[-1] > 1e6


def test_a_rate_comes_and_goes() -> None:
    changes = (
        Change("1s", ("left", "right"), rate="1mbit", queue="5p"),
        Change("2s", ("left", "right"), rate=None),
    )
    flow = Flow("left", "right", protocol="udp", rate="2mbit", duration="3s")
    result = fresh(Experiment(pair(delay="1ms"), flows=[flow], changes=changes))
    sent = int(result.flows["sent_packets"].iloc[0])
    assert sent - received(result) == pytest.approx(1e6 / 8 / 1514, abs=12)  # half of a second's packets
