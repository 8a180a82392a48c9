"""How large a result may become, said before it is run."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from labkit.compile.volume import estimate, warn_if_large
from labkit.spec import ALL_PROBES, Capture, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair

GB = 10**9
FAST = pair(rate="1gbit", delay="10ms", queue="2000p")


def asked(network: Any = FAST, *, capture: Any = ("left", "right"), **flow: Any) -> Experiment:
    return Experiment(network, flows=[Flow("left", "right", **flow)], probes=ALL_PROBES, capture=capture)


def test_ten_seconds_at_a_gigabit_are_not_more_than_estimated_and_half_of_it_at_least() -> None:
    """Measured: 2.08 GB at a mean rate of 0.84 of the link's; the estimate is for all of it."""
    total = sum(estimate(asked(duration="10s")).values())
    assert 2.08 * GB < total < 2 * 2.08 * GB


def test_a_minute_at_a_gigabit_says_what_it_may_write_and_how_to_make_it_smaller() -> None:
    with pytest.warns(UserWarning) as caught:
        warn_if_large(asked(duration="60s"), free_bytes=71 * GB)
    (text,) = [str(warning.message) for warning in caught]
    for part in ("16.7 GB", "7.9 GB by the capture of left", "the probe queue", "71.0 GB are free"):
        assert part in text
    for cure in ("left to right at most 7.5 GB", "snap=96", "fewer probes", "size="):
        assert cure in text


@pytest.mark.parametrize(
    "experiment",
    [
        asked(duration="60s", capture=[Capture("left", snap=96)], network=pair(rate="10mbit")),
        asked(size="100MB"),
        asked(size="100MB", network=pair()),
        asked(protocol="udp", rate="10mbit", duration="60s", network=pair()),
        Experiment(FAST, flows=[Flow("left", "right", duration="60s")]),
    ],
)
def test_what_stays_below_a_gigabyte_says_nothing(experiment: Experiment) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_large(experiment, free_bytes=GB)


def test_flows_that_share_a_link_share_its_rate() -> None:
    network = dumbbell(rate="100mbit")
    flow = Flow("left", "right", duration="10s")
    alone = estimate(Experiment(network, flows=[flow], capture=["r1"]))
    both = estimate(Experiment(network, flows=[flow, flow], capture=["r1"]))
    assert sum(both.values()) == pytest.approx(sum(alone.values()))
