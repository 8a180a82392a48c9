"""Tunnels as descriptions: what names them, what is wrong with them, which devices are made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.errors import SpecError
from labkit.spec import Experiment, Flow, Host, Link, Pings, Topology, Tunnel, ways
from labkit.spec.shaken import shaken
from labkit.spec.topologies import dumbbell, pair

NET = dumbbell(rate="10mbit", delay="10ms")
VPN = Tunnel("left", "right", name="vpn")
INNER = Flow("left", "right", size="1MB", through="vpn")
CHAIN = Topology(
    ["a", "gw1", "middle", "gw2", "b", "c"],
    [Link("a", "gw1"), Link("gw1", "middle"), Link("middle", "gw2"), Link("gw2", "b"), Link("b", "c")],
)


def facts(exp: Experiment) -> dict[str, dict[str, Any]]:
    return {flow["name"]: flow for flow in compile_experiment(exp).layout["flows"]}


def test_it_is_written_and_read() -> None:
    buffers = {"sndbuf": "64kB", "rcvbuf": "128kB", "queue": 20, "mtu": 1300}
    whole = Tunnel(
        "left", "right", cc="reno", mss=1000, nodelay=True, routed=True, start="1s", name="vpn", **buffers
    )
    exp = Experiment(NET, flows=[INNER, whole, Tunnel("left", "right", over="udp")])
    again = Experiment.from_json(exp.to_json())
    assert again == exp
    assert again.digest() == exp.digest()
    assert [getattr(flow, "kind", "flow") for flow in again.flows] == ["flow", "tunnel", "tunnel"]


def test_a_flow_outside_of_tunnels_is_written_as_before_there_were_any() -> None:
    assert "through" not in Experiment(NET, flows=[Flow("left", "right", size=1)]).to_json()


def test_flows_inside_have_the_addresses_of_its_devices_and_their_order_does_not_matter() -> None:
    back = Flow("right", "left", size=1, through="vpn", name="back")
    for flows in ([INNER, VPN, back], [VPN, back, INNER], [back, INNER, VPN]):
        exp = Experiment(NET, flows=flows)
        found = facts(exp)
        left, right = (device["address"] for device in found["vpn"]["devices"])
        assert (found["left-right"]["saddr"], found["left-right"]["daddr"]) == (left, right)
        assert (found["back"]["saddr"], found["back"]["daddr"]) == (right, left)
        outer = found["vpn"]["saddr"], found["vpn"]["daddr"]
        hosts = compile_experiment(exp).layout["hosts"]
        assert outer == (hosts["left"]["address"], hosts["right"]["address"])


def test_every_tunnel_has_devices_and_addresses_of_its_own() -> None:
    tunnels = [Tunnel("left", "right", name=f"t{i}") for i in range(600)]
    found = facts(Experiment(NET, flows=tunnels, duration=1))
    devices = [device for flow in found.values() for device in flow["devices"]]
    assert len({device["index"] for device in devices}) == 1200
    assert len({device["address"] for device in devices}) == 1200
    assert len({device["address"].rpartition(".")[0] for device in devices}) == 600
    assert max(len(device["name"]) for device in devices) < 16


def test_a_device_is_made_before_it_has_an_address() -> None:
    why = compile_experiment(Experiment(NET, flows=[INNER, VPN])).why
    for host in ("left", "right"):
        assert why.index(f"device tun1 of {host}") < why.index(f"address of {host}'s tun1")


@pytest.mark.parametrize(("over", "headers"), [("tcp", 54), ("udp", 28)])
def test_its_mtu_leaves_room_for_the_headers_around_a_packet(over: str, headers: int) -> None:
    assert Tunnel("left", "right", over=over).inner_mtu(1500) == 1500 - headers
    assert Tunnel("left", "right", over=over, mtu=1400).inner_mtu(1500) == 1400
    assert Tunnel("left", "right", over=over).inner_mtu(70) == 68


def test_what_lies_behind_a_gateway() -> None:
    assert ways.behind(CHAIN, "gw1", "gw2") == [3, 4]
    assert ways.behind(CHAIN, "gw2", "gw1") == [0]
    assert ways.behind(CHAIN, "a", "c") == []
    ring = CHAIN.replace(links=[*CHAIN.links, Link("c", "a")])
    assert ways.behind(ring, "gw1", "gw2") == []


def test_a_tunnel_of_gateways_has_the_addresses_of_the_links_between_them() -> None:
    exp = Experiment(CHAIN, flows=[Tunnel("gw1", "gw2", routed=True, name="vpn")], duration=1)
    compiled = compile_experiment(exp)
    hosts, vpn = compiled.layout["hosts"], facts(exp)["vpn"]
    assert vpn["saddr"] == hosts["gw1"]["addresses"]["middle"] != hosts["gw1"]["address"]
    assert vpn["daddr"] == hosts["gw2"]["addresses"]["middle"]
    assert (
        compiled.why.count("routes of gw1 through vpn")
        == compiled.why.count("routes of gw2 through vpn")
        == 1
    )


def test_shaken_it_begins_later_and_nothing_else_moves() -> None:
    exp = Experiment(NET, flows=[INNER, VPN.replace(queue=20, sndbuf="64kB")])
    moved = shaken(exp, 2).flows[1]
    assert 0 < moved.start < 0.021
    assert moved.replace(start=0) == exp.flows[1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Tunnel("left", "left"), "dst='left': the same host as src"),
        (lambda: Tunnel("left", "right", over="gre"), "over='gre': must be 'tcp' or 'udp'"),
        (lambda: Tunnel("left", "right", over="udp", cc="reno"), 'cc: over="udp" has none: leave it out'),
        (lambda: Tunnel("left", "right", over="udp", nodelay=True), 'nodelay: over="udp" has none'),
        (lambda: Tunnel("left", "right", queue=0), "queue=0: "),
        (lambda: Tunnel("left", "right", mtu=67), "mtu=67: "),
        (lambda: Tunnel("left", "right", mtu=65536), "mtu=65536: "),
        (lambda: Tunnel("left", "right", through="vpn"), "a tunnel cannot go through another one"),
        (lambda: VPN.replace(size=1), "size"),
        (lambda: Experiment(NET, flows=[INNER]), "'vpn': no such tunnel: write a Tunnel\\('left', 'right', "),
        (
            lambda: Experiment(NET, flows=[VPN, INNER.replace(through="vnp")]),
            "through='vnp': no such tunnel, did you mean|through='vnp': no such tunnel",
        ),
        (
            lambda: Experiment(NET, flows=[VPN, Pings("left", "r2", count=1, through="vpn")]),
            "that tunnel joins 'left' and 'right', not 'left' and 'r2'",
        ),
        (lambda: Experiment(NET, flows=[VPN]), "duration: missing: no flow or command ends the run"),
        (lambda: Experiment(NET, flows=[VPN.replace(cc="cubik")], duration=1), 'did you mean "cubic"'),
        (
            lambda: Experiment(Topology([Host("left"), Host("right")]), flows=[VPN], duration=1),
            "no path from 'left' to 'right'",
        ),
        (
            lambda: Experiment(pair(), flows=[Flow("left", "right", size=1, name="vpn"), INNER]),
            "no such tunnel",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_would_be_right(make: Callable[[], object], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        make()
