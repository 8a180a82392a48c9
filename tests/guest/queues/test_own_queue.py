"""A host whose own queue is full. TCP Small Queues retransmitted into it again and again, at one instant, and
virtual time stood still in both kernels: patch 0010."""

from __future__ import annotations

import pytest

from labkit.results.result import Result
from labkit.spec import Experiment, Flow, Link, Topology
from tests.guest.helpers import fresh

LIMIT_S = 20  # of real time; a run takes 0.1 s
ROUNDS = 11  # drops of one flow in a row that nothing else comes between, as on an ordinary machine


def crowded(loss: str, seed: int) -> Experiment:
    """r1 sends through its own token bucket, which it keeps full with UDP."""
    wire = Link("r1", "r2", rate="3.3333mbit", queue="50p", delay="10ms", forward={"loss": loss})
    network = Topology(["left", "r1", "r2", "right"], [Link("left", "r1"), wire, Link("r2", "right")])
    udp = Flow("r1", "r2", protocol="udp", rate="5mbit", duration="4s", start="100ms", packet=537)
    flows = [Flow("r1", "right", cc="reno", start="100ms", duration="6s"), udp]
    probes = ["drops", "retransmit"]
    return Experiment(network, flows=flows, duration="5s", seed=seed, probes=probes, wall_limit=LIMIT_S)


def most_at_one_instant(result: Result) -> int:
    drops = result.drops
    own = drops[(drops["place"] == "queue") & (drops["protocol"] == "tcp")]
    return int(own.groupby("time_s").size().max()) if len(own) else 0


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize(("loss", "seed"), [("50%", 0), ("50%", 1), ("20%", 2), ("5%", 3)])
def test_time_goes_on_while_a_host_sends_into_its_own_full_queue(loss: str, seed: int) -> None:
    result = fresh(crowded(loss, seed))
    assert result.end_reason == "duration"
    assert 0 < most_at_one_instant(result) <= ROUNDS
