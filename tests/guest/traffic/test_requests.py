"""Latencies of requests are those that the network, the standards and the server's work make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.lab.laboratory import Lab
from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Flow, Requests
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, binomial, fresh

RTT = 0.020
EXACT = 5e-6  # s: a few ticks of the lab's clock, each 0.3 us
MSS, FRAME, ACK = 1448, 1514, 66  # bytes: of payload; with all headers; of headers alone
RATE = 10e6
LINE = pair(delay="10ms")


def asked(network: Any = LINE, *, seed: int = 1, sysctls: Any = (), **fields: Any) -> Result:
    """Requests of 100 bytes from left to right."""
    flow = Requests("left", "right", **({"request": 100, "response": 1000} | fields))
    return fresh(Experiment(network, flows=[flow], seed=seed, sysctls=dict(sysctls), probes=NOTHING))


def test_a_small_request_takes_one_round_trip() -> None:
    table = asked(count=20).requests
    assert table["number"].tolist() == list(range(1, 21))
    assert table["complete"].all()
    np.testing.assert_allclose(table["latency_s"], RTT, atol=EXACT)
    np.testing.assert_allclose(table["first_byte_s"], table["sent_s"] + RTT, atol=EXACT)


@pytest.mark.parametrize("segments", [1, 2, 10])
def test_a_response_takes_the_time_of_its_frames_on_the_line(segments: int) -> None:
    """The bucket of the rate holds one frame, so all but the first wait; before the response goes an ACK."""
    network = pair(rate="10mbit", delay="10ms")
    table = asked(network, response=segments * MSS, count=1).requests
    serialised = (ACK + (segments - 1) * FRAME) * 8 / RATE
    assert table["latency_s"][0] == pytest.approx(RTT + serialised, abs=EXACT)


@pytest.mark.parametrize(
    ("segments", "rounds"), [(1, 1), (10, 1), (11, 2), (30, 2), (31, 3), (70, 3), (71, 4)]
)
def test_a_response_takes_the_rounds_of_slow_start(segments: int, rounds: int) -> None:
    """RFC 6928: ten segments at first. RFC 5681, 3.1: one more for each acknowledged: 10, 20, 40."""
    table = asked(response=segments * MSS, count=1, cc="reno").requests
    assert table["latency_s"][0] == pytest.approx(rounds * RTT, abs=20 * EXACT)


@pytest.mark.parametrize(("restart", "rounds"), [(1, [3, 3, 3]), (0, [3, 1, 1])])
def test_a_long_think_time_closes_the_window(restart: int, rounds: list[int]) -> None:
    """RFC 5681, 4.1: after more than an RTO of silence a sender begins anew, unless it is told not to."""
    sysctls = {"net.ipv4.tcp_slow_start_after_idle": restart}
    table = asked(response=40 * MSS, count=3, think="5s", cc="reno", sysctls=sysctls).requests
    np.testing.assert_allclose(table["latency_s"], np.array(rounds) * RTT, atol=20 * EXACT)


@pytest.mark.parametrize("think", ["0s", "1ms", "150ms"])
def test_thinking_adds_nothing_to_latency(think: str) -> None:
    table = asked(count=5, think=think).requests
    np.testing.assert_allclose(table["latency_s"], RTT, atol=EXACT)
    np.testing.assert_allclose(
        table["sent_s"][1:], table["done_s"][:-1] + table["think_s"][1:].to_numpy(), atol=EXACT
    )


@pytest.mark.parametrize("service", ["1us", "3ms", "1s"])
def test_the_servers_work_adds_itself(service: str) -> None:
    result = asked(count=5, service=service)
    spent = result.experiment.flows[0].service  # type: ignore[attr-defined]
    np.testing.assert_allclose(result.requests["latency_s"], RTT + spent, atol=EXACT)


def test_a_request_of_many_segments_is_answered_when_the_last_is_there() -> None:
    table = asked(request=30 * MSS, response=1, count=1, cc="reno").requests
    assert table["latency_s"][0] == pytest.approx(2 * RTT, abs=20 * EXACT)


def test_exponential_think_times_are_exponential() -> None:
    """Their mean has the standard error mean/sqrt(n); a share of 1/e of them is longer than the mean. Both
    within the interval of 99.9 %."""
    count, mean = 1000, 0.05
    think = asked(count=count + 1, think=mean, pattern="exponential").requests["think_s"][1:]
    assert abs(think.mean() - mean) < 3.29 * mean / count**0.5
    low, high = binomial(count, np.exp(-1))
    assert low < (think > mean).sum() < high
    assert asked(count=3, think=mean, pattern="exponential", seed=2).requests["think_s"][1] != think[1]


def numbers_out(result: Result) -> pd.Series[int]:
    """Of each packet that left the server: how many bytes of payload it had; the first is number 1."""
    table = result.packet_table("right")
    out = table[table["direction"] == "out"]["payload"].reset_index(drop=True)
    return out.set_axis(out.index + 1)


def with_drop(segments: int, *dropped: int) -> float:
    """Latency of the second of two responses when some of its segments (from 0) are lost at first."""
    flow = Requests("left", "right", request=100, response=segments * MSS, count=2)
    exp = Experiment(LINE, flows=[flow], probes=NOTHING, capture=["right"])
    payload = numbers_out(fresh(exp))
    data = payload[payload > 0].index
    lost = DropPackets([int(data[segments + number]) for number in dropped])
    line = pair(delay="10ms", backward={"loss": lost})
    return float(fresh(exp.replace(topology=line)).requests["latency_s"][1])


def test_a_loss_in_the_middle_costs_one_round_trip() -> None:
    """RFC 6675: the nine after it tell of it at once."""
    assert with_drop(10, 0) == pytest.approx(2 * RTT, abs=20 * EXACT)


def test_a_loss_at_the_tail_waits_for_the_probe() -> None:
    """RFC 8985, 7.2: 2 SRTT after the last ACK a probe sends the last segment again; that it arrives tells
    that the one before is lost. Half a round trip for the request, one to the last ACK, two of waiting, one
    to the SACK of the probe, half to the client. The kernel's timer counts in milliseconds."""
    assert 5 * RTT <= with_drop(12, 10, 11) <= 5 * RTT + 0.005


def test_the_loss_of_all_there_is_waits_for_the_timeout() -> None:
    """RFC 6298 with Linux's least RTO of 200 ms: SRTT + 200 ms, then the way to the client."""
    assert RTT + 0.200 <= with_drop(1, 0) - RTT <= RTT + 0.220


def test_a_request_without_an_answer_is_a_row() -> None:
    result = asked(duration="1s", service="300ms", name="slow")
    last = result.requests.iloc[-1]
    assert result.requests["complete"].tolist() == [True, True, True, False]
    assert np.isnan(last["done_s"]) and np.isnan(last["latency_s"]) and np.isnan(last["first_byte_s"])
    assert (result.flows["complete"].all(), result.flows["end_s"]["slow"]) == (True, pytest.approx(1))


def test_an_unfinished_count_is_said() -> None:
    flow = asked(duration="1s", service="300ms", count=4).flows.iloc[0]
    assert (flow["complete"], flow["error"]) == (False, "ETIME")
    endless = Requests("left", "right", request=1, response=1, count=10**6)
    cut = fresh(Experiment(LINE, flows=[endless], duration="1s"))
    assert cut.flows["error"].tolist() == ["ETIME"]
    assert 40 <= len(cut.requests) <= 50  # one per 20 ms
    assert cut.requests["complete"].iloc[:-1].all()


def test_a_flow_of_requests_is_a_flow() -> None:
    result = asked(count=10, think="100ms", response=14_480)
    flow = result.flows.iloc[0]
    assert (flow["sent_bytes"], flow["received_bytes"], flow["complete"]) == (144_800, 144_800, True)
    took = RTT + 10 * RTT + 9 * 0.1  # the handshake first
    assert result.goodput().iloc[0] == pytest.approx(8e-6 * 144_800 / took, rel=1e-3)


def test_the_server_is_the_sender_that_probes_show() -> None:
    flow = Requests("left", "right", request=100, response=100 * MSS, count=1, cc="reno", name="page")
    result = fresh(Experiment(LINE, flows=[flow], probes={"tcp_info", "tcp_probe"}, sample_interval="10ms"))
    assert set(result.tcp_probe["flow"]) == {"page"}
    assert result.tcp_probe["snd_cwnd"].max() > 40
    sender = result.tcp_info[result.tcp_info["side"] == "sender"]
    assert sender["bytes_acked"].max() == pytest.approx(100 * MSS, abs=2)


def test_retransmissions_of_both_ends_count() -> None:
    for way, number in (("forward", 40), ("backward", 70)):  # behind the ACKs of the request
        line = pair(delay="10ms", **{way: {"loss": DropPackets([number])}})
        flow = Requests("left", "right", request=60 * MSS, response=60 * MSS, count=1)
        result = fresh(Experiment(line, flows=[flow], probes={"recovery"}))
        assert result.requests["complete"].all()
        assert result.retransmits().iloc[0] == len(result.retransmissions) >= 1
        assert set(result.retransmissions["flow"]) == {"left-right"}


def test_the_same_seed_gives_the_same_run_to_the_byte() -> None:
    asking: Any = {"request": 500, "response": "50kB", "think": "20ms", "pattern": "exponential"}
    flows = [Requests("left", "right", duration="2s", **asking) for _ in range(3)]
    net = dumbbell(rate="5mbit", delay="10ms", loss="1%")
    exp = Experiment(net, flows=[*flows, Flow("left", "right", duration="2s")], seed=5)
    assert fresh(exp).digest() == fresh(exp).digest()
    assert fresh(exp).digest() != fresh(exp.replace(seed=6)).digest()


def test_the_books_of_lost_requests_add_up() -> None:
    net = pair(rate="2mbit", delay="10ms", loss="3%", backward={"loss": "3%"})
    flow = Requests("left", "right", request=3000, response="20kB", duration="5s", think="50ms")
    result = fresh(Experiment(net, flows=[flow], seed=3))
    balance = result.balance().loc["left-right"]
    assert (balance["sent"] == balance["delivered"] + balance["lost"] + balance["in_flight"]).all()
    assert (balance["lost"] > 0).all()
    latency = result.requests["latency_s"]
    assert latency.max() > latency.min() + RTT


def test_requests_in_an_open_laboratory() -> None:
    with Lab(pair(delay="10ms")) as lab:
        name = lab.start(Requests("left", "right", request=100, response=100, count=5, think="10ms"))
        lab.advance("1s")
        table = lab.result().requests
    assert table["flow"].astype(str).unique().tolist() == [name]
    assert table["complete"].tolist() == [True] * 5
    np.testing.assert_allclose(table["latency_s"], RTT, atol=EXACT)
