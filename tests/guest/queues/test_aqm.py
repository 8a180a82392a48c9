"""What AQMs say of themselves, against the packets they dropped and against the laws they follow.

left ---- router ---- 10 Mbit/s, 25 ms ---- right
"""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from labkit.results.result import Result
from labkit.spec import Experiment, Flow, Link, Queue, Topology
from tests.guest.helpers import fresh

RED = Queue("red", bytes="400kB", options={"min": 15000, "max": 60000, "probability": 0.1})


@cache
def made(queue: str | Queue, sample_interval: str = "10ms") -> Result:
    """Three seconds of a stream of 11 Mbit/s and of one transfer."""
    line = {"rate": "10mbit", "queue": queue}
    links = [Link("left", "router"), Link("router", "right", delay="25ms", forward=line)]
    return fresh(
        Experiment(
            Topology(["left", "router", "right"], links),
            flows=[
                Flow("left", "right", protocol="udp", rate="11mbit", duration="3s"),
                Flow("left", "right", duration="3s"),
            ],
            probes={"backlog", "drops", "queue"},
            sample_interval=sample_interval,
        )
    )


@pytest.mark.parametrize("queue", ["codel", "pie", "fq_codel", RED])
def test_a_kind_fills_its_own_columns_and_no_others(queue: str | Queue) -> None:
    table = made(queue).aqm
    own = {
        "codel": {"delay_s", "count", "dropping", "next_drop_s"},
        "pie": {"probability", "delay_s"},
        "fq_codel": {"new_flows", "old_flows"},
        "red": {"early_drops", "forced_drops"},
    }
    kind = queue if isinstance(queue, str) else queue.kind
    assert len(table) > 300 and (table["kind"] == kind).all()
    assert (table["host"] == "router").all() and (table["peer"] == "right").all()
    assert set(table.dropna(axis=1)) == {"time_s", "host", "peer", "kind"} | own[kind]


def test_a_plain_queue_has_no_rows() -> None:
    assert made("100p").aqm.empty


def test_red_counts_each_packet_that_was_dropped() -> None:
    result = made(RED)
    last = result.aqm.iloc[-1]
    assert last["early_drops"] > 0
    before = result.drops[(result.drops["place"] == "queue") & (result.drops["time_s"] < last["time_s"])]
    assert last["early_drops"] + last["forced_drops"] == len(before)


def test_codel_drops_when_it_said_it_would() -> None:
    """Within the time that a packet takes to leave: it drops at the next departure."""
    result = made("codel")
    table = result.aqm[(result.aqm["dropping"] == 1) & (result.aqm["next_drop_s"] > 0)]
    drops = result.drops.loc[result.drops["place"] == "queue", "time_s"]
    due = (table["time_s"] + table["next_drop_s"]).rename("due_s").sort_values().to_frame()
    came = pd.merge_asof(due, drops.to_frame(), left_on="due_s", right_on="time_s", direction="forward")
    late = (came["time_s"] - came["due_s"]).dropna()
    assert len(late) > 100
    assert late.max() < 1514 * 8 / 10e6 + 1e-5


def test_fq_codel_serves_both_flows() -> None:
    table = made("fq_codel").aqm
    assert (table["new_flows"] + table["old_flows"]).max() == 2


def test_pie_follows_its_law_to_the_last_digit() -> None:
    """p += s (1/8 (delay - 15 ms) + 5/4 (delay - delay before)), s = 1/2 below 0.1 (RFC 8033, section 5.2).

    The delay stands still between two departures, so the sample at an update is what it used.
    """
    table = made("pie", "1ms").aqm
    table = table[table["probability"].diff() != 0]
    before = table.shift()
    wait, old = table["delay_s"], before["delay_s"]
    middle = (before["probability"] > 0.01) & (before["probability"] < 0.1) & (old > 0) & (wait > 0)
    next_one = (table["time_s"] - before["time_s"]).between(0.0145, 0.0165)
    step = 0.5 * (0.125 * (wait - 0.015) + 1.25 * (wait - old))
    off = (table["probability"] - before["probability"] - step).abs()[middle & next_one]
    assert len(off) > 10
    assert off.max() < 2e-6  # the delay is told in whole µs
