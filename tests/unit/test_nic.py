"""The teaching NIC without a kernel: what may be said of a port, the messages that make one, the optical
model against the driver's table, and how its events explain the drop monitor's.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroute2.iproute.linux import IPBatch
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from labkit.charts.link_text import both_ways
from labkit.compile.compiler import compile_experiment
from labkit.compile.description import describe, read
from labkit.compile.layout import lay_out
from labkit.compile.measuring import trace_buffer_kb
from labkit.compile.ports import changes, settings
from labkit.decode.drop_monitor import Drops
from labkit.decode.frames import Frames
from labkit.decode.port_losses import CARRIER, CRC, DOWN, LATE, MISSED, PortLossError, port_losses
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.host import host_place as host
from labkit.models.optics import ber, frame_bits, frame_error_rate
from labkit.netlink.labnic import LabnicData, change, make
from labkit.netlink.veth import End
from labkit.probes import drops_probe
from labkit.probes.probe import Scene
from labkit.results.ledger.drop_places import PORT, DropPlace, Network
from labkit.results.ledger.port_causes import port_cause
from labkit.spec import Change, Direction, Experiment, Flow, Link, Nic, NicChange, Topology
from labkit.spec.nic import CHANGEABLE, SPEEDS
from labkit.spec.topologies import dumbbell, pair, star

DRIVER = Path(__file__).parents[2] / "labkit" / "execute" / "guest" / "modules" / "labnic"


def says(wrong: Any, *words: str) -> None:
    """The call is refused in one message with all of these words."""
    with pytest.raises(SpecError) as refusal:
        wrong()
    for word in words:
        assert word in str(refusal.value)


# What may be said of a port.


@pytest.mark.parametrize("size", [0, -8, 4097, 10**9])
@pytest.mark.parametrize("ring", ["rx_ring", "tx_ring"])
def test_a_ring_of_no_or_too_many_descriptors_is_refused(ring: str, size: int) -> None:
    says(lambda: Nic(**{ring: size}), f"{ring}={size}", "8 to 4096")


@pytest.mark.parametrize(("asked", "given"), [(1, 8), (3, 8), (8, 8), (9, 16), (4090, 4096), (4096, 4096)])
def test_a_ring_is_rounded_up_as_drivers_do(asked: int, given: int) -> None:
    assert Nic(rx_ring=asked).rx_ring == given


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ber": -1e-9}, ["ber=-1e-09", "must not be negative"]),
        ({"ber": 0.01}, ["at most 0.001"]),
        ({"ber": 1e-16}, ["smaller than 1e-15"]),
        ({"memory_ber": "1e-2"}, ["memory_ber", "at most 0.001"]),
        ({"error_burst": 0}, ["error_burst=0", "at least 1"]),
        ({"error_burst": 65}, ["at most 64"]),
        ({"speed": "200mbit"}, ["10mbit, 100mbit, 1gbit, 2.5gbit"]),
        ({"speed": "fast"}, ["10mbit, 100mbit, 1gbit"]),
        ({"speed": "1gbit", "duplex": "half"}, ["duplex", "100mbit"]),
        ({"speed": "100mbit", "duplex": "half", "pause": True}, ["pause", "full duplex"]),
        ({"ber": 1e-9, "rx_power": -18}, ["ber", "rx_power sets the bit error rate"]),
        ({"rx_power": -18.55}, ["steps of 0.1"]),
        ({"rx_power": 8.1}, ["-40 to 8"]),
        ({"rx_power": "-41dBm"}, ["-40 to 8"]),
        ({"rx_power": "-18"}, ['"-18.5dBm"']),
        ({"rx_power": True}, ["not a power"]),
        ({"rx_usecs": "1.5us"}, ["whole microseconds"]),
        ({"rx_usecs": 0, "rx_frames": 0}, ["rx_frames=0", "no interrupt"]),
        ({"packet_cost": "5s"}, ["4.29"]),
        ({"packet_cost": -1}, ["must not be negative"]),
        ({"fifo": "1kB"}, ["fifo", "at least"]),
        ({"weight": 65}, ["at most 64"]),
        ({"ring": 8}, ["no such field", "tx_ring"]),
    ],
)
def test_what_no_port_can_be_is_refused_by_name(fields: dict[str, Any], words: list[str]) -> None:
    says(lambda: Nic(**fields), *words)


def test_units_are_read() -> None:
    nic = Nic(speed="2.5gbit", ber="1e-9", fifo="32kB", bus="1gbit", rx_usecs="50us", packet_cost="2us")
    assert nic == Nic(speed=2.5e9, ber=1e-9, fifo=32_000, bus=10**9, rx_usecs=50, packet_cost=2e-6)
    assert Nic(rx_power="-18.5 dBm") == Nic(rx_power=-18.5)


NICS = st.builds(
    Nic,
    speed=st.sampled_from(sorted(SPEEDS)),
    ber=st.integers(0, 10**12).map(lambda steps: steps / 1e15),
    error_burst=st.integers(1, 64),
    memory_ber=st.integers(0, 10**12).map(lambda steps: steps / 1e15),
    rx_ring=st.integers(1, 4096),
    bus=st.none() | st.integers(1, 10**12),
    rx_usecs=st.integers(1, 10**6),
    rx_frames=st.integers(0, 4096),
    packet_cost=st.integers(0, 10**9).map(lambda ns: ns / 1e9),
    pause=st.booleans(),
)


@given(NICS, NICS)
def test_a_link_with_ports_survives_json(one: Nic, other: Nic) -> None:
    exp = Experiment(Topology(["a", "b"], [Link("a", "b", nic_a=one, nic_b=other)]), duration=1)
    assert Experiment.from_json(exp.to_json()) == exp
    assert Experiment.from_json(exp.to_json()).topology.link("a", "b").port("b") == other


def test_a_link_without_ports_is_written_as_ever() -> None:
    assert "nic" not in Link("a", "b").model_dump_json()


def test_one_end_overrides_field_by_field() -> None:
    link = Link("a", "b", delay="5us", nic=Nic(ber=1e-6, rx_ring=64), nic_b={"rx_ring": 8})
    assert link.port("a") == Nic(ber=1e-6, rx_ring=64)
    assert link.port("b") == Nic(ber=1e-6, rx_ring=8)
    assert Link("a", "b", nic_a=Nic(ber=1e-6)).port("b") == Nic()


def test_faults_of_a_port_are_where_they_were_written() -> None:
    says(lambda: Link("a", "b", nic={"ringg": 8}), "nic.ringg")
    says(lambda: Link("a", "b", nic=Nic(ber=1e-9), nic_b={"rx_power": -18}), "nic_b.ber", "rx_power")
    says(lambda: Link("a", "b", nic="1gbit"), "nic", "must be a Nic")
    says(lambda: Link("a", "b", nic={}).port("c"), "does not end at 'c'")


@pytest.mark.parametrize("name", sorted(set(Direction.model_fields) - {"delay"}))
def test_what_a_wire_does_is_refused_of_a_port_with_the_remedy(name: str) -> None:
    value = {"distribution": "normal", "queue": "10p"}.get(name, 0.25)
    says(lambda: Link("a", "b", nic=Nic(), **{name: value}), f"{name}: not with nic=", ": ")
    says(lambda: Link("a", "b", nic=Nic(), backward={name: value}), f"backward.{name}: not with nic=")


def test_a_cable_has_a_delay_of_each_way_and_no_longer_than_the_driver_takes() -> None:
    link = Link("a", "b", nic=Nic(), forward={"delay": "5us"}, backward={"delay": "7us"})
    assert (link.forward.delay, link.backward.delay) == (5e-6, 7e-6)
    says(lambda: Link("a", "b", nic=Nic(), delay="11s"), "delay", "at most 10 s")


def test_topologies_take_ports() -> None:
    assert pair(nic=Nic(), delay="5us").link("left", "right").port("left") == Nic()
    assert star("x", "y", nic=Nic(ber=1e-6)).link("center", "y").port("y") == Nic(ber=1e-6)
    says(lambda: pair(nic=Nic(), rate="1gbit"), "rate", "the port's speed")


def test_a_dumbbell_has_ports_at_its_hosts_and_a_queue_in_its_middle() -> None:
    network = dumbbell(2, rate="100mbit", delay="1ms", access_nic=Nic(speed="100mbit"), access_delay="5us")
    assert network.link("left1", "r1").port("left1") == Nic(speed="100mbit")
    assert network.link("r1", "r2").port("r1") is None
    assert network.link("r1", "r2").forward.rate == 10**8
    says(lambda: dumbbell(rate="1mbit", access_nic=Nic(), access_rate="1mbit"), "rate", "not with nic=")


# Changes while it runs.


def with_changes(*made: Any, **nic: Any) -> Experiment:
    return Experiment(pair(nic=Nic(**nic)), duration=9, changes=made)


def test_changes_of_ports_and_cables_come_in_the_order_of_time() -> None:
    exp = with_changes(
        Change(3, ("left", "right"), delay="1ms"),
        NicChange(1, "right", "left", ber=1e-6),
        NicChange(2, "left", "right", memory_ber=1e-7),
    )
    states = [link for _, link in exp.timeline()]
    right, left = ([link.port(host) or Nic() for link in states] for host in ("right", "left"))
    assert [port.ber for port in right] == [1e-6] * 3
    assert [port.memory_ber for port in left] == [0, 1e-7, 1e-7]
    assert [link.forward.delay for link in states] == [0, 0, 1e-3]
    assert Experiment.from_json(exp.to_json()) == exp


@pytest.mark.parametrize("name", sorted(set(Nic.model_fields) - set(CHANGEABLE)))
def test_what_does_not_happen_to_a_running_port_is_refused_with_what_sets_it(name: str) -> None:
    value = getattr(Nic(), name)
    says(lambda: NicChange(1, "right", "left", **{name: value}), name, "set it by")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: with_changes(NicChange(1, "right", "left")), ["changes nothing", "ber=1e-6"]),
        (lambda: with_changes(NicChange(1, "right", "left", ber=2)), ["ber=2", "at most 0.001"]),
        (
            lambda: with_changes(NicChange(1, "right", "lft", ber=0)),
            ["changes[0].peer", "links are left-right"],
        ),
        (lambda: with_changes(NicChange(10, "right", "left", ber=0)), ["changes[0].at", "after the end"]),
        (lambda: with_changes(NicChange(1, "right", "left", ber=0), rx_power=-18), ["change rx_power"]),
        (lambda: with_changes(NicChange(1, "right", "left", rx_power=None)), ["stays in its port"]),
        (lambda: with_changes(Change(1, ("left", "right"), loss="1%")), ["changes[0].loss", "not with nic="]),
        (
            lambda: Experiment(pair(), duration=9, changes=[NicChange(1, "left", "right", ber=0)]),
            ["changes[0].host", "no ports"],
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused_by_name(change: Any, words: list[str]) -> None:
    says(change, *words)


# The messages.


def info(message: bytes) -> dict[str, Any]:
    """IFLA_INFO_DATA by name, there and back through bytes."""
    decoded = ifinfmsg(message)
    decoded.decode()
    data = decoded.get_attr("IFLA_LINKINFO").get_attr("IFLA_INFO_DATA")
    return {name.removeprefix("IFLA_LABNIC_").lower(): value for name, value in data["attrs"]}


def test_numbers_and_types_of_the_attributes_are_the_drivers() -> None:
    header = (DRIVER / "attributes.h").read_text()
    enum = re.search(r"enum \w+ \{\s*LABNIC_UNSPEC,(.*?)LABNIC_COUNT", header, re.S)
    assert enum
    theirs = re.findall(r"LABNIC_(\w+),\s*(?:/\* ([us]\d+))?", enum[1])
    kinds = {"uint8": "u8", "uint32": "u32", "int32": "s32", "uint64": "u64", "info_peer": ""}
    ours = [(name.removeprefix("IFLA_LABNIC_"), kinds[kind]) for name, kind in LabnicData.nla_map[1:]]
    assert ours == theirs


def test_a_port_is_sent_in_the_drivers_units() -> None:
    nic = Nic(ber=3e-15, memory_ber=1e-3, bus="1gbit", packet_cost="2us", rx_usecs=50, bql=False, pause=True)
    ends = End("eth0", 10, "02:00:00:00:00:01", 100), End("eth0", 11, "02:00:00:00:00:02", 101)
    found = info(make(*ends, settings(nic, delay_ns=5000, seed=2**64 - 1)))
    peer = found.pop("peer")
    assert (peer["index"], peer.get_attr("IFLA_IFNAME"), peer.get_attr("IFLA_NET_NS_FD")) == (11, "eth0", 101)
    assert found == {
        "speed": 1000,
        "duplex": 1,
        "autoneg": 1,
        "delay": 5000,
        "ber": 3,
        "burst": 1,
        "memory_ber": 10**12,
        "seed": 2**64 - 1,
        "rx_ring": 256,
        "tx_ring": 256,
        "fifo": 64_000,
        "bus": 10**9,
        "weight": 64,
        "rx_usecs": 50,
        "rx_frames": 1,
        "packet_cost": 2000,
        "interrupt_cost": 0,
        "pause": 1,
        "bql": 0,
    }


def test_received_power_is_sent_instead_of_a_rate() -> None:
    found = info(change(11, settings(Nic(rx_power=-18.5), delay_ns=0, seed=1)))
    assert found["rx_power"] == -185
    assert "ber" not in found


def test_a_change_sends_what_differs_and_nothing_else() -> None:
    old = Nic(ber=1e-6)
    assert info(change(11, changes(old, old.changed({"ber": 0}), delay_ns=(5, 5)))) == {"ber": 0}
    assert info(change(11, changes(old, old, delay_ns=(5, 9)))) == {"delay": 9}
    assert changes(old, old, delay_ns=(5, 5)) == []


def test_two_ends_of_one_index_are_refused() -> None:
    end = End("eth0", 10, "02:00:00:00:00:01")
    with pytest.raises(ValueError, match="share index 10"):
        make(end, end, [])


def test_pyroute2_itself_can_add_a_pair() -> None:
    batch = IPBatch()
    batch.link("add", ifname="eth0", kind="labnic", labnic_speed=100, labnic_ber=7)
    assert info(bytes(batch.batch)) == {"speed": 100, "ber": 7}


def test_the_module_is_loaded_when_a_link_has_ports_and_only_then() -> None:
    flow = [Flow("left", "right", size="1MB")]
    assert compile_experiment(Experiment(pair(), flows=flow)).modules == ()
    assert compile_experiment(Experiment(pair(nic={}), flows=flow)).modules == ("labnic",)
    assert compile_experiment(Experiment(pair(nic={}), flows=flow, modules=["exp"])).modules == (
        "labnic",
        "exp",
    )
    named = Experiment(pair(nic={}), flows=flow, modules=["labnic"])
    assert compile_experiment(named).modules == ("labnic",)


def test_frames_lost_are_traced_with_the_drops_of_ports_only() -> None:
    def traced(exp: Experiment) -> bool:
        return "trace labnic/frame_lost" in compile_experiment(exp).why

    assert traced(Experiment(pair(nic={}), duration=1, probes={"drops"}))
    assert not traced(Experiment(pair(nic={}), duration=1))
    assert not traced(Experiment(pair(), duration=1, probes={"drops"}))


def test_ports_have_seeds_of_their_own() -> None:
    def program(seed: int) -> bytes:
        exp = Experiment(star("x", "y", nic=Nic(ber=1e-6)), duration=1, seed=seed)
        return compile_experiment(exp).program

    assert program(1) == program(1) != program(2)


def test_a_trace_buffer_grows_with_the_speed_of_ports() -> None:
    scene = Scene(True, (), True, False, range(0), range(0))

    def size(nic: Nic) -> int:
        exp = Experiment(pair(nic=nic), flows=[Flow("left", "right", size="1MB")])
        return trace_buffer_kb(exp, list(drops_probe.PROBE.events(scene)))

    assert size(Nic(speed="10gbit")) == pytest.approx(10 * size(Nic()), rel=0.01)


def test_ports_are_not_offered_on_the_machines_own_kernel() -> None:
    with pytest.raises(UnsupportedError, match="nic= of link left-right"):
        host.check(Experiment(pair(nic={}), duration=1))


# The optical model.


def test_the_drivers_table_is_the_model() -> None:
    source = (DRIVER / "optics.c").read_text()
    dark = re.search(r"#define DARK\s+\((-?\d+)\)", source)
    table = re.search(r"labnic_ber\[\] = \{(.*?)\};", source, re.S)
    assert dark and table
    steps = [int(number) for number in re.findall(r"(\d+)ULL", table[1])]
    power = (int(dark[1]) + np.arange(len(steps) + 1)) / 10
    assert np.round(ber(power) * 1e15).tolist() == [*steps, 0]


def test_a_receiver_at_its_sensitivity_has_an_error_in_a_million_million_bits() -> None:
    assert ber(-17.0) == pytest.approx(1e-12, rel=0.01)
    assert ber(-200.0) == pytest.approx(0.5)


@given(st.integers(0, 10**12), st.integers(60, 1514))
def test_frame_error_rate_is_what_independent_bits_make_of_it(steps: int, length: int) -> None:
    rate, bits = steps / 1e15, frame_bits(length)
    expected = 1 - (1 - rate) ** bits
    assert frame_error_rate(rate, bits) == pytest.approx(expected, rel=1e-6, abs=1e-10)
    assert frame_error_rate(1e-15, 512) == pytest.approx(5.12e-13)


def test_a_short_frame_is_padded_before_it_is_checked() -> None:
    assert frame_bits([54, 60, 1514]).tolist() == [512, 512, 12144]


def test_a_cable_is_said_in_words() -> None:
    link = Link("a", "b", delay="5us", nic=Nic(ber=1e-6), nic_b={"speed": "100mbit", "memory_ber": 1e-9})
    there, back = both_ways(link)
    assert there == ["100 Mbit/s", "bit errors 1e-06", "in memory 1e-09", "5 µs"]
    assert back == ["100 Mbit/s", "bit errors 1e-06", "5 µs"]
    assert both_ways(Link("a", "b", nic=Nic(rx_power=-18.5)))[0] == ["1 Gbit/s", "-18.5 dBm"]


# The driver's events and the drop monitor.


def joined(
    functions: list[str], at_ns: list[int], lengths: list[int], told: list[tuple[int, int, int]], end_ns: int
) -> Any:
    """port_losses of drops with these, and of events (port, len, cause) of the driver."""
    none = np.zeros(len(at_ns), np.int64)
    frames = Frames(np.zeros(0, np.uint8), np.array(at_ns), none, none > 0, none, none, np.array(lengths))
    drops = Drops(frames, pd.Categorical(functions), pd.Categorical(functions))
    events = dict(zip(("ifindex", "len", "cause"), np.array(told).reshape(-1, 3).T, strict=True))
    occurrences = _Events(events, len(told))
    raw = SimpleNamespace(records=lambda kind: _Ends(end_ns))
    trace = SimpleNamespace(
        formats={"labnic/frame_lost": None}, occurrences=lambda name: occurrences, raw=raw, lost=0
    )
    return port_losses(drops, trace)  # type: ignore[arg-type]


class _Ends:
    def __init__(self, end_ns: int) -> None:
        self.at_ns = np.array([end_ns])

    def __len__(self) -> int:
        return len(self.at_ns)


class _Events(dict[str, Any]):
    def __init__(self, fields: dict[str, Any], size: int) -> None:
        super().__init__(fields)
        self.at_ns = np.zeros(size)


def test_each_lost_frame_gets_its_event_and_other_drops_none() -> None:
    found = joined(
        ["labnic_lose", "tcp_v4_rcv", "labnic_lose"],
        [1, 2, 3],
        [60, 70, 80],
        [(11, 60, CRC), (10, 80, MISSED)],
        9,
    )
    assert found.port.tolist() == [11, 0, 10]
    assert found.cause.tolist() == [CRC, 0, MISSED]


def test_a_frame_lost_after_the_trace_was_read_has_no_event() -> None:
    found = joined(["labnic_lose"] * 2, [1, 9], [60, 60], [(11, 60, CRC)], 9)
    assert found.port.tolist() == [11, 0]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ([1, 2], [(11, 60, CRC)]),
        ([1], [(11, 60, CRC)] * 2),
        ([1, 2], [(11, 60, CRC), (11, 61, CRC)]),
    ],
)
def test_drops_and_events_that_disagree_are_an_error(
    times: list[int], told: list[tuple[int, int, int]]
) -> None:
    with pytest.raises(PortLossError, match="lost by ports"):
        joined(["labnic_lose"] * len(times), times, [60] * len(times), told, 9)


@pytest.mark.parametrize(
    ("cause", "source", "way"),
    [
        (CRC, "02:00:00:00:00:01", ("left", "right")),
        (MISSED, "02:00:00:00:00:01", ("left", "right")),
        (LATE, "02:00:00:00:00:02", ("right", "left")),
        (CARRIER, "02:00:00:00:00:01", ("left", "right")),
        (CARRIER, "02:00:00:00:00:02", ("right", "left")),
        (DOWN, "02:00:00:00:00:02", ("right", "left")),
    ],
)
def test_a_frame_is_lost_on_its_way(cause: int, source: str, way: tuple[str, str]) -> None:
    """All of these at the port of right."""
    built = describe(lay_out(Experiment(pair(nic={}), duration=1)), [], [])
    network = Network(read(built))
    port = network.built.ways["right", "left"].out
    assert port.mac == "02:00:00:00:00:02"
    assert network.of_port(port.index, cause, source) == DropPlace(*way, PORT)


def test_a_short_frame_is_a_runt_and_every_cause_has_a_name() -> None:
    names = {port_cause(number, 1514) for number in range(1, 10)} | {port_cause(2, 20)}
    assert len(names) == 10
    enum = re.search(r"LABNIC_CAUSES\(X\)(.*?)\n\n", (DRIVER / "labnic.h").read_text(), re.S)
    assert enum
    assert [int(number) for number in re.findall(r"X\(\w+, (\d+),", enum[1])] == list(range(1, 10))
