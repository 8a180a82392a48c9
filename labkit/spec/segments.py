"""Which hosts of a topology reach one another without a router: its broadcast domains, a subnet each.

A link between two hosts is one. Switches join links into larger ones, and VLANs divide these. Where switches
make a ring, frames take the links that the spanning tree protocol leaves (IEEE 802.1D): all ports cost the
same, and of equal ways the one through the switch named first is taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from labkit.schema.base import Loc
from labkit.spec.link import Link
from labkit.spec.switch import UNTAGGED, Switch

MOST_HOSTS = 254
"""In one subnet, which is a /24."""
Ends = frozenset[str]


class Joined(Protocol):
    """What of a Topology matters here."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def links(self) -> tuple[Link, ...]: ...
    @property
    def switches(self) -> dict[str, Switch]: ...
    @property
    def segments(self) -> tuple[Segment, ...]: ...
    def neighbours(self, host: str) -> list[str]: ...


@dataclass(frozen=True)
class Segment:
    """number: of its first link that a host is at, and of its subnet. ends: (host, the neighbour at the other
    end of its link), in the order of the links. joints: the links that its frames cross, by their ends."""

    number: int
    ends: tuple[tuple[str, str], ...]
    joints: frozenset[Ends]

    @property
    def hosts(self) -> list[str]:
        """In the order of their addresses."""
        return [host for host, _ in self.ends]

    def toward(self, here: str) -> dict[str, str]:
        """Host or switch -> the neighbour of `here` that is next on the way there; {}: `here` is no part."""
        if here not in self._beside:
            return {}
        reached = list(self._beside[here])
        first = {there: there for there in reached}
        for at in reached:
            for there in self._beside[at]:
                if there not in first and there != here:
                    first[there] = first[at]
                    reached.append(there)
        return first

    def path(self, src: str, dst: str) -> tuple[str, ...]:
        """From one of its hosts to another, both included, through switches if there are any."""
        found = [src]
        while found[-1] != dst:
            found.append(self.toward(found[-1])[dst])
        return tuple(found)

    @cached_property
    def _beside(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one, other in self.joints:
            found.setdefault(one, []).append(other)
            found.setdefault(other, []).append(one)
        return found


def segments_of(topology: Joined) -> tuple[Segment, ...]:
    """In the order of their numbers."""
    switches, blocked = topology.switches, _blocked(topology)
    found: list[Segment] = []
    known: set[tuple[str, str]] = set()
    order = {(one, other): i for i, link in enumerate(topology.links) for one, other in _both(link.a, link.b)}
    for number, link in enumerate(topology.links):
        for host, peer in _both(link.a, link.b):
            if host in switches or (host, peer) in known:
                continue
            crossed = list(_spread(topology, blocked, host, peer))
            ends = {(host, peer), *((there, here) for here, there in crossed if there not in switches)}
            known |= ends
            in_order = sorted(ends, key=lambda end: (order[end], end != (link.a, link.b)))
            joints = frozenset(map(frozenset, crossed))
            found.append(Segment(number, tuple(in_order), joints))
    return tuple(found)


def _both(a: str, b: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (a, b), (b, a)


def _spread(topology: Joined, blocked: set[Ends], host: str, peer: str) -> Iterator[tuple[str, str]]:
    """The links, as (from, to), that a host's broadcast crosses, and by which it is let in."""
    waiting = deque([(host, peer, UNTAGGED)])
    while waiting:
        here, there, tag = waiting.popleft()
        switch = topology.switches.get(there)
        if switch is None:
            if tag == UNTAGGED:
                yield here, there
            continue
        if (vlan := switch.admits(here, tag)) is None:
            continue
        yield here, there
        for onward in topology.neighbours(there):
            out = switch.emits(onward, vlan)
            if onward != here and out is not None and frozenset((there, onward)) not in blocked:
                waiting.append((there, onward, out))


def _trees(topology: Joined) -> Iterator[tuple[list[str], set[Ends], set[Ends]]]:
    """For each group of joined switches: these, the links between them, and those of its spanning tree."""
    order = {name: i for i, name in enumerate(topology.switches)}
    seen: set[str] = set()
    for root in order:
        if root in seen:
            continue
        group, links, tree, level = [root], set(), set(), [root]
        seen.add(root)
        while level:
            below: list[str] = []
            for switch in sorted(level, key=order.__getitem__):
                for peer in topology.neighbours(switch):
                    if peer not in order:
                        continue
                    links.add(frozenset((switch, peer)))
                    if peer not in seen:
                        seen.add(peer)
                        tree.add(frozenset((switch, peer)))
                        below.append(peer)
            group += below
            level = below
        yield group, links, tree


def _blocked(topology: Joined) -> set[Ends]:
    """The links between switches that the spanning tree leaves out."""
    return {ends for _, links, tree in _trees(topology) for ends in links - tree}


def faults_of_switches(topology: Joined) -> Iterator[tuple[Loc, str]]:
    """What is wrong with the switches of a topology whose names and links are right."""
    for name, switch in topology.switches.items():
        yield from _of_vlans(topology, switch, ("hosts", topology.names.index(name), "vlan"))
    for group, links, tree in _trees(topology):
        without = [name for name in group if not topology.switches[name].stp]
        if links != tree and without:
            listed = ", ".join(group[:6]) + (", ..." if len(group) > 6 else "")
            fix = f'write Switch("{without[0]}", stp=True), and so for each of them'
            yield ("hosts",), f": switches {listed} make a ring, in which a broadcast never ends: {fix}"
            return
    for segment in topology.segments if topology.switches else ():
        if len(segment.ends) > MOST_HOSTS:
            text = (
                f": {len(segment.ends)} hosts in one network of switches: at most {MOST_HOSTS} are possible"
            )
            yield ("hosts",), f"{text}: put a router in between"
        if twice := [host for host in segment.hosts if segment.hosts.count(host) > 1]:
            text = f": {twice[0]} has two links into one network of switches"
            yield ("hosts",), f"{text}: leave one out, or put it into another VLAN"


def _of_vlans(topology: Joined, switch: Switch, at: Loc) -> Iterator[tuple[Loc, str]]:
    ports: Mapping[str, object] = switch.vlan
    peers = topology.neighbours(switch.name)
    for name, port in ports.items():
        if name not in peers:
            there = ", ".join(peers[:20]) or "nobody"
            yield at, f"[{name!r}]: no link to there: {switch.name} is linked to {there}"
        elif isinstance(port, tuple) and name not in topology.switches:
            text = f"[{name!r}]={port}: a trunk leads to another switch, and {name} is a host"
            yield at, f"{text}: give it one VLAN ({port[0]})"
