"""The way that packets take from one host to another, and what it has to offer as the run begins."""

from __future__ import annotations

from itertools import pairwise

from labkit.spec.link import Direction
from labkit.spec.topology import Topology


def way(topology: Topology, src: str, dst: str) -> tuple[str, ...]:
    """The hosts from src to dst over the fewest links, both included; () if there is no way.

    Not with Topology.graph(): loading networkx takes longer than a run.
    """
    before = {src: ""}
    reached = [src]
    for host in reached:
        for peer in topology.neighbours(host):
            if peer not in before:
                before[peer] = host
                reached.append(peer)
    if dst not in before:
        return ()
    back = [dst]
    while back[-1] != src:
        back.append(before[back[-1]])
    return tuple(reversed(back))


def behind(topology: Topology, src: str, dst: str) -> list[int]:
    """The links, by their numbers, that src reaches only through dst."""
    near, reached = {src, dst}, [src]
    for host in reached:
        for peer in topology.neighbours(host):
            if peer not in near:
                near.add(peer)
                reached.append(peer)
    return [i for i, link in enumerate(topology.links) if not (near - {dst}) & link.ends]


def direction(topology: Topology, a: str, b: str) -> Direction:
    """Of the link between a and b the direction from a to b."""
    link = topology.link(a, b)
    return link.forward if link.a == a else link.backward


def slowest(topology: Topology, src: str, dst: str) -> int | None:
    """The lowest rate (bit/s) on the way from src to dst, of links and of ports; None: there is no limit."""
    rates = []
    for a, b in pairwise(way(topology, src, dst)):
        link = topology.link(a, b)
        rates += [nic.speed for nic in (link.nic_a, link.nic_b) if nic is not None]
        rates += [rate for rate in [direction(topology, a, b).rate] if rate is not None]
    return min(rates, default=None)


def smallest_mtu(topology: Topology, src: str, dst: str) -> int:
    """The smallest MTU (bytes) on the way from src to dst."""
    return min(topology.link(a, b).mtu for a, b in pairwise(way(topology, src, dst)))
