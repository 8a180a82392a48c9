"""Routes of large networks: joined, they lead where they led before."""

from __future__ import annotations

import ipaddress
import random
from itertools import pairwise

import pytest

from labkit.compile import compiler, layout
from labkit.compile.layout import Layout, lay_out, routes
from labkit.errors import SpecError
from labkit.spec import Experiment, Link, Topology
from labkit.spec.topologies import tree


def chain(hosts: int) -> Topology:
    names = [f"h{i}" for i in range(hosts)]
    return Topology(names, [Link(a, b) for a, b in pairwise(names)])


def mesh(seed: int) -> Topology:
    draw = random.Random(seed)
    pairs = sorted({tuple(sorted(draw.sample(range(60), 2))) for _ in range(150)})
    return Topology([f"h{i}" for i in range(60)], [Link(f"h{a}", f"h{b}") for a, b in pairs])


def next_hops(network: Layout, host: str) -> list[str]:
    """The gateway to each link's subnet, "" without one; two that hold it are a fault."""
    table = [
        (ipaddress.ip_network("0.0.0.0/0" if to == "default" else to), via)
        for to, via in routes(network, host)
    ]
    found = []
    for link in network.topology.links:
        address = ipaddress.ip_address(network.link_addresses[link.a, link.b])
        held = [via for to, via in table if address in to]
        assert len(held) <= 1
        found.append("".join(held))
    return found


@pytest.mark.parametrize("topology", [chain(300), tree(6, 2), mesh(1)], ids=["chain", "tree", "mesh"])
def test_joined_routes_lead_where_single_ones_do(topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    network = lay_out(Experiment(topology, duration=1))
    hosts = topology.names[::10]
    monkeypatch.setattr(layout, "_MANY_ROUTES", len(topology.links))
    single = [next_hops(network, host) for host in hosts]
    monkeypatch.setattr(layout, "_MANY_ROUTES", 0)
    assert [next_hops(network, host) for host in hosts] == single


def test_a_chain_of_500_hosts_needs_few_routes() -> None:
    network = lay_out(Experiment(chain(500), duration=1))
    assert max(len(routes(network, host)) for host in network.topology.names) < 40


def test_up_to_a_hundred_links_each_has_a_route_of_its_own() -> None:
    network = lay_out(Experiment(chain(100), duration=1))
    assert routes(network, "h50")[0] == ("10.0.1.0/24", "10.0.50.1")
    assert len(routes(network, "h50")) == 97


def test_more_routes_than_a_guest_can_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "MOST_ROUTES", 50)
    with pytest.raises(
        SpecError, match=r"topology: its routers need \d+ routes, at most 50 are possible: take fewer"
    ):
        compiler.compile_experiment(Experiment(chain(12), duration=1))
