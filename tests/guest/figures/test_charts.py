"""Figures of real runs: each is the same for the same run, and agrees with the run's own tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from labkit import charts
from labkit.charts.figure import records
from labkit.errors import LabkitError
from labkit.results.protocol import Charts
from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Flow, Link, Topology
from labkit.spec.topologies import dumbbell
from tests.guest.helpers import fresh

PROBES = frozenset({"tcp_info", "tcp_probe", "queue", "drops", "recovery"})
FIGURES: dict[str, Callable[[Charts], Any]] = {
    "cwnd": lambda of: of.cwnd(),
    "goodput": lambda of: of.goodput(),
    "share": lambda of: of.share(),
    "queue": lambda of: of.queue(),
    "delay": lambda of: of.delay(),
    "rtt": lambda of: of.rtt(),
    "time_sequence": lambda of: of.time_sequence(),
    "part of it": lambda of: of.time_sequence(start=0.5, end=0.8),
    "ledger": lambda of: of.ledger(),
    "ladder": lambda of: of.ladder(end=0.045),
    "topology": lambda of: of.topology(),
}


def reno(**link: Any) -> Experiment:
    network = dumbbell(rate="10mbit", delay="10ms", queue="30p", **link)
    flow = Flow("left", "right", cc="reno", duration="10s")
    return Experiment(network, flows=[flow], probes=PROBES, capture=["left", "right"])


@pytest.fixture(scope="module")
def result() -> Result:
    return fresh(reno(loss="0.5%"))


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_run_gives_the_same_figure(name: str, result: Result) -> None:
    chart = FIGURES[name](result.charts)
    again = FIGURES[name](fresh(result.experiment).charts)
    text = json.dumps(chart.to_dict())
    assert text == json.dumps(again.to_dict())
    assert len(text.encode()) <= 150_000


def test_cwnd_has_the_largest_window_and_every_recovery(result: Result) -> None:
    chart = result.charts.cwnd(ssthresh=False)
    probe = result.tcp_probe[result.tcp_probe["side"] == "sender"]
    assert max(row["packets"] for row in chart.datasets["cwnd"]) == probe["snd_cwnd"].max()
    entered = (result.cong_states["state"] == "Recovery").sum()
    assert len([row for row in chart.datasets["losses"] if row["event"] == "fast recovery"]) == entered > 3
    assert f"{len(result.retransmissions)} segments sent again" in chart.description


def test_the_longest_queue_is_the_limit_and_every_drop_is_marked(result: Result) -> None:
    chart = result.charts.queue()
    assert max(row["packets"] for row in chart.datasets["queue"]) == 30
    assert len(chart.datasets["drops"]) == (result.drops["place"] == "queue").sum() > 0


def test_the_longest_wait_is_that_of_a_full_queue(result: Result) -> None:
    longest = max(row["ms"] for row in result.charts.delay().datasets["delay"])
    assert longest == pytest.approx(1000 * result.queue["wait_s"].max(), abs=1e-3)
    assert longest == pytest.approx(30 * 1514 * 8 / 10e6 * 1000, rel=0.05), (
        "30 frames ahead, less the one being sent"
    )


def test_goodput_over_time_has_the_mean_of_the_flow(result: Result) -> None:
    rates = [row["mbit_s"] for row in result.charts.goodput(interval=1.0).datasets["goodput"]]
    acked = result.tcp_info.query("side == 'sender'")["bytes_acked"].max() - 1
    assert sum(rates[:-1]) == pytest.approx(8e-6 * acked, rel=0.02)


def test_every_segment_sent_again_is_in_the_sequence_diagram(result: Result) -> None:
    chart = result.charts.time_sequence()
    assert f"{len(result.retransmissions)} segments of them again" in chart.description


def test_every_lost_packet_is_in_the_ledger_figure(result: Result) -> None:
    chart = result.charts.ledger()
    table = result.ledger()
    assert len(chart.datasets["ledger"]) == len(table) > 10
    assert sorted(row["lost_s"] for row in chart.datasets["ledger"]) == sorted(
        row["lost_s"] for row in records(table[["lost_s"]].round(6))
    )


def test_a_packet_lost_on_the_wire_ends_in_a_cross() -> None:
    chart = fresh(reno(loss=DropPackets([5]))).charts.ladder(end=0.06)
    lost = [row for row in chart.datasets["packets"] if row["fate"] == "lost"]
    assert [row["label"] for row in lost] == ["2897:4345"], "SYN, ACK and two segments were before it"


def test_runs_laid_over_each_other_are_told_apart_by_their_labels(result: Result) -> None:
    chart = charts.cwnd({"lossy": result, "sound": fresh(reno())})
    assert {row["line"] for row in chart.datasets["cwnd"]} == {"lossy", "sound"}


def test_of_udp_there_are_figures_of_what_udp_has() -> None:
    flow = Flow("left", "right", protocol="udp", rate="12mbit", duration="1s")
    sent = fresh(reno().replace(flows=[flow])).charts
    assert "Nobody looked for them." in sent.ledger().description
    assert sent.ladder("left-right", end=0.02).datasets["packets"][0]["label"] == "UDP, 1472 bytes"
    for name in ("cwnd", "rtt", "goodput", "share", "time_sequence"):
        with pytest.raises(LabkitError, match="no TCP flow"):
            getattr(sent, name)()


def test_a_flow_whose_syns_are_all_lost_has_no_cwnd_and_no_marks_in_it() -> None:
    links = [Link("left", "right", rate="10mbit"), Link("left", "deaf", rate="10mbit", loss="100%")]
    flows = [Flow("left", "right", duration="3s"), Flow("left", "deaf", duration="3s")]
    result = fresh(Experiment(Topology(["left", "right", "deaf"], links), flows=flows, probes=PROBES))
    states = result.cong_states
    assert "Loss" in set(states.loc[states["flow"] == "left-deaf", "state"])
    chart = result.charts.cwnd()
    assert not chart.datasets["losses"]
    assert "deaf" not in chart.description
