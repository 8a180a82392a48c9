"""Figures of a flow's course, against other witnesses of the same run: its packets, the wire, its windows."""

from __future__ import annotations

import pytest

from labkit import DropPackets, EveryNth, Experiment, Flow, Link, SpecError, Topology, pair
from labkit.measures.dynamics import UNITS
from labkit.measures.vocabulary import as_measure
from labkit.results.result import Result
from tests.guest.helpers import fresh

PROBES = {"tcp_info", "backlog", "drops"}


def course(*, rate: str = "100mbit", n: int = 200, queue: str = "500p") -> Experiment:
    net = pair(rate=rate, delay="10ms", queue=queue, loss=EveryNth(n))
    flow = Flow("left", "right", cc="reno", duration="10s", rcvbuf="8MB")
    return Experiment(net, flows=[flow], probes=PROBES, sample_interval="1ms", capture=["left", "right"])


@pytest.fixture(scope="module")
def result() -> Result:
    return fresh(course())


@pytest.fixture(scope="module")
def row(result: Result) -> dict[str, float]:
    return as_measure(list(UNITS))(result)[0]


def test_packets_and_acks_are_those_of_the_captures(result: Result, row: dict[str, float]) -> None:
    left, right = result.packet_table("left"), result.packet_table("right")
    sent = left.query("direction == 'out' and payload > 0")
    assert row["data_packets"] == len(sent)
    assert row["retransmitted"] == len(sent) - sent.seq.nunique()
    acks = right.query("direction == 'out' and payload == 0")
    assert row["acks"] == pytest.approx(len(acks), abs=2)  # SYN-ACK and what the end itself sends
    assert row["packets_per_10ms"] == pytest.approx(len(sent) / 1000)


def test_acks_with_sack_blocks_are_counted_by_what_came_out_of_order(
    result: Result, row: dict[str, float]
) -> None:
    acks = result.packet_table("right").query("direction == 'out' and sacks > 0")
    # An ACK that fills one of two holes has blocks as well, and is of no packet out of order.
    assert row["duplicate_acks"] == pytest.approx(len(acks), rel=0.05)


def test_the_wire_lost_one_in_n_and_the_queue_none(result: Result, row: dict[str, float]) -> None:
    crossed = result.packet_table("left").query("direction == 'out'")
    assert row["induced_losses"] == len(crossed) // 200
    assert row["queue_losses"] == 0


def test_timeouts_are_those_of_the_host_that_the_flow_comes_from() -> None:
    """Both SYN-ACKs are lost: either end's timer runs out, and the kernel counts both."""
    link = Link("left", "right", rate="10mbit", delay="10ms", backward={"loss": DropPackets([1, 2])})
    silent = fresh(
        Experiment(Topology(["left", "right"], [link]), flows=[Flow("left", "right", size="100kB")])
    )
    counted = silent.counters.query("name == 'TcpExtTCPTimeouts'").set_index("host").delta
    assert counted.to_dict() == {"left": 1, "right": 1}
    assert as_measure("timeouts")(silent) == [{"flow": "left-right", "timeouts": 1}]


def test_a_periodic_loss_gives_the_sawtooth_of_its_period(row: dict[str, float]) -> None:
    # W = sqrt(3/2 n) on average, and n is so large that the window's steps hardly count (Mathis et al. 1997)
    assert row["cwnd_mean"] == pytest.approx((1.5 * 200) ** 0.5, rel=0.1)
    assert row["recoveries"] == row["congestion_signals"]
    assert 0 <= row["induced_losses"] - row["recoveries"] <= 1  # the end may cut one
    steps = row["avoidance_steps"] / row["recoveries"]  # from 2/3 of the mean to 4/3 of it, in whole packets
    assert row["cwnd_mean"] * 2 / 3 - 2 < steps < row["cwnd_mean"] * 2 / 3  # and none while it recovers
    assert 20 < row["rtt_mean"] < 22  # 10 ms there and back; the line is not full


def test_the_later_half_is_without_slow_start(row: dict[str, float]) -> None:
    assert row["cwnd_mean_later"] == pytest.approx((1.5 * 200) ** 0.5, rel=0.08)
    # sigma over mean of an even way from w/2 to w is 0.5 / (sqrt(3) * 1.5); recovery, whole packets
    assert row["cwnd_cv_later"] == pytest.approx(0.19, rel=0.2)
    assert row["cwnd_cv_later"] < row["cwnd_std"] / row["cwnd_mean"]
    assert row["rate_cv_later"] < row["rate_cv"] and row["rate_later"] < row["rate"]


def test_the_end_of_a_recovery_is_no_moderation(row: dict[str, float]) -> None:
    assert row["recoveries"] > 20 and row["moderations"] == 0


def test_rates_are_those_of_the_seconds(result: Result, row: dict[str, float]) -> None:
    assert row["rate"] == pytest.approx(result.goodput().iloc[0], rel=0.02)
    assert row["rate_cv"] == pytest.approx(row["rate_std"] / row["rate"])


def test_a_full_queues_losses_are_not_the_wires(row: dict[str, float]) -> None:
    full = fresh(course(rate="10mbit", n=65536, queue="20p"))
    (found,) = as_measure(["queue_losses", "induced_losses", "queue_over_cwnd"])(full)
    assert found["queue_losses"] > 0 == found["induced_losses"]
    assert 0.2 < found["queue_over_cwnd"] < 1 > row["queue_over_cwnd"]


def test_it_takes_one_flow_of_tcp_and_its_probes() -> None:
    two = [Flow("left", "right", duration="1s"), Flow("left", "right", duration="1s", name="b")]
    for flows, probes, name in ((two, PROBES, "rate"), (two[:1], {"tcp_info"}, "queue_mean")):
        exp = Experiment(pair(rate="1mbit", delay="5ms"), flows=flows, probes=probes)
        with pytest.raises(SpecError, match=f"measure='{name}': takes an experiment with one TCP flow"):
            as_measure(name)(fresh(exp))


def test_losses_and_timeouts_are_counted_of_any_number_of_flows() -> None:
    flows = [Flow("left", "right", duration="2s", name=name) for name in ("a", "b")]
    exp = Experiment(pair(rate="5mbit", delay="5ms", loss="5%"), flows=flows, probes={"drops"})
    result = fresh(exp)
    (row,) = as_measure(["induced_losses", "queue_losses", "timeouts"])(result)
    assert row["flow"] == "all"
    assert row["induced_losses"] == (result.drops["cause"] == "wire loss").sum() > 0
    assert row["timeouts"] == result.counters.query("name == 'TcpExtTCPTimeouts'").delta.sum()
