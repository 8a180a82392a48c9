"""The kernel in WebAssembly beside the guest: the same cells in every table, drawn ones too."""

from __future__ import annotations

import pytest

from labkit import Experiment, Flow, Link, Topology, dumbbell, pair, run
from labkit.errors import LimitReached
from labkit.execute.wasm.linked import Linked
from labkit.spec import LAB_CONGESTION_CONTROLS
from tests.guest.queues.test_own_queue import crowded
from tests.wasm.cells import compared
from tests.wasm.experiments import EXPERIMENTS, LOSSY


def unequal(exp: Experiment) -> dict[str, set[str]]:
    """Table -> columns that differ. Fails if hardly anything was compared."""
    guest, wasm = (run(exp, place=place, cache=False) for place in ("guest", "wasm"))
    found = compared(guest, wasm)
    assert len(found) > 3
    return {table: set(differing) for table, differing in found.items() if differing}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_is_the_guests(wasm: Linked, name: str) -> None:
    assert unequal(EXPERIMENTS[name]) == {}


@pytest.mark.parametrize("cc", LAB_CONGESTION_CONTROLS)
def test_each_congestion_control_does_what_it_does_in_the_guest(wasm: Linked, cc: str) -> None:
    """For as long as what is drawn, or compared with a stamp of zero, takes to show: NV's base after 6 s,
    BBR's after 10."""
    net = pair(rate="10mbit", delay="20ms", queue="66p", loss="0.2%")
    flows = [
        Flow("left", "right", cc=cc, duration="20s"),
        Flow("left", "right", cc=cc, start="1s", duration="15s"),
    ]
    assert (
        unequal(Experiment(net, flows=flows, seed=1, probes=["tcp_info", "cc_info", "tcp_probe", "drops"]))
        == {}
    )


def test_a_packet_that_waits_longer_than_31_bits_of_nanoseconds(wasm: Linked) -> None:
    """1,500 bytes at 2 kbit/s take six seconds. The watchdog of tbf counted them in a long, and the time
    stood still."""
    slow = Experiment(
        dumbbell(rate="2kbit", delay="10ms", queue="100p"),
        flows=[Flow("left", "right", protocol="udp", rate="10kbit", duration="10s")],
        duration="20s",
        seed=1,
        probes=["queue", "drops"],
    )
    assert unequal(slow) == {}


def test_a_pacing_rate_that_32_bits_do_not_hold(wasm: Linked) -> None:
    """Over a round trip of ten microseconds it passes 34 Gbit/s. It was a long; HyStart reckons with it."""
    fast = Experiment(
        Topology(["left", "right"], [Link("left", "right", delay="5us")]),
        flows=[Flow("left", "right", cc="cubic", size="20MB")],
        seed=1,
        probes=["tcp_info", "tcp_probe"],
    )
    assert unequal(fast) == {}


def test_as_many_datagrams_wait_for_their_other_half(wasm: Linked) -> None:
    """Each of them, its descriptor included, counts against ipfrag_high_thresh: with pointers of 32 bits more
    waited there, and others were dropped."""
    halves = Experiment(
        dumbbell(rate="100mbit", delay="1ms", queue="1000p", loss="50%"),
        flows=[Flow("left", "right", protocol="udp", rate="80mbit", packet=2000, duration="1s")],
        seed=3,
        probes=["queue", "drops"],
    )
    assert unequal(halves) == {}
    assert (run(halves).drops.function == "ip_defrag").sum() > 500, "too many wait"


def test_a_host_that_fills_its_own_queue_loses_the_same_packets(wasm: Linked) -> None:
    assert unequal(crowded("50%", 0)) == {}


def test_a_ring_that_overflows_loses_the_same_events(wasm: Linked) -> None:
    """Small segments, of which more pass in a second than the ring of traces is made for."""
    many = Experiment(
        pair(rate="100mbit", delay="1ms", queue="100p", mtu=200),
        flows=[Flow("left", "right", cc="reno", duration="2s")],
        seed=1,
        probes=["tcp_probe", "recovery"],
    )
    lost = [run(many, place=place).lost_trace_events for place in ("guest", "wasm")]
    assert lost[0] == lost[1] > 10_000
    assert unequal(many) == {}


def test_traces_meet_their_limit_at_the_same_event(wasm: Linked) -> None:
    flow = Flow("left", "right", cc="cubic", duration="5s")
    probes = ["tcp_probe", "queue", "retransmit", "recovery"]
    exp = Experiment(pair(**LOSSY), flows=[flow], seed=1, probes=probes, trace_limit="300kB")
    cut = []
    for place in ("guest", "wasm"):
        with pytest.raises(LimitReached) as met:
            run(exp, place=place, cache=False)
        cut.append(met.value.result)
    guest, wasm_ = cut
    assert {name: cells for name, cells in compared(guest, wasm_).items() if cells} == {}
