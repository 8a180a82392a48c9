"""Captures in the lab kernel: nothing is missing, and every column is what scapy makes of the packet."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.layers.inet import TCP

from labkit.decode.raw import Raw
from labkit.errors import SpecError
from labkit.results import packets
from labkit.results.replay import ReplayError, wider
from labkit.results.result import ProbeMissingError, Result
from labkit.spec import Capture, Command, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair
from tests import fuzz
from tests.dissection import compare
from tests.guest.helpers import NOTHING, counter, fresh


def run_of(*flows: Flow, topology: object = None, **rest: object) -> Result:
    rest = {"capture": ["left", "right"], "probes": NOTHING} | rest
    return fresh(Experiment(topology or dumbbell(rate="10mbit", delay="10ms"), flows=list(flows), **rest))


@pytest.fixture(scope="module")
def lossy() -> Result:
    """TCP with SACK and ECN, fragmented UDP and ping over a link that does everything to packets."""
    network = dumbbell(
        rate="10mbit", delay="10ms", queue="codel", loss="2%", corrupt="2%", duplicate="1%", reorder="1%"
    )
    flows = [
        Flow("left", "right", cc="reno", size="600kB"),
        Flow("right", "left", protocol="udp", rate="1mbit", packet=4000, duration="300ms"),
    ]
    ping = Command("left", "ping -c 3 -i 0.2 -s 2000 right")
    return run_of(*flows, topology=network, commands=[ping], sysctls={"net.ipv4.tcp_ecn": 1})


@pytest.mark.parametrize("host", ["left", "right"])
def test_every_column_is_what_scapy_says(lossy: Result, host: str) -> None:
    compare(lossy.packet_table(host), lossy.packets(host), lossy.layout("flows"))


def test_what_was_to_be_compared_is_there(lossy: Result) -> None:
    table = lossy.packet_table("left")
    assert set(table["protocol"].dropna()) == {"tcp", "udp", "icmp"}
    assert set(table["checksum"]) == {"good", "bad", "unknown"}
    assert table["sacks"].max() >= 2
    assert table["flags"].astype(str).str.contains("E").any()


def test_times_of_the_table_are_those_of_the_packets(lossy: Result) -> None:
    times = [float(packet.time) for packet in lossy.packets("left")]
    assert lossy.packet_table("left")["time_s"].tolist() == pytest.approx(times, abs=1e-12)


def test_damage_to_a_packet_makes_its_checksum_bad_at_the_receiver_alone(lossy: Result) -> None:
    table = lossy.packet_table("left")
    assert (table["checksum"][table["direction"] == "out"] != "bad").all()
    errors = ["TcpInCsumErrors", "UdpInCsumErrors", "IpInHdrErrors", "IcmpInCsumErrors"]
    seen = (table["checksum"][table["direction"] == "in"] == "bad").sum()
    fragments = counter(lossy, "left", "UdpInCsumErrors") + counter(lossy, "left", "IcmpInCsumErrors")
    assert 0 < seen <= sum(counter(lossy, "left", name) for name in errors) + 3  # types and addresses struck
    assert seen >= counter(lossy, "left", "TcpInCsumErrors") - fragments


def test_a_short_capture_has_the_same_headers(lossy: Result) -> None:
    exp = lossy.experiment.replace(capture=[Capture("left", snap=96)])
    short, long = fresh(exp).packet_table("left"), lossy.packet_table("left")
    assert short["captured"].max() == 96
    both = [name for name in long if name not in ("captured", "checksum")]
    assert short[both].equals(long[both])
    assert (short["checksum"][short["length"] > 96] == "unknown").all()


@fuzz.of(25)
@given(snap=st.integers(96, 1600))
def test_any_snap_length_is_kept_to(snap: int) -> None:
    result = run_of(Flow("left", "right", size="20kB"), capture=[Capture("right", snap=snap)])
    table = result.packet_table("right")
    assert (table["captured"] == table["length"].clip(upper=snap)).all()


# ---- nothing is missing ----


def assert_whole(result: Result, host: str) -> None:
    """As many packets each way as the kernel's own counters of the device have."""
    table = result.packet_table(host)
    device = result.interfaces[result.interfaces["role"] == "host"].set_index(["host", "interface", "name"])
    for interface in table["interface"].cat.categories:
        mine = table[table["interface"] == interface]["direction"].value_counts()
        for direction, name in (("out", "tx_packets"), ("in", "rx_packets")):
            assert mine.get(direction, 0) == device["delta"][host, interface, name], (interface, direction)


@pytest.mark.parametrize("host", ["left", "right"])
def test_as_many_packets_as_the_interface_counts(lossy: Result, host: str) -> None:
    assert_whole(lossy, host)


def test_a_window_at_one_instant_is_captured_whole() -> None:
    network = pair(delay="20ms")
    flow = Flow("left", "right", cc="cubic", size="40MB", sndbuf="16MB", rcvbuf="16MB")
    result = run_of(flow, topology=network)
    table = result.packet_table("right")
    assert table["time_s"].value_counts().max() > 1000, "a burst"
    assert_whole(result, "left")
    assert_whole(result, "right")


def test_sixty_flows_are_captured_whole() -> None:
    flows = [Flow("left", "right", size="100kB") for _ in range(60)]
    result = run_of(*flows, topology=pair(delay="5ms"))
    assert_whole(result, "left")
    assert_whole(result, "right")


def test_small_packets_at_a_gigabit_are_captured_whole() -> None:
    flow = Flow("left", "right", protocol="udp", rate="1gbit", packet=200, duration="60ms")
    result = run_of(flow, topology=pair(rate="2gbit", delay="1ms", queue="1000p"))
    table = result.packet_table("right")
    assert len(table) == pytest.approx(0.06 * 1e9 / 1600, rel=0.01)
    assert_whole(result, "left")
    assert_whole(result, "right")


def test_a_router_has_every_interface() -> None:
    result = run_of(Flow("left", "right", size="50kB"), capture=["r1"])
    assert_whole(result, "r1")
    assert result.packet_table("r1", "eth0")["direction"].eq("in").any()
    both = result.packet_table("r1")["interface"].value_counts()
    assert both["eth0"] == both["eth1"] == len(result.packet_table("r1", "eth1"))


def test_what_a_ring_lost_is_said(lossy: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    index = next(i["index"] for i in lossy.layout("interfaces") if i["host"] == "left")
    monkeypatch.setattr(packets.decoded, "lost", lambda raw: {index: 17, 999: 5})
    with pytest.warns(
        UserWarning, match="^17 frames were lost by the capture: give less traffic, or capture"
    ):
        lossy.packet_table("left")


# ---- numbers ----


def test_sequence_numbers_count_from_the_syn(lossy: Result) -> None:
    table = lossy.packet_table("left")
    data = table[(table["way"] == "data") & (table["protocol"] == "tcp")]
    assert (data["seq"].iloc[0], data["flags"].iloc[0][0]) == (0, "S")
    assert (data["seq"] + data["payload"]).max() == 600_001
    acks = table[(table["way"] == "ack") & (table["protocol"] == "tcp") & (table["checksum"] == "good")]
    assert acks["ack"].max() == 600_001  # the SYN takes one


def test_every_transmission_has_an_identification_of_its_own(lossy: Result) -> None:
    table = lossy.packet_table("left")
    data = table[(table["way"] == "data") & (table["protocol"] == "tcp") & (table["direction"] == "out")]
    again = data[data["seq"].duplicated(keep=False) & (data["payload"] > 0)]
    assert len(again) > 20
    assert data["ip_id"].is_unique


# ---- files ----


def test_a_written_capture_reads_back_the_same(lossy: Result, tmp_path: Path) -> None:
    lossy.save_pcapng(tmp_path / "a.pcapng", "left")
    back, mine = packets.read_capture(tmp_path / "a.pcapng"), lossy.packet_table("left")
    columns = [name for name in back if name not in ("time_s", "interface", "direction", "flow", "way")]
    assert back[columns].astype(str).equals(mine[columns].astype(str))
    assert back["time_s"].tolist() == pytest.approx((mine["time_s"] - mine["time_s"][0]).tolist(), abs=1e-9)


# ---- by running again ----


def test_a_capture_that_was_not_made_comes_from_running_again() -> None:
    bare = run_of(Flow("left", "right", size="50kB"), capture=[])
    made = run_of(Flow("left", "right", size="50kB"), capture=["right"])
    assert bare.packet_table("right").equals(made.packet_table("right"))


def test_a_capture_that_is_there_is_not_made_again(lossy: Result) -> None:
    assert lossy.also(capture=["left", "right.eth0"]) is lossy


def test_of_a_host_in_part_captured_the_whole_is_captured_again() -> None:
    exp = Experiment(dumbbell(), flows=[Flow("left", "right", size="1kB")], capture=["r1.eth0", "left"])
    assert [c.host + str(c.interface) for c in wider(exp, [], ["r1"]).capture] == ["leftNone", "r1None"]


def test_another_run_is_not_taken_for_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_of(Flow("left", "right", size="20kB"), capture=[])
    other = run_of(Flow("left", "right", size="21kB"), capture=["left"])
    monkeypatch.setattr("labkit.results.run.run", lambda exp: other)
    with pytest.raises(ReplayError, match=r"capture of left: not recorded, and the run again was another"):
        result.packet_table("left")


def test_in_real_time_nothing_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_of(Flow("left", "right", size="20kB"), capture=[])
    monkeypatch.setitem(result.manifest, "virtual_time", False)
    with pytest.raises(ProbeMissingError, match=r'write Experiment\(\.\.\., capture=\["right\.eth0"\]\)'):
        result.packet_table("right", "eth0")
    with pytest.raises(ProbeMissingError, match=r'drops: not recorded, .* write .*probes=\{"drops"\}'):
        _ = result.drops


# ---- what is refused ----


def test_an_unknown_host_is_named(lossy: Result) -> None:
    with pytest.raises(SpecError, match="rigth"):
        lossy.packet_table("rigth")


def test_an_unknown_interface_is_named(lossy: Result) -> None:
    with pytest.raises(SpecError, match=r"eth3.*left has eth0"):
        lossy.packet_table("left", "eth3")


def test_a_capture_named_twice_is_refused() -> None:
    with pytest.raises(SpecError, match=r"left\.eth0 is captured already: name it once"):
        run_of(Flow("left", "right", size="1kB"), capture=["left", "left.eth0"])


def test_without_a_capture_there_is_no_file_to_write(tmp_path: Path) -> None:
    bare = run_of(Flow("left", "right", size="1kB"), capture=[])
    with pytest.raises(SpecError, match="nothing was captured: name a host"):
        bare.save_pcapng(tmp_path / "a.pcapng")


def test_packets_of_a_result_are_ethernet_with_time_and_interface(lossy: Result) -> None:
    first = next(packet for packet in lossy.packets("left") if TCP in packet)
    assert (first.name, first.sniffed_on, first[TCP].flags) == ("Ethernet", "eth0", "SEC")


def test_a_trace_that_lost_events_says_so(lossy: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run_of(Flow("left", "right", size="50kB"), probes={"queue", "recovery", "tcp_probe"})
    monkeypatch.setattr(Raw, "lost_trace_events", 12)
    for table in ("queue", "retransmissions", "cong_states", "tcp_probe"):
        fresh_result = Result(result.folder)
        with pytest.warns(UserWarning, match="^12 trace events were lost"):
            getattr(fresh_result, table)
