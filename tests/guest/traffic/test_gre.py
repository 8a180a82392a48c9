"""GRE, the kernel's own: a module made of the kernel's sources, held against scapy's dissection."""

from __future__ import annotations

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import GRE

from labkit import Command, Experiment, Flow, Link, Topology
from tests.guest.helpers import NOTHING, fresh

PROTOCOL = 47  # RFC 2784
NETWORK = Topology(
    ["left", "gw1", "gw2", "right"],
    [Link("left", "gw1"), Link("gw1", "gw2", rate="10mbit", delay="10ms"), Link("gw2", "right")],
)
TUNNEL = [
    Command(
        gateway,
        f"ip link add gre1 type gre local {here} remote {there} && ip link set gre1 up mtu 1400 && "
        f"ip route replace {net} dev gre1",
    )
    for gateway, here, there, net in (
        ("gw1", "10.0.2.1", "10.0.2.2", "10.0.3.0/24"),
        ("gw2", "10.0.2.2", "10.0.2.1", "10.0.1.0/24"),
    )
]


def test_each_packet_between_the_gateways_has_gre_around_it() -> None:
    look = [Command(host, "ip -o link", at="900ms") for host in ("left", "gw1")]
    flow = Flow("left", "right", size="100kB", mss=1348, start="100ms")
    exp = Experiment(
        NETWORK,
        flows=[flow],
        commands=[*TUNNEL, *look],
        modules=["ip_gre"],
        capture=["gw2"],
        probes=NOTHING,
        duration="1s",
    )
    result = fresh(exp)
    assert result.flows.received_bytes.tolist() == [100_000]
    outside = [packet for packet in result.packets("gw2") if IP in packet and packet[IP].src == "10.0.2.1"]
    carried = [packet[GRE].payload for packet in outside if packet[IP].proto == PROTOCOL]
    assert len(carried) == len(outside) > 100_000 / 1348
    assert {(inner[IP].src, inner[IP].dst) for inner in carried} == {("10.0.1.1", "10.0.3.2")}
    assert sum(len(inner[TCP].payload) for inner in carried) == 100_000
    at_left, at_gw1 = result.output(2), result.output(3)
    assert "gre" not in at_left  # no gre0, gretap0 or erspan0 that nobody asked for
    assert [line.split(":")[1].strip() for line in at_gw1.splitlines() if "gre" in line] == ["gre1@NONE"]


def test_a_module_that_a_run_does_not_use_changes_nothing_of_it() -> None:
    """As GRE is not built in: the random numbers of all other runs stay."""
    lossy = Topology(["a", "b"], [Link("a", "b", rate="10mbit", delay="10ms", forward={"loss": "2%"})])
    flow = Flow("a", "b", size="500kB")
    plain, loaded = (
        fresh(Experiment(lossy, flows=[flow], modules=names, probes=NOTHING)) for names in ([], ["ip_gre"])
    )
    assert plain.flows.last_byte_s.tolist() == loaded.flows.last_byte_s.tolist()
