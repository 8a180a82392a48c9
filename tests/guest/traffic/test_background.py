"""A background offers the load that it says, and its transfers take the time that the network makes them."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.measures.vocabulary import as_measure
from labkit.results.acknowledged import acked_of
from labkit.results.result import Result
from labkit.spec import Background, Experiment, Exponential, Flow, OnOff, Pareto, Queue
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, fresh

RATE, RTT = 10e6, 0.020
MSS, FRAME, ACK = 1448, 1514, 66  # bytes: of payload; with all headers; of headers alone
FAST = pair(delay="10ms")
LINE = pair(rate="10mbit", delay="10ms")
EXACT = 5e-6  # s: a few ticks of the lab's clock


def ran(network: object, *flows: object, seed: int = 1, **fields: object) -> Result:
    return fresh(Experiment(network, flows=flows, seed=seed, probes=NOTHING, **fields))


def test_a_transfer_takes_a_handshake_and_its_way() -> None:
    """Up to ten segments leave at once when the connection is there (RFC 6928)."""
    table = ran(FAST, Background("left", "right", rate="100kbit", sizes=10 * MSS, duration="60s")).transfers
    assert table["complete"].all()
    np.testing.assert_allclose(table["established_s"] - table["start_s"], RTT, atol=EXACT)
    np.testing.assert_allclose(table["duration_s"], 1.5 * RTT, atol=EXACT)
    np.testing.assert_allclose(table["done_s"] - table["start_s"], table["duration_s"], atol=1e-12)


def test_a_longer_one_takes_the_rounds_of_slow_start() -> None:
    """Ten, twenty, forty segments: the 31st leaves two round trips after the first."""
    table = ran(FAST, Background("left", "right", rate="100kbit", sizes=40 * MSS, duration="60s")).transfers
    np.testing.assert_allclose(table["duration_s"], 3.5 * RTT, atol=20 * EXACT)


@pytest.mark.parametrize("sizes", ["30kB", Exponential("30kB"), Pareto("30kB", most="300kB")], ids=repr)
def test_what_is_on_the_line_is_the_load(sizes: object) -> None:
    """Counted by the sender's interface: what was drawn, with the headers of full segments, and for each
    transfer at most a SYN, an ACK, a FIN, the last segment's rest and what was sent again."""
    background = Background("left", "right", load=0.4, sizes=sizes, duration="100s")
    result = ran(LINE, background)
    table = result.transfers
    assert table["complete"].all()
    assert table["received_bytes"].tolist() == table["size_bytes"].tolist()
    counters = result.interfaces.set_index(["host", "role", "name"])["delta"]
    sent = int(counters["left", "host", "tx_bytes"])
    least = table["size_bytes"].sum() * FRAME / MSS
    assert least <= sent <= least + len(table) * 6 * ACK + 0.01 * least
    drawn = table["size_bytes"].to_numpy()
    error = np.sqrt(np.mean(drawn.astype(float) ** 2) * len(drawn)) * 8 * FRAME / MSS / 100 / RATE
    assert abs(least * 8 / 100 / RATE - 0.4) < 4 * error  # a compound Poisson sum's standard error


def test_the_row_of_flows_is_the_sum_of_its_transfers() -> None:
    result = ran(LINE, Background("left", "right", load=0.4, duration="30s", name="crowd"))
    row, table = result.flows.loc["crowd"], result.transfers
    assert row["received_bytes"] == row["sent_bytes"] == table["size_bytes"].sum()
    assert row["complete"]
    assert row["first_byte_s"] == table["first_byte_s"].min()
    assert row["end_s"] == table["done_s"].max()
    assert set(table["flow"]) == {"crowd"}
    assert table["number"].tolist() == list(range(1, len(table) + 1))
    assert (table["start_s"].diff().iloc[1:] >= 0).all()
    assert result.goodput().iloc[0] == pytest.approx(8e-6 * row["received_bytes"] / 30)


def test_the_end_of_the_run_cuts_what_is_under_way() -> None:
    result = ran(LINE, Background("left", "right", load=3, duration="30s"), duration="10s")
    table = result.transfers
    cut = table[~table["complete"]]
    assert len(cut) > 10
    assert set(cut["error"]) == {"ETIME"}
    assert cut[["done_s", "duration_s"]].isna().all(axis=None)
    assert (cut["received_bytes"] < cut["size_bytes"]).all()
    assert set(table[table["complete"]]["error"]) == {""}
    assert result.flows["error"].tolist() == ["ETIME"]


def test_a_background_fills_the_queue_that_a_flow_meets() -> None:
    """On a line that carries 0.6 already a CUBIC flow gets less than on an empty one, but something."""
    network = dumbbell(rate="10mbit", delay="10ms", queue=Queue("pfifo", packets=50))
    flow = Flow("left", "right", duration="20s", name="looked at")
    alone = ran(network, flow).goodput()["looked at"]
    beside = ran(network, flow, Background("left", "right", load=0.6, duration="20s")).goodput()["looked at"]
    assert 0.1 * alone < beside < 0.7 * alone


def test_connections_that_nobody_answers_say_so() -> None:
    """All of it is lost on the way: a SYN is given up after tcp_syn_retries (RFC 6298: 1, 2, 4 s)."""
    result = ran(
        pair(rate="10mbit", delay="10ms", loss="100%"),
        Background("left", "right", rate="100kbit", sizes="30kB", duration="10s"),
        sysctls={"net.ipv4.tcp_syn_retries": 1, "net.ipv4.tcp_syn_linear_timeouts": 0},
        duration="30s",
    )
    table = result.transfers
    assert len(table) > 0
    assert set(table["error"]) == {"ETIMEDOUT"}
    assert table["established_s"].isna().all()
    assert result.flows["complete"].tolist() == [True]  # its transfers have ended, each in its way


def test_packets_and_probes_know_it_by_its_name() -> None:
    exp = Experiment(
        LINE,
        flows=[
            Background("left", "right", load=0.3, duration="5s", name="crowd"),
            Flow("left", "right", size="50kB"),
        ],
        capture=["right"],
        probes={"tcp_info", "tcp_probe", "queue"},
    )
    result = fresh(exp)
    packets = result.packet_table("right") if callable(result.packet_table) else result.packet_table
    tcp = packets[packets["protocol"] == "tcp"]
    assert set(tcp["flow"].dropna()) == {"crowd", "left-right"}
    assert not tcp["flow"].isna().any()
    data = tcp[(tcp["flow"] == "crowd") & (tcp["direction"] == "in")]
    assert data["payload"].sum() >= result.transfers["size_bytes"].sum()
    assert set(data["way"]) == {"data"}
    assert set(result.tcp_probe["flow"]) == {"left-right"}
    assert set(result.tcp_info["flow"]) == {"left-right"}


def test_figures_and_measures_of_connections_leave_it_out() -> None:
    exp = Experiment(
        LINE,
        flows=[
            Background("left", "right", load=0.3, duration="5s"),
            Flow("left", "right", duration="5s", name="one"),
        ],
        probes={"tcp_info"},
    )
    result = fresh(exp)
    assert acked_of(result)["flow"].unique().tolist() == ["one"]
    assert {row["flow"] for row in as_measure("goodput_in_second")(result)} == {"one"}


def test_probes_and_captures_change_nothing() -> None:
    exp = Experiment(
        LINE, flows=[Background("left", "right", load=0.5, duration="5s", arrivals=OnOff("1s", "1s"))]
    )
    bare = fresh(exp.replace(probes=NOTHING)).transfers
    seen = fresh(
        exp.replace(probes={"tcp_info", "tcp_probe", "queue", "drops"}, capture=["left", "right"])
    ).transfers
    assert bare.equals(seen)


def test_two_runs_agree_to_the_last_byte() -> None:
    exp = Experiment(LINE, flows=[Background("left", "right", load=0.9, duration="10s")], probes=NOTHING)
    assert fresh(exp).digest() == fresh(exp).digest()


def test_many_hundreds_at_once_all_get_through() -> None:
    """Ten thousand transfers of a byte within two seconds: ports, sockets and the backlog suffice."""
    background = Background("left", "right", rate="42mbit", sizes=1000, duration="2s")
    result = ran(pair(delay="100ms"), background)
    assert len(result.transfers) > 9_000
    assert result.transfers["complete"].all()
