"""What measures are taken over: with a flow that stalls, one that is never there and one that dies early."""

from __future__ import annotations

import pandas as pd
import pytest

from labkit import Change, Experiment, Flow, Host, Link, Result, Topology, run
from labkit.measures.vocabulary import as_measure
from labkit.results.acknowledged import acked_of

RATE_MBIT = 10 * 1448 / 1514
"""Payload that a link of 10 Mbit/s carries."""


@pytest.fixture(scope="module")
def three() -> Result:
    """Ten seconds of 10 Mbit/s. "stalls": its link loses everything from 2 s on; "never": its link always
    did; "dies": as the first, and its kernel gives up after two retransmissions; "whole": nothing happens."""
    names = ["stalls", "never", "dies", "whole"]
    ends = [f"{name}-far" for name in names]
    links = [Link(a, b, rate="10mbit", delay="5ms", queue="20p") for a, b in zip(names, ends, strict=True)]
    links[1] = Link("never", "never-far", rate="10mbit", delay="5ms", loss="100%")
    cut = [Change(2.0, (name, f"{name}-far"), loss="100%") for name in ("stalls", "dies")]
    flows = [Flow(a, b, duration="10s", name=a) for a, b in zip(names, ends, strict=True)]
    hosts = [Host(name, sysctls={"net.ipv4.tcp_retries2": 2} if name == "dies" else {}) for name in names]
    return run(Experiment(Topology([*hosts, *ends], links), flows=flows, changes=cut))


def test_goodput_is_over_the_time_that_a_flow_was_given(three: Result) -> None:
    rates = three.goodput()
    assert three.flows.loc["stalls", "last_byte_s"] < 2.1
    assert three.flows.loc["dies", "error"] == "ETIMEDOUT"
    assert rates["whole"] == pytest.approx(RATE_MBIT, rel=0.01)
    assert rates["stalls"] == pytest.approx(RATE_MBIT / 5, rel=0.05)
    assert rates["dies"] == pytest.approx(RATE_MBIT / 5, rel=0.05)
    assert rates["never"] == 0


def test_what_was_not_complete_says_so(three: Result) -> None:
    assert list(three.flows["complete"]) == [True, False, False, True]
    assert "never 0 Mbit/s (incomplete)" in repr(three)
    assert "incomplete: ETIMEDOUT" in three._repr_html_()


def test_seconds_of_a_stall_and_after_a_death_are_seconds_of_nothing(three: Result) -> None:
    table = pd.DataFrame(as_measure("goodput_in_second")(three))
    means = table.groupby("flow", sort=False)["goodput_in_second"].agg(["size", "mean"])
    assert list(means["size"]) == [10, 10, 10, 10]
    rates = three.goodput()
    for name in means.index:  # acknowledged at the sender, read at the receiver
        assert means.loc[name, "mean"] == pytest.approx(rates[name], abs=0.2)
    late = table[(table["flow"] == "dies") & (table["second"].astype(int) > 3)]
    assert (late["goodput_in_second"] == 0).all()


def test_a_flow_that_was_never_there_has_its_part_in_fairness(three: Result) -> None:
    """The index of bytes acknowledged is that of goodput: all four were given the same ten seconds."""
    given = three.goodput().to_numpy()
    index = given.sum() ** 2 / (4 * (given**2).sum())
    said = three.charts.share().description
    assert f"Jain's index of fairness is {index:.2f}" in said
    assert set(acked_of(three)["flow"]) == {"stalls", "never", "dies", "whole"}
