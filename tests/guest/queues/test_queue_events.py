"""Every packet in every queue, against the kernel's own counters and the laws that queues obey.

left ==100 Mbit/s== r1 ---- 5 Mbit/s, 5 ms ---- r2 ==== right
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import ALL_PROBES, Change, Experiment, Flow, Nic
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import counter, fresh

ROUND = 1e-9


@cache
def made(queue: str = "30p", change: bool = False) -> Result:
    """A transfer that fills the queue, with ACKs through the queue back."""
    network = dumbbell(rate="5mbit", delay="5ms", queue=queue, access_rate="100mbit")
    return fresh(
        Experiment(
            network,
            flows=[Flow("left", "right", cc="reno", size="1MB")],
            changes=[Change("0.5s", ("r1", "r2"), queue="10p")] if change else [],
            probes=ALL_PROBES,
            sample_interval="10ms",
            capture=["left", "right"],
        )
    )


def of(table: pd.DataFrame, host: str = "r1", peer: str = "r2") -> pd.DataFrame:
    return table[(table["host"] == host) & (table["peer"] == peer)].reset_index(drop=True)


WAYS = [("r1", "r2"), ("r2", "r1"), ("r1", "left"), ("left", "r1"), ("r2", "right"), ("right", "r2")]


@pytest.mark.parametrize(("host", "peer"), WAYS)
@pytest.mark.parametrize("queue", ["30p", "fq_codel"])
def test_at_every_sample_as_many_packets_have_left_a_queue_as_the_kernel_counts(
    queue: str, host: str, peer: str
) -> None:
    """Under tbf fq_codel has given one away already: tbf looks at its size while it waits."""
    result = made(queue)
    left = np.sort(of(result.queue, host, peer)["dequeued_s"].dropna())
    samples = of(result.backlog, host, peer).iloc[:-1]  # at the end sockets are closed, behind the last event
    ahead = samples["sent_packets"] - np.searchsorted(left, samples["time_s"] + ROUND)
    assert ahead.between(0, int(queue == "fq_codel")).all()
    assert len(left) >= samples["sent_packets"].max() > 400


@pytest.mark.parametrize("queue", ["30p", "fq_codel"])
def test_what_was_dropped_was_let_in_and_thrown_out_or_not_let_in(queue: str) -> None:
    result = made(queue)
    drops = of(result.backlog)["drops"].max()
    inside = of(result.queue)["dropped"].sum()
    lost = result.drops
    assert drops == ((lost["host"] == "r1") & (lost["peer"] == "r2") & (lost["place"] == "queue")).sum() > 0
    assert inside == (0 if queue == "30p" else drops)


def test_a_pfifo_never_holds_more_than_its_limit() -> None:
    assert of(made().queue)["packets"].max() == 29  # in front of the thirtieth


@pytest.mark.parametrize(("host", "peer"), [("r1", "r2"), ("r2", "r1")])
def test_samples_of_the_backlog_are_what_the_events_say(host: str, peer: str) -> None:
    result = made()
    events, samples = of(result.queue, host, peer), of(result.backlog, host, peer)
    came = np.searchsorted(events["enqueued_s"], samples["time_s"] + ROUND)
    left = np.searchsorted(np.sort(events["dequeued_s"].dropna()), samples["time_s"] + ROUND)
    assert (came - left).tolist() == samples["backlog_packets"].tolist()


@pytest.mark.parametrize(("host", "peer"), [("r1", "r2"), ("r2", "r1")])
def test_a_fifo_lets_out_in_the_order_of_coming(host: str, peer: str) -> None:
    mine = of(made().queue, host, peer)
    assert mine["enqueued_s"].is_monotonic_increasing
    assert mine["dequeued_s"].dropna().is_monotonic_increasing


def test_little_s_law_holds() -> None:
    """Mean length over time = arrivals a second x mean wait (Little 1961): the queue begins and ends empty.

    The length is taken from the steps that `packets` tells, the wait from each packet's own two times.
    """
    mine = of(made().queue)
    mine = mine[mine["dequeued_s"].notna()]
    span = mine["dequeued_s"].max() - mine["enqueued_s"].min()
    times = np.concatenate([mine["enqueued_s"], mine["dequeued_s"]])
    steps = np.repeat([1, -1], len(mine))
    order = np.lexsort((-steps, times))
    length = np.cumsum(steps[order])[:-1]
    mean_length = (length * np.diff(times[order])).sum() / span
    assert mean_length == pytest.approx(len(mine) / span * mine["wait_s"].mean(), rel=1e-9)
    assert 5 < mean_length < 30


def test_each_packet_finds_those_before_it_that_have_not_left() -> None:
    mine = of(made().queue)
    gone = np.sort(mine["dequeued_s"].fillna(np.inf))
    before = np.arange(len(mine))
    least = before - np.searchsorted(gone, mine["enqueued_s"] + ROUND)
    most = before - np.searchsorted(gone, mine["enqueued_s"] - ROUND)
    assert ((least <= mine["packets"]) & (mine["packets"] <= most)).all()


def test_a_wait_is_the_work_in_front() -> None:
    """tbf sends a full frame each 1514 x 8 / 5 Mbit/s once its bucket is empty."""
    mine = of(made().queue)
    busy = mine[mine["packets"] >= 20]
    frame_s = 1514 * 8 / 5e6
    assert (busy["wait_s"] / (busy["packets"] + 1)).between(0.93 * frame_s, 1.07 * frame_s).all()


def test_waits_are_the_two_times_apart() -> None:
    table = made().queue
    assert (table["dequeued_s"] - table["enqueued_s"]).to_numpy() == pytest.approx(
        table["wait_s"].to_numpy(), abs=ROUND, nan_ok=True
    )


def test_what_is_captured_behind_a_queue_waited_in_it() -> None:
    """The receiver's capture is the queue's departures, 5 ms and its own serialisation later."""
    result = made()
    arrived = result.packet_table("right")
    arrived = arrived[arrived["direction"] == "in"]
    left = of(result.queue)["dequeued_s"].dropna()
    assert len(arrived) == len(left)
    behind = arrived["time_s"].to_numpy() - left.to_numpy()
    assert behind.min() >= 5e-3 - ROUND and behind.max() < 5e-3 + 2e-4


def test_a_queue_that_is_replaced_drops_what_it_held() -> None:
    result = made("30p", change=True)
    mine = of(result.queue)
    unended = mine["dequeued_s"].isna()
    assert mine["dropped"][unended].all()
    assert mine["packets"][mine["enqueued_s"] > 0.5].max() <= 9


@pytest.mark.parametrize("queue", ["30p", "fq_codel"])
def test_retransmissions_are_as_many_as_the_kernel_counts(queue: str) -> None:
    result = made(queue)
    mine = result.retransmissions
    assert len(mine) == counter(result, "left", "TcpRetransSegs") == result.retransmits().iloc[0] > 0
    assert set(mine["side"]) == {"sender"} and set(mine["flow"]) == {"left-right"}


def test_congestion_states_follow_each_other() -> None:
    states = made().cong_states
    assert (states["state"].astype(str) != states["state"].astype(str).shift()).iloc[1:].mean() > 0.5
    assert set(states["state"]) <= {"Open", "Disorder", "CWR", "Recovery", "Loss"}
    assert states["time_s"].is_monotonic_increasing


def test_what_a_cable_takes_in_batches_leaves_with_the_first_of_them() -> None:
    """Of a batch the kernel names the first packet (byte queue limits). Both kernels say the same."""
    flows = [Flow("left", "right", size="2MB"), Flow("left", "right", size="500kB", mss=500)]
    exp = Experiment(pair(nic=Nic(speed="100mbit")), flows=flows, probes=["queue", "drops", "backlog"])
    tables = {place: run(exp, place=place, cache=False).queue for place in ("guest", "wasm")}
    pd.testing.assert_frame_equal(tables["guest"], tables["wasm"])
    table = tables["guest"]
    assert not table["dropped"].any() and table["dequeued_s"].notna().all()
    mine = of(table, "left", "right")
    assert mine["dequeued_s"].is_monotonic_increasing, "first in, first out"
    assert mine["dequeued_s"].duplicated().sum() > 100, "batches"
    assert mine["packets"].max() < 100
