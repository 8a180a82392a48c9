"""Streams: what the buffer holds, when playback stands still and which rate is taken follow from arrivals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.results.result import Result
from labkit.spec import Change, Experiment, Stream
from labkit.spec.topologies import pair
from tests.guest.helpers import NOTHING, fresh

LADDER = (500_000, 1_000_000, 2_000_000, 4_000_000)


def played(network: Any, *, changes: Any = (), seed: int = 1, **fields: Any) -> Result:
    stream = Stream("left", "right", **({"length": "60s", "ladder": LADDER, "segment": "2s"} | fields))
    exp = Experiment(network, flows=[stream], changes=changes, seed=seed, probes=NOTHING, time_limit="1000s")
    return fresh(exp)


def replayed(table: pd.DataFrame, segment: float, begin: float) -> tuple[list[float], float, int]:
    """The buffer at each request, and for how long and how often playback stood still: a simulation of the
    player in the open, step by step, from arrivals alone."""
    buffered, playing, begun, last, still = 0.0, False, False, 0.0, 0.0
    held, stood, times = [], 0.0, 0
    events = sorted(
        [(at, 1, i) for i, at in enumerate(table["asked_s"])]
        + [(at, 0, i) for i, at in enumerate(table["done_s"])]
    )
    for at, what, i in events:
        if playing:
            buffered -= at - last
            if buffered <= 0 and i < len(table):
                playing, still = False, at + buffered
            buffered = max(buffered, 0.0)
        last = at
        if what == 1:
            held.append(buffered)
            continue
        buffered += segment
        if not playing and (buffered >= begin - 1e-9 or i + 1 == len(table)):
            if begun:
                stood, times = stood + at - still, times + 1
            playing = begun = True
    return held, stood, times


def test_a_wide_line_plays_at_the_highest_rate_and_never_stands_still() -> None:
    result = played(pair(rate="20mbit", delay="10ms"))
    row = result.playback.iloc[0]
    assert (row["stalls"], row["stalled_s"], row["complete"], row["segments"]) == (0, 0.0, True, 30)
    rates = result.segments["rate"].to_list()
    assert rates[0] == LADDER[0] and set(rates[2:]) == {LADDER[-1]}
    assert row["switches"] == np.count_nonzero(np.diff(rates))
    assert row["mean_rate"] == pytest.approx(np.mean(rates))


def test_it_asks_for_no_segment_that_has_no_room() -> None:
    """A buffer of 10 s, segments of 2 s: at each request it holds at most 8 s, and then exactly those."""
    table = played(pair(rate="20mbit", delay="10ms"), buffer="10s").segments
    assert table["buffer_s"].max() == pytest.approx(8.0, abs=1e-3)
    np.testing.assert_allclose(table["buffer_s"].iloc[10:], 8.0, atol=1e-3)
    np.testing.assert_allclose(np.diff(table["asked_s"].iloc[10:]), 2.0, atol=1e-3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", ["throughput", "buffer"])
def test_buffer_and_stalls_are_those_of_a_player_in_the_open(rule: str, seed: int) -> None:
    """The line falls to 400 kbit/s for a while, and it loses: playback stands still."""
    network = pair(
        rate="3mbit", delay="30ms", queue="50p", loss="1%", backward={"rate": "3mbit", "loss": "1%"}
    )
    changes = [
        Change("15s", ("left", "right"), rate="400kbit"),
        Change("40s", ("left", "right"), rate="3mbit"),
    ]
    result = played(network, changes=changes, rule=rule, buffer="12s", begin="4s", seed=seed)
    held, stood, times = replayed(result.segments, 2.0, 4.0)
    np.testing.assert_allclose(result.segments["buffer_s"], held, atol=1e-6)
    row = result.playback.iloc[0]
    assert row["complete"] and row["startup_s"] == pytest.approx(result.segments["done_s"][1])
    assert (row["stalls"], row["stalled_s"]) == (times, pytest.approx(stood, abs=1e-6))


def test_its_rate_is_what_the_last_three_segments_allow() -> None:
    """4/5 of the harmonic mean of their throughput, the highest rate below."""
    network = pair(
        rate="3mbit", delay="30ms", queue="50p", loss="1%", backward={"rate": "3mbit", "loss": "2%"}
    )
    table = played(network, length="120s").segments
    throughput = 8 * table["size_bytes"] / (table["done_s"] - table["asked_s"])
    for i in range(1, len(table)):
        known = throughput.iloc[max(i - 3, 0) : i]
        allowed = 0.8 * len(known) / (1 / known).sum()
        expected = max([LADDER[0], *(rate for rate in LADDER if rate <= allowed)])
        assert table["rate"][i] == expected, (i, allowed)


def test_by_the_buffer_its_rate_is_lowest_below_and_highest_above() -> None:
    table = played(pair(rate="20mbit", delay="10ms"), rule="buffer", length="120s", buffer="20s").segments
    assert (table["rate"][table["buffer_s"] < 7.5] == LADDER[0]).all()
    assert (table["rate"][table["buffer_s"] >= 18] == LADDER[-1]).all()
    between = table[(table["buffer_s"] >= 7.5) & (table["buffer_s"] < 18)]
    assert between["rate"].is_monotonic_increasing


def test_a_line_that_is_too_slow_stands_still_as_long_as_it_lacks() -> None:
    """One rate of 2 Mbit/s over 1 Mbit/s: a minute of video takes two, and one more in all it stands still,
    but for the time until playback begins."""
    result = played(pair(rate="1mbit", delay="10ms"), ladder=[2_000_000])
    row, table = result.playback.iloc[0], result.segments
    assert row["stalled_s"] == pytest.approx(table["done_s"].iloc[-1] - 58 - row["startup_s"], abs=0.05)
    assert row["stalls"] == 29


def test_a_stream_that_is_cut_counts_the_stall_that_it_is_in() -> None:
    stream = Stream("left", "right", length="60s", ladder=[1_000_000], segment="2s")
    network = pair(rate="5mbit", delay="10ms", backward={"rate": "5mbit"})
    dead = [Change("1s", ("left", "right"), loss=1.0)]
    result = fresh(Experiment(network, flows=[stream], changes=dead, duration="30s", probes=NOTHING))
    row, came = result.playback.iloc[0], result.segments["complete"].sum()
    played_s = 2.0 * came
    assert not row["complete"] and row["segments"] == came
    assert row["stalls"] == 1
    assert row["stalled_s"] == pytest.approx(30 - row["startup_s"] - played_s, abs=0.05)
