"""Who is where: namespaces, interfaces, addresses, routes and ports of a topology. No bytes yet.

Link i has the subnet 10.x.y.0/24 with i + 1 = 250 x + y; end a is .1, end b is .2. What switches join has
the subnet of its first link to a host, and its hosts are .1, .2, .3 in the order of their links. A host's
main address is that of its first link. All wires live in one namespace of their own, "wires".
"""

from __future__ import annotations

import ipaddress
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from labkit.spec import Direction, Experiment, Link, Topology
from labkit.spec.switch import Switch

WIRES = "wires"
BRIDGE = "br0"
FIRST_INDEX = 10  # interface indices below are the kernel's own (lo is 1)
FIRST_SPORT, FIRST_DPORT = 10000, 20000
_STEP = 8  # indices set aside for one link
_MANY_ROUTES = 100  # of one router: those of a chain of 500 hosts, a quarter of a million, fill a guest
LAB_SLACK_S = 2e-6  # in the guest a timer is late by some clock reads


@dataclass(frozen=True)
class Interface:
    """One device. role: "host" (a switch's port, too), "bridge" (a switch's own), or its place in a wire."""

    index: int
    ns: int
    name: str
    mac: str
    host: str
    peer: str
    role: str


@dataclass(frozen=True)
class DirectedPath:
    """One direction of a link as it is built: the devices that a packet passes, in order.

    out -> into                                  a cable: the two host ends are one veth pair,
                                                 or two ports of the teaching NIC
    out -> enter => leave -> into                a wire: "=>" is tc's redirect, "->" a veth pair
    out -> enter => mid[0] -> mid[1] => leave -> into

    queue: where rate and queue sit. On a leaf host they would meet TCP Small Queues, which keeps its
    own queue nearly empty; so there they sit in the wire, behind a netem that takes the packet from
    its socket (detach).
    """

    out: Interface
    into: Interface
    enter: Interface | None
    mid: tuple[Interface, Interface] | None
    leave: Interface | None
    queue: Interface
    detach: bool
    slack_s: float = LAB_SLACK_S  # how late a timer may be


@dataclass(frozen=True)
class Layout:
    """A topology with every name and number decided."""

    topology: Topology
    namespaces: tuple[str, ...]
    ways: dict[tuple[str, str], DirectedPath]
    addresses: dict[str, str]  # main address of each host
    link_addresses: dict[tuple[str, str], str]  # (host, peer at the other end of its link) -> address
    interfaces: dict[str, list[Interface]] = field(default_factory=dict)
    bridges: dict[str, Interface] = field(default_factory=dict)  # of each switch

    @cached_property
    def found_routes(self) -> dict[str, list[tuple[str, str]]]:
        """What `routes` has found: kept for the next layout of the same links."""
        links = tuple((link.a, link.b) for link in self.topology.links)
        return _kept_routes(links, tuple(self.topology.switches.values()))

    def addresses_at(self, host: str) -> dict[str, str]:
        """The hosts that a host reaches without a router -> their addresses, in the order of its links."""
        found: dict[str, str] = {}
        for segment in self.topology.segments_at(host):
            found |= {one: self.link_addresses[one, peer] for one, peer in segment.ends if one != host}
        return found

    def ns(self, host: str) -> int:
        """The index of a host's namespace."""
        return self.interfaces[host][0].ns if self.interfaces[host] else self.namespaces.index(host)


def _mac(link: int, end: int) -> str:
    return f"02:00:{link >> 8 & 255:02x}:{link & 255:02x}:00:{end:02x}"


def has_wire(direction: Direction) -> bool:
    """Does this direction need more than a cable: delay, loss or any other fault?"""
    d = direction
    return bool(
        d.delay or d.jitter or d.loss or d.corrupt or d.duplicate or d.reorder or d.wire_limit is not None
    )


def _subnet(number: int) -> str:
    return f"10.{(number + 1) // 250}.{(number + 1) % 250}"


def subnet(number: int) -> str:
    """Of a link by its number."""
    return f"{_subnet(number)}.0/24"


def subnet_of(address: str) -> str:
    """Of the link that has this address."""
    return f"{address.rpartition('.')[0]}.0/24"


def lay_out(exp: Experiment, *, all_wires: bool = False, slack_s: float = LAB_SLACK_S) -> Layout:
    """Decide everything. all_wires: every link gets a wire, because it may change later, but for those
    between ports of the teaching NIC. slack_s: how late a timer may be."""
    topology = exp.topology
    degree = dict.fromkeys(topology.names, 0)
    for link in topology.links:
        degree[link.a] += 1
        degree[link.b] += 1
    states: dict[frozenset[str], list[Link]] = {link.ends: [link] for link in topology.links}
    for _, changed in exp.timeline():
        states[changed.ends].append(changed)
    namespaces = (*topology.names, WIRES)
    maker = _Maker({name: i for i, name in enumerate(namespaces)}, degree, slack_s)
    of = {
        end: f"{_subnet(segment.number)}.{i}"
        for segment in topology.segments
        for i, end in enumerate(segment.ends, 1)
    }
    ends = [end for link in topology.links for end in ((link.a, link.b), (link.b, link.a))]
    addresses = {end: of[end] for end in ends if end in of}
    main: dict[str, str] = {}
    for (host, _), address in addresses.items():
        main.setdefault(host, address)
    bridges = {name: maker.bridge(topology, i, name) for i, name in enumerate(topology.switches)}
    for number, link in enumerate(topology.links):
        maker.link(number, link, states[link.ends], all_wires)
    return Layout(topology, namespaces, maker.ways, main, addresses, maker.interfaces, bridges)


class _Maker:
    """Numbers interfaces in order of the links."""

    def __init__(self, ns: dict[str, int], degree: dict[str, int], slack_s: float) -> None:
        self.ns, self.degree, self.slack_s = ns, degree, slack_s
        self.ways: dict[tuple[str, str], DirectedPath] = {}
        self.interfaces: dict[str, list[Interface]] = {name: [] for name in ns}

    def link(self, number: int, link: Link, states: list[Link], all_wires: bool) -> None:
        base = FIRST_INDEX + number * _STEP
        a = self._host_end(number, base, 1, link.a, link.b)
        b = self._host_end(number, base + 1, 2, link.b, link.a)
        forward, backward = [s.forward for s in states], [s.backward for s in states]
        if link.nic_a is not None or not (
            all_wires or self._needs_wire(link.a, forward) or self._needs_wire(link.b, backward)
        ):
            self.ways[link.a, link.b] = DirectedPath(a, b, None, None, None, a, False, self.slack_s)
            self.ways[link.b, link.a] = DirectedPath(b, a, None, None, None, b, False, self.slack_s)
            return
        wa = self._wire_end(number, base + 2, "a", link.a, link.b)
        wb = self._wire_end(number, base + 3, "b", link.b, link.a)
        self._way(number, (a, wa, wb, b), forward, all_wires)
        self._way(number, (b, wb, wa, a), backward, all_wires)

    def _way(
        self,
        number: int,
        devices: tuple[Interface, Interface, Interface, Interface],
        states: list[Direction],
        all_wires: bool,
    ) -> None:
        out, enter, leave, into = devices
        detach = self.degree[out.host] == 1 and (all_wires or any(d.rate for d in states))
        mid, queue = None, leave if detach else out
        if detach and (all_wires or any(has_wire(d) for d in states)):
            first = out.index + 4 if enter.role == "a" else out.index + 5
            letter = "p" if enter.role == "a" else "q"
            mid = (
                self._wire_end(number, first, f"{letter}1", out.host, into.host),
                self._wire_end(number, first + 1, f"{letter}2", out.host, into.host),
            )
            queue = mid[0]
        made = DirectedPath(out, into, enter, mid, leave, queue, detach, self.slack_s)
        self.ways[out.host, into.host] = made

    def _needs_wire(self, host: str, states: list[Direction]) -> bool:
        return any(has_wire(d) or (self.degree[host] == 1 and d.rate is not None) for d in states)

    def _host_end(self, number: int, index: int, end: int, host: str, peer: str) -> Interface:
        name = f"eth{len(self.interfaces[host])}"
        made = Interface(index, self.ns[host], name, _mac(number, end), host, peer, "host")
        self.interfaces[host].append(made)
        return made

    def bridge(self, topology: Topology, number: int, switch: str) -> Interface:
        """A switch's own device. The lowest MAC address makes the first switch a spanning tree's root."""
        mac = f"02:01:{number >> 8:02x}:{number & 255:02x}:00:00"
        index = FIRST_INDEX + len(topology.links) * _STEP + number
        return Interface(index, self.ns[switch], BRIDGE, mac, switch, "", "bridge")

    def _wire_end(self, number: int, index: int, role: str, host: str, peer: str) -> Interface:
        made = Interface(
            index, self.ns[WIRES], f"w{number}{role}", _mac(number, 16 + index % _STEP), host, peer, role
        )
        self.interfaces[WIRES].append(made)
        return made


@lru_cache(maxsize=8)
def _kept_routes(
    links: tuple[tuple[str, str], ...], switches: tuple[Switch, ...]
) -> dict[str, list[tuple[str, str]]]:
    """Routes depend on the order and the ends of the links, and on switches, alone."""
    return {}


def routes(layout: Layout, host: str) -> list[tuple[str, str]]:
    """(destination, gateway) pairs of one host: ("default", ...) for a leaf, one per subnet for a router;
    none for a switch.

    Shortest paths by hops; of equal ones that through the neighbour whose link comes first. More than
    _MANY_ROUTES are joined: those of one gateway that make up a larger subnet. A layout finds them once.
    """
    if not layout.topology.is_host(host):
        return []
    if host not in layout.found_routes:
        layout.found_routes[host] = _routes(layout, host)
    return layout.found_routes[host]


def _routes(layout: Layout, host: str) -> list[tuple[str, str]]:
    topology, beside = layout.topology, layout.addresses_at(host)
    if len(layout.interfaces[host]) == 1:
        routers = [peer for peer in beside if len(layout.interfaces[peer]) > 1 or len(beside) == 1]
        if len(routers) < 2:
            return [("default", beside[peer]) for peer in routers if len(topology.segments) > 1]
    first: dict[str, str] = {host: host}
    through = [""] * len(topology.links)  # of each subnet the neighbour that leads to its nearer end
    queue = deque([host])
    while queue:
        at = queue.popleft()
        hop = first[at]
        for segment in topology.segments_at(at):
            if not through[segment.number]:
                through[segment.number] = hop
            for peer in segment.hosts:
                if peer not in first:
                    first[peer] = peer if at == host else hop
                    queue.append(peer)
    by_peer: dict[str, list[int]] = {}
    for number, peer in enumerate(through):
        if peer and peer != host:
            by_peer.setdefault(peer, []).append(number)
    found = {beside[peer]: numbers for peer, numbers in by_peer.items()}
    if sum(map(len, found.values())) > _MANY_ROUTES:
        return [(str(to), via) for via, numbers in found.items() for to in _joined(numbers)]
    pairs = sorted((number, via) for via, numbers in found.items() for number in numbers)
    return [(subnet(number), via) for number, via in pairs]


def _joined(numbers: list[int]) -> Iterator[ipaddress.IPv4Network]:
    """The subnets of these links in as few larger ones."""
    breaks = [i for i, (a, b) in enumerate(pairwise(numbers), 1) if b != a + 1 or (b + 1) % 250 == 0]
    for first, end in pairwise([0, *breaks, len(numbers)]):
        ends = f"{_subnet(numbers[first])}.0", f"{_subnet(numbers[end - 1])}.255"
        yield from ipaddress.summarize_address_range(*map(ipaddress.IPv4Address, ends))
