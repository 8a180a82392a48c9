"""Linux against the documents that say how losses are found: RFC 5681, 2018, 6582, 6675, 8985 and 6298."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import pytest

from labkit.models import rto
from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Flow, RandomLoss
from labkit.spec.topologies import pair
from tests.guest.helpers import fresh

MSS = 1448
TICK_S = 0.001
NO_SACK = {"net.ipv4.tcp_sack": 0, "net.ipv4.tcp_recovery": 0, "net.ipv4.tcp_early_retrans": 0}
COUNTING = NO_SACK | {"net.ipv4.tcp_sack": 1}


def transfer(loss: Any, sysctls: Mapping[str, Any], *, size: int = 300 * MSS, **more: Any) -> Result:
    flow = Flow("left", "right", cc="reno", size=size, rcvbuf="8MB")
    network = pair(rate="100mbit", delay="25ms", loss=loss)
    given = {"probes": ["tcp_info", "recovery"], "capture": ["left", "right"]} | more
    return fresh(Experiment(network, flows=[flow], sysctls=sysctls, **given))


def window(size: int, *places: int) -> DropPackets:
    """Loses these places of a window of `size` packets, which an earlier loss has brought about."""
    first = 2 * size - 9
    return DropPackets([2 + first, *(2 + first + 3 * size + place for place in places)])


def duplicates(result: Result, seq: int, until_s: float) -> int:
    """ACKs that ask for `seq` without need, at the sender until then: the first one was news."""
    acks = result.packet_table("left").query("direction == 'in' and flags == 'A'")
    return int(((acks["ack"] == seq) & (acks["time_s"] <= until_s)).sum()) - 1


@pytest.mark.parametrize("sysctls", [NO_SACK, COUNTING], ids=["without SACK", "with SACK"])
@pytest.mark.parametrize("size", [8, 12, 16, 24])
def test_the_third_duplicate_ack_triggers_fast_retransmit(size: int, sysctls: Mapping[str, int]) -> None:
    result = transfer(window(size, 0), sysctls)
    for loss in result.ledger().itertuples():
        assert duplicates(result, int(loss.seq), loss.retransmitted_s) == 3


@pytest.mark.parametrize("size", [8, 16])
def test_each_of_the_first_two_duplicate_acks_lets_one_new_packet_out(size: int) -> None:
    """RFC 3042."""
    result = transfer(window(size, 0), NO_SACK)
    loss = result.ledger().iloc[-1]
    left = result.packet_table("left")
    first = left["time_s"][(left["direction"] == "in") & (left["ack"] == loss["seq"])].iloc[1]
    sent = left[left["direction"] == "out"]
    new = sent[sent["time_s"].between(first, loss["retransmitted_s"], inclusive="left")]
    assert len(new) == 2
    assert new["seq"].min() > sent["seq"][sent["time_s"] < first].max()


def test_newreno_mends_one_hole_per_round_trip() -> None:
    """RFC 6582: with each partial ACK the next one. Tolerance: two packets' time."""
    result = transfer(window(16, 0, 3, 7, 11), NO_SACK)
    again = result.ledger()["retransmitted_s"].iloc[1:]
    assert again.diff().iloc[1:].between(0.050, 0.0503).all()


def blocks(row: Any) -> list[tuple[int, int]]:
    edges = [(row[f"sack{i}_left"], row[f"sack{i}_right"]) for i in range(1, 5)]
    return [edge for edge in edges if edge[0] >= 0]


def holdings(held: Mapping[int, int], ack: int) -> list[tuple[int, int]]:
    """The runs of bytes beyond `ack` that a receiver has: held maps a segment's first byte to its end."""
    runs: list[tuple[int, int]] = []
    for seq in sorted(seq for seq in held if held[seq] > ack):
        if runs and runs[-1][1] == seq:
            runs[-1] = (runs[-1][0], held[seq])
        else:
            runs.append((seq, held[seq]))
    return runs


def sacked(result: Result) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]], int]]:
    """Of each ACK that the receiver sent: its blocks, what it held beyond the ACK, and what came last."""
    held: dict[int, int] = {}
    latest = 0
    for _, row in result.packet_table("right").sort_values("time_s", kind="stable").iterrows():
        if row["direction"] == "in" and row["payload"]:
            latest = int(row["seq"])
            held[latest] = latest + int(row["payload"])
        elif row["direction"] == "out" and row["flags"] == "A":
            yield blocks(row), holdings(held, int(row["ack"])), latest


SACKING: dict[str, tuple[Any, dict[str, int]]] = {
    "placed": (window(16, 0, 2, 5, 9, 14), COUNTING),
    "5 % lost": (RandomLoss("5%"), COUNTING),
    "5 % lost, RACK": (RandomLoss("5%"), {}),
    "20 % lost": (RandomLoss("20%"), {}),
}


@pytest.mark.parametrize("case", SACKING)
def test_sack_blocks_are_what_the_receiver_holds_the_latest_first(case: str) -> None:
    """RFC 2018, section 4: in every ACK of a receiver with holes. (DSACKs would name what is not held.)"""
    loss, sysctls = SACKING[case]
    result = transfer(loss, sysctls | {"net.ipv4.tcp_dsack": 0})
    with_holes = 0
    for named, held, latest in sacked(result):
        assert bool(named) == bool(held)
        if held:
            with_holes += 1
            assert set(named) <= set(held)
            assert len(named) == min(len(held), 3), "beside timestamps three blocks find room"
            if latest >= held[0][0]:
                assert named[0][0] <= latest < named[0][1]
    assert with_holes > 50


def test_the_rto_doubles_each_time() -> None:
    """RFC 6298, rule 5.5: exactly, but for the tick. The last packet and its copies get lost."""
    lost = DropPackets(range(32, 40))
    result = transfer(lost, {"net.ipv4.tcp_early_retrans": 0}, size=30 * MSS, sample_interval="50ms")
    info = result.tcp_info.query("side == 'sender' and unacked > 0")
    by = info.groupby("backoff")["rto"].last() / 1e6
    assert by.index.tolist() == list(range(9))
    for backoff, rto_s in by.items():
        assert rto_s == pytest.approx(by[0] * 2 ** int(str(backoff)), abs=TICK_S)


ESTIMATED: dict[str, tuple[str, dict[str, int]]] = {
    "short": ("25ms", {}),
    "long": ("100ms", {}),
    "floor of 5 ms": ("25ms", {"net.ipv4.tcp_rto_min_us": 5000}),
    "long, floor of 5 ms": ("100ms", {"net.ipv4.tcp_rto_min_us": 5000}),
}


def varying(delay: str, sysctls: Mapping[str, int]) -> Result:
    """A flow that shares a long queue with bursts: its round trip goes up and down, and nothing is lost."""
    bursts = [("1s", "0.3s"), ("2s", "0.6s"), ("4s", "0.05s")]
    cross = [Flow("left", "right", protocol="udp", rate="9mbit", start=at, duration=d) for at, d in bursts]
    flow = Flow("left", "right", cc="reno", duration="6s", rcvbuf="100kB", name="tcp")
    network = pair(rate="10mbit", delay=delay, queue="1000p")
    given: dict[str, Any] = {"probes": ["tcp_info"], "sample_interval": "20ms", "capture": ["left"]}
    return fresh(Experiment(network, flows=[flow, *cross], sysctls=sysctls, **given))


@pytest.mark.parametrize("case", ESTIMATED)
def test_srtt_rttvar_and_rto_are_the_estimators(case: str) -> None:
    """Kernel against model: SRTT and RTTVAR count in fractions of whole µs, the RTO in ticks, rounded up."""
    delay, sysctls = ESTIMATED[case]
    result = varying(delay, sysctls)
    found = rto.samples(result.packet_table("left").query("flow == 'tcp'"))
    floor_s = sysctls.get("net.ipv4.tcp_rto_min_us", 200_000) / 1e6
    ours = pd.DataFrame(rto.linux(found, floor_s))
    rfc = pd.DataFrame(rto.rfc6298(found)).rename(columns={"srtt_s": "rfc_srtt_s"})
    kernel = result.tcp_info.query("side == 'sender' and flow == 'tcp'")
    both = pd.merge_asof(kernel, ours.join(rfc["rfc_srtt_s"]), on="time_s").dropna()
    assert len(both) > 250
    assert (both["rtt"] / 1e6 - both["srtt_s"]).abs().max() < 5e-6
    assert (both["rtt"] / 1e6 - both["rfc_srtt_s"]).abs().max() < 5e-6
    assert (both["rttvar"] / 1e6 - both["rttvar_s"]).abs().max() < 10e-6
    late = both["rto"] / 1e6 - both["rto_s"]
    assert late.between(-10e-6, TICK_S + 10e-6).all()
    assert both["rto"].max() > 1.1 * both["rto"].min()
