"""Switches forward frames as a bridge set up by hand does; VLANs are kept apart, rings do no harm, and the
ledger of what crosses them adds up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import labkit
from labkit import Lab
from labkit.results.result import Result
from labkit.spec import Command, Experiment, Flow, Link, Nic, Switch, Topology
from labkit.spec.topologies import star
from tests.guest.helpers import fresh

PAGE = (Path(__file__).parents[3] / "book/kernel.md").read_text(encoding="utf-8")
CODE = re.search(r"^### A switch\n.*?```python\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
EVERYTHING = ["drops", "queue", "recovery", "tcp_probe", "backlog"]
WAY: dict[str, Any] = {"rate": "10mbit", "delay": "5ms"}
UDP: dict[str, Any] = {"protocol": "udp", "rate": "2mbit"}


def three(**switch: Any) -> Topology:
    return Topology(
        ["h1", "h2", "h3", Switch("s1", **switch)],
        [Link("h1", "s1", **WAY), Link("s1", "h2", **WAY), Link("h3", "s1", **WAY)],
    )


def ring() -> Topology:
    switches = [Switch(f"s{i}", stp=True) for i in (1, 2, 3)]
    links = [
        *(Link(f"h{i}", f"s{i}", rate="100mbit") for i in (1, 2, 3)),
        Link("s1", "s2", **WAY),
        Link("s2", "s3", **WAY),
        Link("s3", "s1", **WAY),
    ]
    return Topology(["h1", "h2", "h3", *switches], links)


def offices() -> Topology:
    """VLANs 10 and 20 on two floors, a router that has a link into each."""
    floors = [
        Switch("s1", vlan={"h1": 10, "g1": 20, "r": 10, "s2": (10, 20)}),
        Switch("s2", vlan={"h2": 10, "g2": 20, "r": 20, "s1": (10, 20)}),
    ]
    pairs = [("h1", "s1"), ("h2", "s2"), ("g1", "s1"), ("g2", "s2"), ("r", "s1"), ("r", "s2")]
    trunk = Link("s1", "s2", rate="10mbit", delay="1ms", queue="20p")
    return Topology(["h1", "h2", "g1", "g2", "r", *floors], [*(Link(*pair) for pair in pairs), trunk])


def moved(result: Result, host: str, peer: str, name: str) -> int:
    table = result.interfaces.query("role == 'host' and host == @host and peer == @peer and name == @name")
    return int(table["delta"].iloc[0])


def causes(result: Result) -> dict[tuple[str, str, str], int]:
    found = result.ledger().groupby(["host", "peer", "cause"], observed=True).size()
    return {key: int(count) for key, count in found.items()}


def test_the_pages_switch_forwards_and_keeps_its_vlans_apart() -> None:
    assert CODE is not None
    names: dict[str, Any] = {name: getattr(labkit, name) for name in labkit.__all__}
    exec(CODE[1], names)
    exp = names["exp"]
    assert isinstance(exp, Experiment)
    ping = Command("a", "ping -c 1 -W 1 c", at="10s", check=False)
    result = fresh(exp.replace(commands=[*exp.commands, ping], probes=["drops"]))
    assert result.goodput().iloc[0] > 9
    assert "0 received" in result.output(1) or "unreachable" in result.commands["stderr"].iloc[1]
    result.ledger()


def test_it_does_what_a_bridge_set_up_by_hand_does() -> None:
    flows = [Flow("h1", "h2", size="1MB"), Flow("h2", "h1", size="300kB", cc="reno")]
    by_hand = [
        Command(
            "s1",
            "ip link add br0 type bridge mcast_snooping 0; ip link set br0 up; "
            "for port in eth0 eth1 eth2; do ip link set $port master br0; done",
        ),
        Command("h1", "ip route add 10.0.2.2/32 dev eth0"),
        Command("h2", "ip route add 10.0.1.1/32 dev eth0"),
    ]
    plain = Topology(["h1", "h2", "h3", "s1"], three().links)
    made = fresh(Experiment(three(), flows=flows))
    hand = fresh(Experiment(plain, flows=flows, commands=by_hand))
    assert made.flows.equals(hand.flows)
    assert made.tcp_info["snd_cwnd"].tolist() == hand.tcp_info["snd_cwnd"].tolist()


def test_it_takes_a_round_trip_of_arp_more_than_a_link() -> None:
    direct = Topology(["h1", "h2"], [Link("h1", "h2", rate="10mbit", delay="10ms")])
    flow = [Flow("h1", "h2", size="1MB")]
    one, other = (fresh(Experiment(net, flows=flow)).flows.iloc[0] for net in (direct, three()))
    assert one["established_s"] == pytest.approx(0.020, abs=1e-4)
    assert other["established_s"] == pytest.approx(0.040, abs=1e-4)
    assert other["end_s"] - one["end_s"] == pytest.approx(0.020, abs=0.003)


def test_it_learns_and_others_see_the_broadcast_alone() -> None:
    result = fresh(Experiment(three(), flows=[Flow("h1", "h2", size="200kB")], capture=["h3"]))
    assert result.packet_table("h3")["length"].tolist() == [42]
    assert moved(result, "h3", "s1", "rx_packets") == 1


def test_what_it_floods_is_no_loss_of_the_flow() -> None:
    hub = Command("s1", "ip link set br0 type bridge ageing_time 0")
    flows = [Flow("h1", "h2", size="200kB")]
    result = fresh(Experiment(three(), flows=flows, commands=[hub], probes=EVERYTHING))
    copies = result.drops.query("cause == 'flooded'")
    assert len(copies) > 200 and set(copies["host"]) == {"h3"}
    assert result.ledger().empty


def test_broadcasts_stay_in_their_vlan() -> None:
    asked = Command("h1", "ping -c 3 -i 0.1 -W 1 10.0.1.77", check=False)
    hosts = ["h2", "g1", "g2"]
    result = fresh(Experiment(offices(), commands=[asked], capture=hosts, duration="5s"))
    assert len(result.packet_table("h2")) >= 3
    assert [len(result.packet_table(host)) for host in ("g1", "g2")] == [0, 0]
    assert (result.drops["cause"] == "vlan filtered").sum() == 0


def test_a_trunk_carries_two_vlans_and_a_router_joins_them() -> None:
    flows = [Flow("h1", "h2", size="500kB"), Flow("g1", "g2", size="500kB"), Flow("h1", "g2", size="300kB")]
    look = Command("h1", "tracepath -n g2", at="20s")
    result = fresh(Experiment(offices(), flows=flows, commands=[look], probes=EVERYTHING))
    assert result.flows["complete"].all()
    assert "10.0.1.3" in result.output(0), "the router's address in VLAN 10"
    assert 1_300_000 > moved(result, "s2", "s1", "rx_bytes") > 1_000_000, "what stays in a VLAN, and no more"
    asked = {("r", "", "ttl exceeded"), ("g2", "", "no socket")}  # by tracepath
    assert set(causes(result)) == asked


def test_a_port_that_leaves_its_vlan_loses_what_comes() -> None:
    out = Command("s1", "bridge vlan del dev eth0 vid 10", at="500ms")
    flows = [Flow("h1", "h2", **UDP, duration="1s")]
    network = three(vlan={"h1": 10, "h2": 10})
    result = fresh(Experiment(network, flows=flows, commands=[out], probes=EVERYTHING))
    lost = causes(result)
    assert set(lost) == {("s1", "", "vlan filtered")}
    sent, received = result.flows[["sent_packets", "received_packets"]].iloc[0]
    assert sum(lost.values()) == sent - received > 50


def test_nothing_circles_in_a_ring_and_all_is_reached_after_30_s() -> None:
    early, late = (
        Flow("h1", "h3", **UDP, start="20s", duration="15s"),
        Flow("h2", "h3", size="1MB", start="31s"),
    )
    blocked = Command("s3", "bridge link show dev eth1", at="50s")
    root = Command("s1", "ip -d link show br0", at="50s")
    result = fresh(Experiment(ring(), flows=[early, late], commands=[blocked, root], probes=EVERYTHING))
    first = result.flows["first_byte_s"]
    assert 29 < first.iloc[0] < 32 and result.flows["complete"].iloc[1]
    assert "state blocking" in result.output(0)
    assert "root_port 0" in result.output(1), "the first switch is the root"
    assert moved(result, "s2", "s3", "tx_packets") < 100
    result.ledger()
    early_drops = result.drops.query("cause == 'port not forwarding' and host == 's1'")
    assert len(early_drops) and (early_drops["time_s"] < 31).all()


def test_the_ledger_of_its_queues_and_wires_adds_up() -> None:
    network = Topology(
        ["h1", "h2", "h3", Switch("s1")],
        [
            Link("h1", "s1", rate="100mbit"),
            Link("s1", "h2", rate="10mbit", delay="5ms", queue="15p", forward={"loss": "1%"}),
            Link("h3", "s1", rate="100mbit"),
        ],
    )
    flows = [Flow("h1", "h2", duration="3s"), Flow("h3", "h2", cc="reno", duration="3s")]
    lost = causes(fresh(Experiment(network, flows=flows, probes=EVERYTHING)))
    assert set(lost) == {("s1", "h2", "queue full"), ("s1", "h2", "wire loss")}


def test_ports_of_the_teaching_nic_are_ports_of_a_switch() -> None:
    network = star("h1", "h2", "h3", center=Switch("s1"), nic=Nic(speed="100mbit"), delay="5us")
    flows = [Flow("h1", "h2", size="2MB"), Flow("h3", "h2", size="2MB")]
    result = fresh(Experiment(network, flows=flows, probes=EVERYTHING))
    assert result.flows["complete"].all()
    assert {(host, peer) for host, peer, _ in causes(result)} <= {("s1", "h2")}


def test_an_open_laboratory_has_switches() -> None:
    with Lab(three(vlan={"h1": 10, "h2": 10})) as lab:
        assert "1 received" in lab.run("h1", "ping -c 1 h2").stdout
        assert "1 received" not in lab.run("h1", "ping -c 1 -W 1 h3").stdout
        assert lab.address("h3").startswith("10.0.3.")
        assert "10 PVID" in lab.run("s1", "bridge vlan").stdout
        lab.link("s1", "h2").set(delay="50ms")
        lab.start(Flow("h1", "h2", size="10kB"))
        lab.advance("2s")
        result = lab.result()
    assert result.flows["complete"].all()
