"""Pings and trains: their times are those of the network, their losses those of the wire."""

from __future__ import annotations

import os

import numpy as np
import pytest

from labkit.measures.vocabulary import as_measure
from labkit.results.result import Result
from labkit.spec import Background, Experiment, GilbertElliott, Pings, Trains
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, binomial, fresh, pings

RATE = 10e6
ETHERNET_IP, ICMP_UDP = 34, 8  # bytes of headers
EXACT = 5e-6  # s: a few ticks of the lab's clock
LINE = pair(rate="10mbit", delay="10ms")


def ran(network: object, *flows: object, **fields: object) -> Result:
    return fresh(Experiment(network, flows=flows, probes=NOTHING, **fields))


@pytest.mark.parametrize("size", [0, 56, 1400])
def test_a_ping_takes_a_round_trip(size: int) -> None:
    """The bucket of the rate holds one frame: a single packet passes at once."""
    table = ran(LINE, Pings("left", "right", count=10, every="50ms", size=size)).pings
    np.testing.assert_allclose(table["rtt_s"], 0.020, atol=EXACT)
    np.testing.assert_allclose(table["sent_s"], 0.05 * np.arange(10), atol=EXACT)
    assert table["number"].tolist() == list(range(1, 11))


def test_it_is_what_the_program_ping_sees() -> None:
    """iputils' ping prints three digits of ms and reads its own clock at both ends."""
    network = {"rate": "1mbit", "delay": "10ms"}
    ours = ran(pair(**network), Pings("left", "right", count=5, every="100ms")).pings["rtt_s"]
    np.testing.assert_allclose(pings(5, every_ms=100, **network), 1000 * ours, atol=0.05)


def test_a_ping_waits_in_the_queue_that_it_meets() -> None:
    """40 datagrams of 1000 bytes at one instant, a ping behind them: it waits for all of these frames."""
    burst = Trains("left", "right", packets=40, count=1, size=1000)
    table = ran(LINE, burst, Pings("left", "right", count=1, start="1ms")).pings
    waited = 40 * (1000 + ETHERNET_IP + ICMP_UDP) * 8 / RATE - 0.001
    assert table["rtt_s"][0] == pytest.approx(0.020 + waited, abs=1514 * 8 / RATE)


@pytest.mark.parametrize("p", [0.01, 0.2])
def test_lost_pings_are_those_of_the_wire(p: float) -> None:
    """Lost one way or the other: 1 - (1 - p)^2."""
    n = 20_000
    network = pair(delay="10ms", loss=p, backward={"loss": p})
    table = ran(network, Pings("left", "right", count=n, every="1ms", wait="1s")).pings
    low, high = binomial(n, 1 - (1 - p) ** 2)
    assert len(table) == n
    assert low < table["rtt_s"].isna().sum() < high


def test_more_pings_than_sequence_numbers() -> None:
    """The number has 16 bits; 70,000 requests are told apart all the same."""
    n = 70_000
    result = ran(pair(delay="300ms", loss="1%"), Pings("left", "right", count=n, every="100us", wait="1s"))
    table = result.pings
    assert table["number"].tolist() == list(range(1, n + 1))
    np.testing.assert_allclose(table["rtt_s"].dropna(), 0.6, atol=EXACT)
    assert result.flows["received_packets"].iloc[0] == table["rtt_s"].notna().sum()


def test_two_pings_of_a_host_do_not_take_each_others_answers() -> None:
    network = dumbbell(2, rate="10mbit", delay="10ms")
    exp = [Pings("left1", other, count=5, every="30ms", name=other) for other in ("r1", "r2", "right1")]
    medians = ran(network, *exp).pings.groupby("flow", observed=True)["rtt_s"].agg(["median", "count"])
    assert medians["count"].tolist() == [5, 5, 5]
    np.testing.assert_allclose(medians["median"], [0, 0.020, 0.020], atol=0.001)


def test_copies_are_not_counted_twice() -> None:
    result = ran(pair(delay="10ms", duplicate="50%"), Pings("left", "right", count=200, every="1ms"))
    assert len(result.pings) == 200
    assert result.flows["received_packets"].tolist() == [200]


@pytest.mark.parametrize(("size", "at_once"), [(100, 15), (1472, 1)])
def test_a_train_arrives_as_the_slowest_link_spaces_it(size: int, at_once: int) -> None:
    """Dispersion: a frame's time on the link of the lowest rate, whatever comes behind it. The bucket of a
    rate holds 1,514 bytes: so many packets pass at once."""
    network = dumbbell(rate="10mbit", delay="10ms")
    table = ran(network, Trains("left", "right", packets=30, count=5, size=size)).trains
    gaps = table.groupby("train")["received_s"].diff()
    frame = (size + ETHERNET_IP + ICMP_UDP) * 8 / RATE
    np.testing.assert_allclose(gaps[table["packet"] > at_once + 1], frame, atol=EXACT)
    assert table["sent_s"].nunique() == 5


def test_lost_packets_of_trains_are_those_of_the_wire() -> None:
    table = ran(
        pair(delay="10ms", loss="5%"), Trains("left", "right", packets=10, count=2000, every="1ms")
    ).trains
    low, high = binomial(20_000, 0.05)
    assert low < table["received_s"].isna().sum() < high
    assert (table["received_s"] >= table["sent_s"]).sum() == table["received_s"].notna().sum()


def test_what_comes_after_the_wait_is_lost_and_the_end_cuts_the_rest() -> None:
    late = ran(pair(delay="500ms"), Pings("left", "right", count=3, every="100ms", wait="400ms"))
    assert late.pings["rtt_s"].isna().all()
    assert late.flows["complete"].tolist() == [True]
    cut = ran(pair(delay="10ms"), Pings("left", "right", count=100, every="100ms"), duration="1.01s")
    assert len(cut.pings) == 11  # those that were sent
    assert cut.pings["rtt_s"].isna().tolist() == [False] * 10 + [True]
    assert cut.flows["error"].tolist() == ["ETIME"]


def test_a_sweep_measures_what_was_lost() -> None:
    flows = [Pings("left", "right", count=500, every="2ms"), Trains("left", "right", count=250, every="2ms")]
    result = ran(pair(delay="10ms", loss="10%"), *flows)
    lost = {row["protocol"]: row["datagrams_lost"] for row in as_measure("datagrams_lost")(result)}
    assert lost["icmp"] == pytest.approx(result.pings["rtt_s"].isna().mean())
    assert lost["udp"] == pytest.approx(result.trains["received_s"].isna().mean())
    assert result.goodput().gt(0).all()


def test_they_run_beside_each_other_in_an_open_laboratory() -> None:
    from labkit.lab.laboratory import Lab

    with Lab(pair(rate="10mbit", delay="10ms")) as lab:
        lab.start(Background("left", "right", load=0.3, duration="2s"))
        lab.start(Pings("left", "right", count=10, every="100ms", name="pings"))
        lab.advance("5s")
        result = lab.result()
        assert result.pings["rtt_s"].notna().all()
        assert result.transfers["complete"].all()


def test_of_two_days_48_bytes_a_ping_are_kept() -> None:
    """Every minute a ping, every hour a transfer, whatever lies between. Their memory: `test_long_runs`."""
    days = 2 * 86400
    result = ran(
        pair(rate="10mbit", delay="10ms", loss=GilbertElliott("1%", "30%")),
        Pings("left", "right", count=days // 60, every="1min", name="pings"),
        Background("left", "right", rate=80, sizes="30kB", duration=days),
        time_limit=days + 3600,
    )
    assert len(result.pings) == days // 60
    assert result.transfers["complete"].all()
    assert result.virtual_s > days - 60
    assert os.path.getsize(result.folder / "raw") < 1_000_000
