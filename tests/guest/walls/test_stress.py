"""The network under stress: many hosts, links that take no time, memory that does not suffice."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from labkit.errors import LabKernelError, SpecError
from labkit.program.structs import Kind
from labkit.results.result import Result
from labkit.spec import ALL_PROBES, Experiment, Flow, Link, Requests, Topology
from labkit.spec.topologies import dumbbell, pair
from tests.guest.helpers import NOTHING, fresh

LOOKS: list[dict[str, Any]] = [
    *({"probes": {probe}} for probe in sorted(ALL_PROBES)),
    *({"probes": NOTHING, "capture": [host]} for host in ("left", "right")),
    {"probes": ALL_PROBES, "capture": ["left", "right"]},
]
FAST: dict[str, dict[str, Any]] = {
    "neither rate nor delay": {},
    "neither, and loss": {"loss": "1%"},
    "10 us": {"delay": "10us"},
    "10 us and loss": {"delay": "10us", "loss": "1%"},
    "10 Gbit/s": {"rate": "10gbit"},
    "10 Gbit/s and 10 us": {"rate": "10gbit", "delay": "10us"},
    "10 Gbit/s, 10 us and loss": {"rate": "10gbit", "delay": "10us", "loss": "1%"},
}


pytestmark = pytest.mark.usefixtures("each_kernel")


def course(result: Result) -> list[bytes]:
    return [bytes(body) for body in result.raw.bodies(result.raw.records(Kind.FLOW))]


# ---- every device is up before anything starts ----


@pytest.mark.parametrize("pairs", [30, 249])
def test_no_flow_of_many_hosts_starts_late(pairs: int) -> None:
    """249 pairs and two routers are 500 hosts. A handshake takes a round trip of 20 ms, and what the others'
    10 kB add: a lost SYN would take a second."""
    flows = [Flow(f"left{i}", f"right{i}", size="10kB") for i in range(1, pairs + 1)]
    network = dumbbell(pairs, rate="1gbit", delay="10ms", queue="10000p")
    result = fresh(Experiment(network, flows=flows, probes=NOTHING, memory="1GiB"))
    assert result.flows["complete"].all()
    assert result.flows["established_s"].max() < 0.1
    assert result.flows["retransmits"].sum() == 0


# ---- looking changes nothing ----


@pytest.mark.parametrize("link", FAST.values(), ids=FAST.keys())
def test_looking_changes_nothing_on_a_fast_link(link: dict[str, Any]) -> None:
    exp = Experiment(pair(**link), flows=[Flow("left", "right", duration="5ms")], probes=NOTHING)
    bare = course(fresh(exp))
    assert [look for look in LOOKS if course(fresh(exp.replace(**look))) != bare] == []


def test_the_ledger_of_a_link_that_takes_no_time_is_had_by_looking_again() -> None:
    exp = Experiment(pair(), flows=[Flow("left", "right", duration="10ms")], probes=NOTHING)
    assert len(fresh(exp).ledger()) == 0


@pytest.mark.parametrize("loss", [None, "1%"])
def test_a_flow_on_a_link_that_takes_no_time_ends_when_it_should(loss: str | None) -> None:
    """It writes 16 MiB at one instant and rests for 4 ms (book/architecture.md); with what the buffers hold
    of the last writing, and a first instant that is free, no more than three of them in 5 ms. With loss it
    waits for its timers, and each wait is a new instant."""
    flow = fresh(Experiment(pair(loss=loss), flows=[Flow("left", "right", duration="5ms")])).flows.iloc[0]
    assert flow["end_s"] == 0.005
    assert flow["last_byte_s"] <= 0.005
    assert flow["received_bytes"] > 16 << 20
    if loss is None:
        assert flow["received_bytes"] < 4 * 16 << 20
        assert flow["retransmits"] == 0


def test_requests_on_a_link_that_takes_no_time_end_when_they_should() -> None:
    """Each counts for 64 KiB beside its bytes: 256 of them at an instant and, the first being free, again."""
    exp = Experiment(pair(), flows=[Requests("left", "right", duration="5ms", request=100, response=1000)])
    table = fresh(exp).requests
    assert table["complete"].all()
    assert 256 < len(table) < 1024
    assert table["done_s"].max() <= 0.005


# ---- the window on a link without a rate ----


def window(**changes: Any) -> float:
    """The receive buffer's growth as goodput (Mbit/s) after it has had 80 round trips of 20 ms for it."""
    flow = Flow("left", "right", duration="1.6s", rcvbuf=changes.pop("rcvbuf", None))
    return float(
        fresh(Experiment(pair(delay="10ms", **changes), flows=[flow], probes=NOTHING)).goodput().iloc[0]
    )


def test_a_direct_link_without_a_rate_keeps_the_first_window() -> None:
    """As the docstring of `pair` says: 81,920 bytes a round trip of 20 ms are 32.8 Mbit/s of payload."""
    assert 25 < window() < 33


@pytest.mark.parametrize(
    "cure", [{"rate": "1gbit", "queue": "5000p"}, {"jitter": "100us"}, {"rcvbuf": "4MB"}]
)
def test_a_rate_or_jitter_or_a_buffer_widen_it(cure: dict[str, Any]) -> None:
    assert window(**cure) > 300


# ---- many routers, little memory ----


def test_a_chain_of_500_hosts_is_built() -> None:
    """End to end it is longer than packets live (64 hops): two hosts in its middle talk."""
    names = [f"h{i}" for i in range(500)]
    chain = Topology(names, [Link(a, b, delay="1ms") for a, b in pairwise(names)])
    flows = [Flow("h220", "h260", size="10kB")]
    result = fresh(Experiment(chain, flows=flows, probes=NOTHING))
    assert result.flows["complete"].all()
    assert 0.08 <= result.flows["established_s"].iloc[0] < 0.081


def test_memory_that_the_buffers_fill_is_refused_by_name() -> None:
    exp = Experiment(pair(rate="1gbit"), duration=1, probes=ALL_PROBES, memory="64MB")
    with pytest.raises(
        SpecError, match=r"memory=61MiB: too little for 2 hosts and \d+ MiB of buffers.*write \d+MiB"
    ):
        fresh(exp)


def test_a_guest_without_memory_says_so() -> None:
    flow = Flow("left", "right", protocol="udp", rate="1gbit", duration="5s")
    exp = Experiment(
        pair(rate="1mbit", queue="300MB", delay="1ms"), flows=[flow], memory="64MB", duration="5s"
    )
    with pytest.raises(LabKernelError, match="the guest ran out of memory: write memory="):
        fresh(exp)
