"""ContinuousGilbertElliott: periods of time, the same for whatever is sent, and what is lost in them.

Intervals are at 99.9 %, over periods, which are independent; packets of one period are not.
"""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from labkit import ContinuousGilbertElliott, Lab
from labkit.errors import AgentError
from labkit.results.result import Result
from labkit.spec import Change, Command, Experiment, Flow, GilbertElliott, Link, Topology
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, fresh, packets, pings, received

GOOD_S, BAD_S, TIME_S = 0.04, 0.01, 30
OFTEN = ContinuousGilbertElliott(GOOD_S, BAD_S)
SURE = 3.29  # standard deviations
LATE_S = 1e-5  # of an agent that does more than one thing at an instant
SEEDS = (1, 2, 3)


def probed(
    loss: object = OFTEN, *, seed: int = 1, rate: str = "800kbit", time_s: float = TIME_S, **more: Any
) -> Result:
    """Datagrams of 100 bytes (at 800 kbit/s one a millisecond) over a wire that loses some one way."""
    flow = Flow("left", "right", protocol="udp", rate=rate, packet=100, duration=time_s)
    given: dict[str, Any] = {"flows": [flow], "seed": seed, "duration": time_s, "probes": NOTHING} | more
    return fresh(Experiment(pair(forward={"loss": loss}), **given))


@pytest.fixture(scope="module")
def runs() -> list[Result]:
    """The same line under a few seeds."""
    return [probed(seed=seed) for seed in SEEDS]


def lengths(result: Result, state: str) -> pd.Series[float]:
    """s, of the periods that came to their own end."""
    table = result.loss_states
    whole = table[(table["state"] == state) & (table["until_s"] < table["until_s"].max())]
    return whole["until_s"] - whole["time_s"]


def bad(table: pd.DataFrame, times_s: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which of these instants are in a bad period?"""
    at = np.searchsorted(table["time_s"].to_numpy(), times_s, side="right") - 1
    return (table["state"] == "bad").to_numpy()[at]


@pytest.mark.parametrize(("state", "mean_s"), [("good", GOOD_S), ("bad", BAD_S)])
def test_periods_are_exponential_with_their_mean(runs: list[Result], state: str, mean_s: float) -> None:
    for result in runs:
        found = lengths(result, state)
        assert len(found) > 450  # of 600 in 30 s
        assert found.mean() == pytest.approx(mean_s, abs=SURE * mean_s / sqrt(len(found)))
        assert scipy.stats.kstest(found, scipy.stats.expon(scale=mean_s).cdf).pvalue > 0.001
        after, before = found.to_numpy()[1:], found.to_numpy()[:-1]  # no memory of the one before either
        assert abs(np.corrcoef(after, before)[0, 1]) < SURE / sqrt(len(after))


def test_good_and_bad_follow_each_other_without_a_gap(runs: list[Result]) -> None:
    for table in (result.loss_states for result in runs):
        assert (table["time_s"].iloc[0], table["until_s"].iloc[-1]) == (0, TIME_S)
        assert table["until_s"].iloc[:-1].to_list() == table["time_s"].iloc[1:].to_list()
        assert (table["state"].to_numpy()[1:] != table["state"].to_numpy()[:-1]).all()
        assert set(table["host"]) == {"left"}
        assert set(table["peer"]) == {"right"}


def test_exactly_the_packets_of_bad_periods_are_lost(runs: list[Result]) -> None:
    for result in runs:
        sent_s = np.arange(int(result.flows["sent_packets"].iloc[0])) / 1000
        lost = bad(result.loss_states, sent_s)
        assert received(result) == (~lost).sum()
        assert result.drops["time_s"].to_numpy() == pytest.approx(sent_s[lost], abs=LATE_S)
        assert set(result.ledger()["cause"]) == {"burst loss"}


def test_the_share_that_is_lost_is_that_of_the_states() -> None:
    """In a time T the share of the bad state spreads by sqrt(2 b (1-b) t / T), 1/t = 1/good + 1/bad."""
    loss = ContinuousGilbertElliott(GOOD_S, BAD_S, loss_bad=0.6, loss_good=0.02)
    share = (0.6 * BAD_S + 0.02 * GOOD_S) / (GOOD_S + BAD_S)
    b, memory_s = BAD_S / (GOOD_S + BAD_S), 1 / (1 / GOOD_S + 1 / BAD_S)
    results = [probed(loss, seed=seed) for seed in SEEDS]
    sent = sum(result.flows["sent_packets"].iloc[0] for result in results)
    periods = 0.58**2 * 2 * b * (1 - b) * memory_s / (TIME_S * len(SEEDS))
    spread = sqrt(periods + (0.6 * 0.4 * b + 0.02 * 0.98 * (1 - b)) / sent)
    lost = 1 - sum(map(received, results)) / sent
    assert lost == pytest.approx(share, abs=SURE * spread)
    for result in results:  # and within the states each is lost with the state's own probability
        at_s = result.drops["time_s"].to_numpy()
        inside = bad(result.loss_states, np.arange(sent // len(SEEDS)) / 1000)
        for times, n, p in (
            (bad(result.loss_states, at_s).sum(), inside.sum(), 0.6),
            ((~bad(result.loss_states, at_s)).sum(), (~inside).sum(), 0.02),
        ):
            assert times == pytest.approx(n * p, abs=SURE * sqrt(n * p * (1 - p)))


def chain(loss: object) -> Topology:
    """Six links, one after the other, all of which lose packets both ways."""
    names = [f"h{i}" for i in range(7)]
    return Topology(names, [Link(a, b, loss=loss) for a, b in pairwise(names)])


def test_it_begins_in_its_stationary_distribution() -> None:
    """Even chances: of 60 first states 30 +- 3.29 sqrt(15) are bad."""
    even = ContinuousGilbertElliott("5ms", "5ms")
    firsts = [
        state
        for seed in range(1, 6)
        for state in fresh(Experiment(chain(even), duration="1ms", seed=seed, probes=NOTHING))
        .loss_states.drop_duplicates(["host", "peer"])["state"]
        .to_list()
    ]
    assert len(firsts) == 5 * 12
    assert 18 <= firsts.count("bad") <= 42


def test_each_direction_of_each_link_has_periods_of_its_own() -> None:
    table = fresh(Experiment(chain(OFTEN), duration="2s", probes=NOTHING)).loss_states
    ways = [tuple(way["time_s"].iloc[1:6]) for _, way in table.groupby(["host", "peer"], observed=True)]
    assert len(ways) == 12
    assert len(set(ways)) == 12


@pytest.mark.parametrize(
    "traffic",
    [
        {"rate": "80kbit"},
        {"rate": "8mbit"},
        {"flows": [Flow("left", "right", cc="reno", duration=2)]},
        {"flows": [], "commands": [Command("right", "ping -c 20 -i 0.05 left")]},
        {"capture": ["left", "right"], "sample_interval": "5ms", "probes": ["tcp_info", "queue", "backlog"]},
    ],
)
def test_the_periods_are_the_same_whatever_is_sent_or_looked_at(traffic: dict[str, Any]) -> None:
    pd.testing.assert_frame_equal(probed(time_s=2, **traffic).loss_states, probed(time_s=2).loss_states)


def test_one_seed_gives_one_result_and_another_one_another() -> None:
    first, again, other = (probed(time_s=2, seed=seed) for seed in (1, 1, 2))
    assert first.digest() == again.digest()
    assert first.loss_states["time_s"].to_list() != other.loss_states["time_s"].to_list()


def reno(loss: object, seed: int) -> Result:
    """Chapter 10's line: Reno for 30 s at 20 Mbit/s with a round trip of 50 ms."""
    net = pair(rate="20mbit", queue="100p", forward={"delay": "50ms", "loss": loss})
    flow = Flow("left", "right", cc="reno", duration="30s")
    return fresh(Experiment(net, flows=[flow], duration="30s", seed=seed, probes=NOTHING))


def test_a_flow_that_stalls_sits_in_a_burst_of_packets_but_not_in_one_of_time() -> None:
    """2 % either way, in bursts of 50 packets or of the 30 ms that they take at 20 Mbit/s. By packets, a
    flow that has lost its window meets the rest of the burst with one packet for each timeout, and these
    double: 25 s are gone after seven. By time, a try after 0.2 s or more meets a good wire with 98 %: that
    three in a row fail, which takes 0.2 + 0.4 + 0.8 + 1.6 s, has a chance of 10^-5 in each of 20 bursts."""
    r = 1 / 50
    by_packets = [reno(GilbertElliott(p=r * 0.02 / 0.98, r=r), seed) for seed in range(1, 5)]
    by_time = [reno(ContinuousGilbertElliott("1.47s", "30ms"), seed) for seed in range(1, 5)]
    stalled_s = [30 - float(result.flows["last_byte_s"].iloc[0]) for result in by_packets]
    assert sum(stalled > 7 for stalled in stalled_s) >= 3, stalled_s
    for result in by_time:
        assert 30 - float(result.flows["last_byte_s"].iloc[0]) < 3
        bursts = result.loss_states.query("state == 'bad'")
        met = np.searchsorted(bursts["time_s"], result.drops["time_s"], side="right")
        assert len(set(met)) >= 3  # it has met several, and come back from each


def test_what_is_on_the_wire_stays_there_when_a_state_begins() -> None:
    """Some 500 changes of netem, with 50 packets under way: none is lost and none is late."""
    harmless = ContinuousGilbertElliott("1ms", "1ms", loss_bad=0)
    result = packets(500, delay="50ms", loss=harmless)
    assert len(result.loss_states) > 300
    assert received(result) == 500
    flow = result.flows.iloc[0]
    assert (flow["first_byte_s"], flow["last_byte_s"]) == pytest.approx((0.05, 0.549), abs=1e-5)


def test_jitter_is_drawn_anew_in_every_period() -> None:
    """netem's random numbers begin anew with each change: with one seed for all, periods would be alike."""
    harmless = ContinuousGilbertElliott("2ms", "2ms", loss_bad=0)
    times = pings(300, forward={"delay": "5ms", "jitter": "2ms", "loss": harmless})
    assert len({round(time, 2) for time in times}) > 150
    uniform = scipy.stats.uniform(loc=3, scale=4)
    assert scipy.stats.kstest(times, uniform.cdf).pvalue > 0.001


def test_a_distribution_s_table_outlives_a_change_of_state() -> None:
    harmless = ContinuousGilbertElliott("5ms", "5ms", loss_bad=0)
    way = {"delay": "5ms", "jitter": "1ms", "distribution": "pareto", "loss": harmless}
    times = pings(300, forward=way)
    assert max(times) - 5 > 2 * (5 - min(times))  # pareto's tail; uniform would be even


def test_reordering_and_corruption_outlive_a_change_of_state() -> None:
    harmless = ContinuousGilbertElliott("2ms", "2ms", loss_bad=0)
    result = packets(2000, delay="5ms", reorder="10%", corrupt="5%", loss=harmless)
    corrupted = 2000 - received(result)
    assert corrupted == pytest.approx(100, abs=SURE * sqrt(2000 * 0.05 * 0.95))
    times = np.array(pings(200, forward={"delay": "5ms", "reorder": "50%", "loss": harmless}))
    assert (times < 4).sum() == pytest.approx(100, abs=SURE * sqrt(50))


def test_a_change_of_other_fields_leaves_the_chain_alone() -> None:
    """100 changes of the delay, many of them in bad periods."""
    plain = probed(time_s=4)
    times = np.arange(1, 101) * 0.0373
    changes = [
        Change(float(at), ("left", "right"), direction="forward", delay=f"{i % 2 + 1}ms")
        for i, at in enumerate(times)
    ]
    changed = probed(time_s=4, changes=changes)
    assert 5 < bad(plain.loss_states, times).sum() < 50
    pd.testing.assert_frame_equal(changed.loss_states, plain.loss_states)
    assert changed.drops["time_s"].to_numpy() == pytest.approx(plain.drops["time_s"].to_numpy(), abs=LATE_S)


def test_a_change_to_other_probabilities_keeps_state_and_periods() -> None:
    half = Change("1s", ("left", "right"), direction="forward", loss=OFTEN.replace(loss_bad=0))
    changed, plain = probed(time_s=2, changes=[half]), probed(time_s=2)
    pd.testing.assert_frame_equal(changed.loss_states, plain.loss_states)
    early = plain.drops["time_s"] < 1
    assert changed.drops["time_s"].to_list() == plain.drops["time_s"][early].to_list()
    assert 0 < len(changed.drops) < len(plain.drops)


def test_a_change_to_other_means_keeps_the_state_and_draws_the_rest_anew() -> None:
    """From then on for ever: the chain stays where it is."""
    for at in (1.0, 1.01):
        loss = ContinuousGilbertElliott("10h", "10h")
        change = Change(at, ("left", "right"), direction="forward", loss=loss)
        table = probed(time_s=2, changes=[change]).loss_states
        before = probed(time_s=2).loss_states.query("time_s <= @at")
        assert table["time_s"].to_list() == before["time_s"].to_list()
        assert table["state"].to_list() == before["state"].to_list()
        assert table["until_s"].iloc[-1] == 2


@pytest.mark.parametrize("loss", [None, "10%", GilbertElliott("1%", "50%")])
def test_a_change_to_another_loss_ends_the_chain(loss: Any) -> None:
    change = Change("1s", ("left", "right"), direction="forward", loss=loss)
    result = probed(time_s=2, changes=[change])
    assert result.loss_states["until_s"].max() == 1
    late = result.drops[result.drops["time_s"] >= 1]
    assert len(late) < 200
    assert (len(late) > 0) == (loss is not None)


def test_a_change_to_it_begins_a_chain() -> None:
    change = Change("1s", ("left", "right"), direction="forward", loss=OFTEN)
    result = probed(None, time_s=3, changes=[change])
    assert result.loss_states["time_s"].min() == 1
    sent_s = np.arange(1000, 3000) / 1000
    lost = sent_s[bad(result.loss_states, sent_s)]
    assert result.drops["time_s"].to_numpy() == pytest.approx(lost, abs=LATE_S)


def test_rate_and_queue_are_before_it() -> None:
    flow = Flow("left", "right", cc="reno", duration="5s")
    net = dumbbell(rate="10mbit", delay="5ms", queue="20p", loss=ContinuousGilbertElliott("500ms", "10ms"))
    result = fresh(Experiment(net, flows=[flow], duration="5s"))
    assert set(result.ledger()["cause"]) == {"queue full", "burst loss"}
    lost = result.drops.query("place == 'wire'")
    assert len(lost) > 20
    assert bad(result.loss_states, lost["time_s"].to_numpy()).all()


def test_in_an_open_laboratory_it_goes_on_from_call_to_call() -> None:
    with Lab(pair(forward={"loss": OFTEN}), probes={"drops"}) as lab:
        lab.start(Flow("left", "right", protocol="udp", rate="800kbit", packet=100, duration="3s"))
        lab.advance("1s")
        lab.link("left", "right").set(delay="2ms")
        lab.advance("1s")
        first = lab.result().loss_states
        lab.link("left", "right").set(loss=None)
        ended_s = lab.time_s
        lab.advance("500ms")
        result = lab.result()
    table = result.loss_states
    assert table["time_s"].to_list()[: len(first)] == first["time_s"].to_list()
    assert table["until_s"].max() == pytest.approx(ended_s, abs=0.005)
    expected = probed(time_s=2).loss_states["time_s"].to_list()[:-1]
    assert first["time_s"].to_list()[: len(expected)] == expected
    drops = result.drops["time_s"].to_numpy()
    assert len(drops) > 200
    assert bad(table, drops).all()
    assert drops.max() < ended_s + 0.005


def test_a_refused_change_leaves_it_running() -> None:
    """The link is laid anew, and its wire told of the state in which the chain is."""
    with Lab(pair(rate="10mbit", forward={"loss": OFTEN}), probes={"drops"}) as lab:
        lab.advance("500ms")
        with pytest.raises(AgentError, match="flows=70000"):
            lab.link("left", "right").set(queue={"kind": "fq_codel", "flows": 70_000}, loss="1%")
        lab.start(Flow("left", "right", protocol="udp", rate="800kbit", packet=100, duration="1s"))
        lab.advance("1s")
        result = lab.result()
    expected = probed(time_s=1).loss_states["time_s"].to_list()
    assert result.loss_states["time_s"].to_list()[: len(expected)] == expected
    drops = result.drops["time_s"].to_numpy()
    assert len(drops) > 100
    assert bad(result.loss_states, drops).all()
