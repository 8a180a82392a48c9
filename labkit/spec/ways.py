"""The way that packets take from one host to another, and what it has to offer as the run begins."""

from __future__ import annotations

from itertools import pairwise

from labkit.spec.link import Direction
from labkit.spec.segments import Segment
from labkit.spec.topology import Topology


def way(topology: Topology, src: str, dst: str) -> tuple[str, ...]:
    """The hosts and switches from src to dst through the fewest routers, both included; () without a way.

    Not with Topology.graph(): loading networkx takes longer than a run.
    """
    before: dict[str, tuple[str, Segment]] = {}
    reached = [src]
    for host in reached:
        if dst in before:
            break
        for segment in topology.segments_at(host):
            for peer in segment.hosts:
                if peer not in before and peer != src:
                    before[peer] = host, segment
                    reached.append(peer)
    if dst not in before and dst != src:
        return ()
    found = [dst]
    while found[0] != src:
        host, segment = before[found[0]]
        found[:1] = segment.path(host, found[0])
    return tuple(found)


def behind(topology: Topology, src: str, dst: str) -> list[int]:
    """The subnets, by their numbers, that src reaches only through dst."""
    near, reached = {src, dst}, [src]
    for host in reached:
        for peer in topology.peers(host):
            if peer not in near:
                near.add(peer)
                reached.append(peer)
    return [one.number for one in topology.segments if not (near - {dst}) & set(one.hosts)]


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
