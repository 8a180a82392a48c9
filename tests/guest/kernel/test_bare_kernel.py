"""What the lab kernel's patches change, and what they do not: the same kernel without them as a control.

`make truth` builds it once, beside the other (`labkit kernel build --bare`). Its clock ticks 100 times a
second instead of 1000, counts in steps of 256 ns and moves when somebody looks at it, and its random numbers
are the machine's. So nothing is equal to the nanosecond; what the network decides is, and what TCP times is
not: retransmission timeouts, delayed ACKs and tail loss probes count in ticks of 10 ms.
"""

from __future__ import annotations

import functools

import pytest

from labkit import Command, DropPackets, Experiment, Flow, dumbbell, pair, run
from labkit.execute.guest.boot import GuestPlace
from labkit.execute.guest.kernel.build import BARE, KernelNotBuilt, kernel
from labkit.results.result import Result

pytestmark = pytest.mark.truth
LOST = [20, 21, 40, 80, 160]
EXPERIMENTS = {
    "bulk": Experiment(
        dumbbell(rate="10mbit", delay="10ms", queue="100p"), flows=[Flow("left", "right", size="5MB")]
    ),
    "lossy": Experiment(
        pair(rate="10mbit", delay="10ms", forward={"loss": DropPackets(LOST)}),
        flows=[Flow("left", "right", size="2MB", cc="reno")],
    ),
    "datagrams": Experiment(
        dumbbell(rate="2mbit", delay="10ms", queue="10p"),
        flows=[Flow("left", "right", protocol="udp", rate="3mbit", duration="5s")],
    ),
    "ping": Experiment(pair(delay="20ms"), commands=[Command("left", "ping -c 5 -i 0.2 right")]),
}


@pytest.fixture(scope="module", autouse=True)
def bare() -> None:
    """Skipped by name where there is none."""
    try:
        kernel(BARE)
    except KernelNotBuilt:
        pytest.skip("no kernel without our patches: make truth builds it")


@functools.cache
def both(name: str) -> tuple[Result, Result]:
    """With our patches and without."""
    experiment = EXPERIMENTS[name].replace(probes=[])
    return run(experiment, cache=False), run(experiment, cache=False, place=GuestPlace(bare=True))


def test_they_are_two_kernels_of_one_release() -> None:
    ours, theirs = both("ping")
    assert ours.kernel == theirs.kernel
    assert ours.manifest["kernel"]["key"] != theirs.manifest["kernel"]["key"]


@pytest.mark.parametrize("name", ["bulk", "lossy"])
def test_a_transfer_is_as_fast_on_both(name: str) -> None:
    """All of it arrives, at a rate that the link sets: to 0.5 %, a tick or two of the whole."""
    ours, theirs = both(name)
    assert ours.flows["complete"].all() and theirs.flows["complete"].all()
    assert theirs.goodput().iloc[0] == pytest.approx(ours.goodput().iloc[0], rel=0.005)


def test_the_same_packets_lost_are_sent_again_on_both() -> None:
    """By SACK, which has no clock in it: each once."""
    assert [result.retransmits().iloc[0] for result in both("lossy")] == [len(LOST)] * 2


def test_a_queue_passes_as_many_datagrams_on_both() -> None:
    """It is full when the flow ends, on both: the rate decides. To one packet in a thousand."""
    ours, theirs = (result.flows.iloc[0] for result in both("datagrams"))
    assert ours["sent_packets"] == theirs["sent_packets"]
    assert theirs["received_packets"] == pytest.approx(ours["received_packets"], rel=0.001)


def test_a_ping_takes_a_round_trip_on_both() -> None:
    for result in both("ping"):
        lines = [line for line in result.output(0).splitlines() if "time=" in line]
        times = [float(line.partition("time=")[2].split()[0]) for line in lines]
        assert times == pytest.approx([40.0] * 5, abs=0.2)


def test_only_ours_gives_the_same_bytes_again() -> None:
    """What the patches are for."""
    ours, _ = both("bulk")
    assert run(ours.experiment, cache=False).digest() == ours.digest()
