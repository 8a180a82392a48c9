"""Calls: delays are the network's, losses the wire's, and what repairs them does as the binomial says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.models.erasure import residual_loss
from labkit.results.result import Result
from labkit.spec import Call, DropPackets, Experiment, Flow, Parity, ReedSolomon, Repetition
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, binomial, fresh

EXACT = 5e-6  # s: a few ticks of the lab's clock
LINE = pair(delay="30ms")


def said(network: Any = LINE, *others: Flow, seed: int = 1, **fields: Any) -> Result:
    call = Call("left", "right", **({"duration": "10s", "name": "call"} | fields))
    return fresh(Experiment(network, flows=[call, *others], seed=seed, probes=NOTHING))


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_a_packet_takes_its_way(transport: str) -> None:
    """Over TCP the first ones wait for the handshake."""
    table = said(transport=transport).calls
    assert table["number"].tolist() == list(range(1, 501))
    np.testing.assert_allclose(table["sent_s"], 0.02 * np.arange(500), atol=EXACT)
    np.testing.assert_allclose(table["delay_s"].iloc[5:], 0.030, atol=EXACT)
    waits = [0.090, 0.070, 0.050] if transport == "tcp" else [0.030] * 3
    np.testing.assert_allclose(table["delay_s"].iloc[:3], waits, atol=2 * EXACT)


def test_a_lost_datagram_is_lost_and_a_lost_segment_is_late() -> None:
    network = pair(delay="30ms", loss=DropPackets([50]))
    udp, tcp = said(network).calls, said(network, transport="tcp").calls
    assert udp["received_s"].isna().sum() == 1
    assert udp["delay_s"].dropna().max() < 0.030 + EXACT
    assert tcp["received_s"].notna().all()
    late = tcp["delay_s"].iloc[5:] > 0.030 + EXACT
    assert late.sum() >= 2 and tcp["delay_s"].iloc[5:].max() > 0.090


def test_a_queue_is_its_jitter() -> None:
    network = dumbbell(rate="5mbit", delay="5ms", queue="100p")
    table = said(network, Flow("left", "right", duration="10s"), start="2s", duration="5s").calls
    assert table["delay_s"].max() - table["delay_s"].min() > 0.05


CODES = [Repetition(2), Repetition(3, gap=2), Parity(4), ReedSolomon(6, 4), ReedSolomon(20, 16)]


@pytest.mark.parametrize("code", CODES, ids=repr)
def test_what_stays_lost_is_what_the_binomial_says(code: Any) -> None:
    """Losses by chance at 10 %. Four standard errors, in which the losses of a block are taken to be as
    dependent as they can be."""
    p, packets = 0.1, 20_000
    table = said(pair(delay="10ms", loss=p), duration="20s", every="1ms", fec=code).calls
    lost = table["usable_s"].isna().mean()
    n, k = (code.copies, 1) if isinstance(code, Repetition) else (code.k + code.repairs(), code.k)
    expected = residual_loss(p, n, k)
    assert lost == pytest.approx(expected, abs=4 * np.sqrt(expected * k / packets) + 1e-9)
    low, high = binomial(packets, p)
    assert low < table["received_s"].isna().sum() < high or isinstance(code, Repetition)


@pytest.mark.parametrize("code", CODES, ids=repr)
def test_it_repairs_by_what_arrived_and_when(code: Any) -> None:
    """From the packets on the wire: a repaired one is there when as many of its block as it needs are."""
    call = Call("left", "right", duration="4s", every="10ms", fec=code)
    network = pair(delay="10ms", loss="20%")
    exp = Experiment(network, flows=[call], probes=NOTHING, capture=["left", "right"], seed=3)
    result = fresh(exp)
    sent, came = result.packet_table("left"), result.packet_table("right")
    plan = list(code.sent(400))
    assert len(sent) == len(plan)
    arrival = dict(zip(came["ip_id"], came["time_s"], strict=True))
    at = [arrival.get(number, np.nan) for number in sent["ip_id"]]
    frame = pd.DataFrame(plan).assign(at=at)
    need = 1 if isinstance(code, Repetition) else code.k
    table = result.calls
    for block, rows in frame.groupby("block"):
        mine = rows[rows["packet"] >= 0]["packet"].unique()
        times = np.sort(rows["at"].dropna())
        whole = times[min(need, len(mine)) - 1] if len(times) >= min(need, len(mine)) else np.inf
        for packet in mine:
            own = rows[rows["packet"] == packet]["at"].min()
            expected = min(own if own == own else np.inf, whole)
            got = table["usable_s"][packet]
            assert got == pytest.approx(expected, abs=EXACT) or (np.isnan(got) and expected == np.inf), block


def test_copies_that_follow_at_once_die_in_one_burst_and_later_ones_do_not() -> None:
    """Three packets in a row are lost: with a gap of 5 intervals between copies nothing is."""
    network = pair(delay="10ms", loss=DropPackets([41, 42, 43, 44]))
    near = said(network, fec=Repetition(2, gap=0)).calls
    far = said(network, fec=Repetition(2, gap=5)).calls
    assert near["usable_s"].isna().sum() == 2
    assert far["usable_s"].isna().sum() == 0


def test_what_it_adds_is_sent() -> None:
    flows = said(fec=ReedSolomon(6, 4)).flows
    assert flows["sent_packets"].iloc[0] == 500 * 6 / 4
    assert flows["sent_bytes"].iloc[0] == 750 * 172


def test_packets_that_are_not_due_before_the_end_are_no_rows() -> None:
    for transport in ("udp", "tcp"):
        call = Call("left", "right", duration="10s", transport=transport)  # type: ignore[arg-type]
        result = fresh(Experiment(LINE, flows=[call], duration="1s", probes=NOTHING))
        assert len(result.calls) in (50, 51)
