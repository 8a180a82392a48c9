"""Keystrokes come back after a round trip, and later where TCP makes them wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Flow, Interactive
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, fresh

RTT = 0.020
EXACT = 5e-6  # s: a few ticks of the lab's clock
LINE = pair(delay="10ms")


def typed(network: Any = LINE, *others: Flow, seed: int = 1, **fields: Any) -> Result:
    session = Interactive("left", "right", **({"duration": "5s", "name": "session"} | fields))
    return fresh(Experiment(network, flows=[session, *others], seed=seed, probes=NOTHING))


def test_an_echo_takes_a_round_trip_and_the_first_one_a_handshake() -> None:
    table = typed().keystrokes
    assert len(table) == 25
    np.testing.assert_allclose(table["typed_s"], 0.2 * np.arange(25), atol=EXACT)
    np.testing.assert_allclose(table["latency_s"][1:], RTT, atol=EXACT)
    assert table["latency_s"][0] == pytest.approx(2 * RTT, abs=2 * EXACT)
    assert not table["above_100ms"].any()


def test_without_it_nagle_keeps_a_key_that_comes_before_the_last_is_acknowledged() -> None:
    """RFC 9293, 3.7.4: a key every 5 ms with a round trip of 20 ms: those of one leave together."""
    table = typed(every="5ms", duration="1s", nodelay=False).keystrokes
    later = table[table["typed_s"] > 2 * RTT]
    assert later["latency_s"].max() > 1.5 * RTT
    with_it = typed(every="5ms", duration="1s").keystrokes
    np.testing.assert_allclose(with_it[with_it["typed_s"] > 2 * RTT]["latency_s"], RTT, atol=EXACT)


def test_a_lost_keystroke_delays_those_behind_it() -> None:
    """A key every 10 ms, one packet with data is lost: those behind it wait for its copy."""
    network = pair(delay="10ms", loss=DropPackets([8]))
    table = typed(network, every="10ms", duration="1s").keystrokes
    late = table[(table["latency_s"] > RTT + EXACT) & (table["number"] > 4)]  # behind those of the handshake
    assert len(late) >= 3
    assert (np.diff(late["number"]) == 1).all()
    assert late["latency_s"].iloc[0] == late["latency_s"].max() > 2 * RTT
    assert np.ptp(late["echoed_s"].iloc[:3]) < 1e-3


def test_a_full_queue_is_seen_by_who_types() -> None:
    """100 packets of 1514 bytes at 5 Mbit/s are 242 ms: some keys wait for more than 100 ms of them."""
    network = dumbbell(rate="5mbit", delay="5ms", queue="100p")
    bulk = Flow("left", "right", duration="20s", cc="cubic")
    table = typed(network, bulk, start="5s", duration="10s").keystrokes
    assert table["above_100ms"].mean() > 0.5
    alone = typed(network, start="5s", duration="10s").keystrokes
    assert alone["above_100ms"].sum() == 0


def test_exponential_times_have_their_mean_and_their_distribution() -> None:
    table = typed(every="50ms", duration="100s", pattern="exponential").keystrokes
    gaps = np.diff(table["typed_s"])
    assert gaps.mean() == pytest.approx(0.05, abs=4 * 0.05 / np.sqrt(len(gaps)))
    assert stats.kstest(gaps, stats.expon(scale=0.05).cdf).pvalue > 1e-4


def test_keys_that_are_never_echoed_count_as_late() -> None:
    network = pair(delay="10ms", loss=DropPackets(list(range(5, 1000))))
    session = Interactive("left", "right", duration="4s")
    table = fresh(Experiment(network, flows=[session], duration="5s", probes=NOTHING)).keystrokes
    lost = table[table["echoed_s"].isna()]
    assert len(table) == 20 and len(lost) > 10
    assert lost["above_300ms"].all() and lost["latency_s"].isna().all()
