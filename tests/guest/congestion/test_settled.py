"""What flows share once they have settled: from runs of the kernel, of several lengths and seeds."""

from __future__ import annotations

import pandas as pd
import pytest

from labkit import Experiment, Flow, NotSettledError, Result, SpecError, dumbbell, run, settled
from labkit.measures.settled import QUANTITIES

QUEUE = "r1 → r2"


def shared(first: str, second: str, duration: str, seed: int = 1) -> Result:
    flows = [
        Flow("left1", "right1", cc=first, duration=duration, name="first"),
        Flow("left2", "right2", cc=second, duration=duration, name="second", start="1s"),
    ]
    network = dumbbell(2, rate="10mbit", delay="20ms", queue="50p")
    return run(Experiment(network, flows=flows, seed=seed, probes=["tcp_info", "backlog"]))


def overlap(a: pd.Series, b: pd.Series) -> bool:
    return bool(a["low"] <= b["high"] and b["low"] <= a["high"])


@pytest.fixture(scope="module")
def bbr() -> Result:
    return shared("cubic", "bbr", "120s")


def test_four_times_as_long_it_is_the_same(bbr: Result) -> None:
    """What ten batches say of two minutes holds over eight."""
    short, long = settled(bbr, "share"), settled(shared("cubic", "bbr", "480s"), "share")
    for flow in ("first", "second"):
        assert overlap(short.loc[flow], long.loc[flow])
        assert (
            long.loc[flow, "high"] - long.loc[flow, "low"] < short.loc[flow, "high"] - short.loc[flow, "low"]
        )
    assert short["value"].sum() == pytest.approx(1, abs=0.01)


def test_shares_are_those_of_the_tables(bbr: Result) -> None:
    """The same time by `shares` in one interval of all that counts: within the interval."""
    found = settled(bbr, "share").loc["second"]
    table = bbr.shares("10s")
    late = table[table.index >= 20]["second"]
    assert found["low"] <= late.mean() <= found["high"]
    assert table.sum(axis=1).between(1 - 1e-9, 1 + 1e-9).all()
    assert list(table.index) == [10.0 * i for i in range(len(table))]


def test_goodput_and_queue_agree_with_what_the_kernel_counted(bbr: Result) -> None:
    """All that the two got is what the link carries; the queue's mean is that of its samples."""
    rates = settled(bbr, "goodput")
    assert rates["value"].sum() == pytest.approx(10 * 1448 / 1514, rel=0.02)
    queue = settled(bbr, "queue").loc[QUEUE]
    samples = bbr.backlog[(bbr.backlog["host"] == "r1") & (bbr.backlog["peer"] == "r2")]
    mean = samples[samples["time_s"] > 20]["backlog_packets"].mean()
    assert queue["value"] == pytest.approx(mean, rel=0.05)
    assert settled(bbr, "queue", at=("r1", "r2")).equals(settled(bbr, "queue"))


def test_window_over_round_trip_is_the_rate(bbr: Result) -> None:
    """Little's law: of CUBIC, whose window is in use all the time, within a tenth."""
    window = settled(bbr, "cwnd").loc["first", "value"]
    info = bbr.tcp_info
    mine = info[(info["side"] == "sender") & (info["flow"] == "first") & (info["time_s"] > 20)]
    rate = window * 1448 * 8 / (mine["rtt"].mean() / 1e6) / 1e6
    assert rate == pytest.approx(settled(bbr, "goodput").loc["first", "value"], rel=0.1)


def test_ten_seconds_are_too_few_and_half_a_minute_may_be_a_start() -> None:
    with pytest.raises(SpecError, match="at least 200 are needed: run it for 20 s or longer"):
        settled(shared("cubic", "bbr", "12s"), "share")
    refused = r"share of first has not settled: it still falls, .* run it for 59 s or longer"
    with pytest.raises(NotSettledError, match=refused):
        settled(shared("cubic", "reno", "30s"), "share")


def test_what_is_said_of_two_minutes_is_not_the_first_ten_seconds() -> None:
    """Vegas beside CUBIC begins with more than it keeps."""
    result = shared("vegas", "cubic", "120s")
    short, long = settled(result, "share"), settled(shared("vegas", "cubic", "480s"), "share")
    assert overlap(short.loc["first"], long.loc["first"])
    assert result.shares("10s")["first"].iloc[0] > 1.5 * long.loc["first", "high"]


def test_what_cannot_be_asked_for(bbr: Result) -> None:
    with pytest.raises(SpecError, match=r'no such quantity .did you mean "goodput"'):
        settled(bbr, "goodputt")
    with pytest.raises(SpecError, match="flow 'third': no such TCP flow: flows are first, second"):
        settled(bbr, "share", ["third"])
    with pytest.raises(SpecError, match="must be above 0, and at most"):
        bbr.shares("1h")


def test_units_are_in_the_table(bbr: Result) -> None:
    for quantity, unit in QUANTITIES.items():
        assert settled(bbr, quantity).attrs["units"]["value"] == unit
