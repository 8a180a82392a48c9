"""The probe "retransmit" on the lab kernel: against the kernel's counter and the probe "recovery"."""

from __future__ import annotations

from functools import cache

import pandas as pd
import pytest

from labkit.program.structs import Kind
from labkit.results.result import ProbeMissingError, Result
from labkit.spec import Experiment, Flow
from labkit.spec.topologies import dumbbell
from tests.guest.helpers import counter, fresh


@cache
def made(*probes: str) -> Result:
    """Two transfers through 1 % loss, then silence: at the end nothing is under way."""
    flows = [Flow("left1", "right1", cc="reno", size="1MB"), Flow("left2", "right2", size="1MB")]
    network = dumbbell(2, rate="10mbit", delay="5ms", loss="1%", queue="50p")
    return fresh(Experiment(network, flows=flows, duration="4s", probes=set(probes)))


def test_there_is_a_row_for_each_segment_that_the_kernel_counts() -> None:
    result = made("retransmit")
    for host, flow in (("left1", "left1-right1"), ("left2", "left2-right2")):
        mine = result.retransmit[result.retransmit["flow"] == flow]
        assert len(mine) == counter(result, host, "TcpRetransSegs") == result.retransmits()[flow] > 3
        assert mine["number"].tolist() == list(range(1, len(mine) + 1))
        assert mine["side"].unique().tolist() == ["sender"]
        assert mine["sport"].nunique() == mine["dport"].nunique() == 1
    assert result.retransmit["time_s"].is_monotonic_increasing
    assert result.retransmit["time_s"].between(0, result.virtual_s).all()


def test_its_rows_are_those_of_the_probe_recovery() -> None:
    theirs = made("recovery").retransmissions
    pd.testing.assert_frame_equal(made("retransmit").retransmit[list(theirs)], theirs, check_exact=True)


def test_both_probes_together_give_what_each_gives_alone() -> None:
    both = made("recovery", "retransmit")
    pd.testing.assert_frame_equal(both.retransmit, made("retransmit").retransmit, check_exact=True)
    pd.testing.assert_frame_equal(both.cong_states, made("recovery").cong_states, check_exact=True)


def test_looking_changes_nothing() -> None:
    bare, watched = made(), made("retransmit")
    assert [bytes(body) for body in bare.raw.bodies(bare.raw.records(Kind.FLOW))] == [
        bytes(body) for body in watched.raw.bodies(watched.raw.records(Kind.FLOW))
    ]
    pd.testing.assert_frame_equal(watched.counters, bare.counters)
    assert watched.virtual_s == bare.virtual_s


def test_what_was_not_recorded_is_had_by_running_again() -> None:
    pd.testing.assert_frame_equal(made().retransmit, made("retransmit").retransmit, check_exact=True)


def test_its_figure_counts_what_the_table_has() -> None:
    result = made("retransmit")
    chart = result.charts.retransmit()
    assert len(chart.datasets["retransmit"]) == len(result.retransmit)
    for flow, mine in result.retransmit.groupby("flow", observed=True):
        assert f"{flow}: {len(mine)} segments sent again" in chart.description


def test_without_a_queue_the_probe_of_queues_says_so() -> None:
    result = fresh(
        Experiment(dumbbell(rate=None), flows=[Flow("left", "right", size="10kB")], probes={"queue"})
    )
    with pytest.raises(ProbeMissingError, match=r"^queue: nothing to trace: no queue"):
        result.queue  # noqa: B018
