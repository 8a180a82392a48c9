"""Where in the network a packet was freed, from the device it last came in by and the place in the kernel.

    host A -> [queue] -> enter => [mid => queue] => (hook) -> leave [wire] -> host B
    host A -> [queue] -> port ~~~ cable ~~~ port -> host B

A switch has a queue for each of its ports, as a router has. A device's queue is entered with no new arrival,
so the arrival before it tells which queue it was.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from dataclasses import dataclass

from labkit.compile.description import Described
from labkit.compile.layout import DirectedPath, Interface, subnet_of
from labkit.decode.port_losses import CARRIER, DOWN, EXCESSIVE, LATE, RESIZED

QUEUE, WIRE, HOOK, PORT, STACK, SWITCH = "queue", "wire", "hook", "port", "stack", "switch"
LEAVING, EITHER = (LATE, EXCESSIVE), (CARRIER, RESIZED, DOWN)
QDISC_FUNCTION = re.compile(
    "dev_queue_xmit|dequeue|enqueue(?!_to_backlog)|qdisc|codel|sch_direct_xmit|netem|cake|_drop$"
)


@functools.cache
def _of_qdisc(function: str) -> bool:
    return QDISC_FUNCTION.search(function) is not None


@dataclass(frozen=True)
class DropPlace:
    """host, peer: on the way from host to peer; peer is "" inside a host. place: queue (waiting for a
    rate), wire (its faults), hook (a filter that counts packets, or nftables), port (of the teaching NIC, at
    either end), stack (the host itself) or switch (the switch itself)."""

    host: str
    peer: str
    place: str


class Network:
    """The devices of a network by their index, as it was built."""

    def __init__(self, built: Described) -> None:
        self.built = built
        self.inside: dict[int, DirectedPath] = {}
        for way in built.ways.values():
            inner = (way.enter, *(way.mid or ()))
            self.inside |= {device.index: way for device in inner if device is not None}
        self.owner = {address: host for (host, _), address in built.addresses.items()}
        self._subnets: dict[str, dict[str, str]] = {}  # host -> a subnet of it -> the neighbour at that link
        for (host, peer), address in built.addresses.items():
            self._subnets.setdefault(host, {})[subnet_of(address)] = peer
        self._routes: dict[str, list[tuple[ipaddress.IPv4Network, str]]] = {}

    def where(self, index: int, function: str, src: str, dst: str) -> DropPlace:
        """index: of the device it was last received by, 0: none, it was made here (by src's host)."""
        device = self.built.devices.get(index)
        if device is not None and device.index in self.inside:
            return self._in_wire(device, function)
        host = self.owner.get(src, "") if device is None else device.host
        if host in self.built.forwards:
            return self._in_switch(host, function, src, dst)
        if _of_qdisc(function):
            return DropPlace(host, self.next_hop(host, dst)[0], QUEUE)
        return DropPlace(host, "", STACK)

    def _in_switch(self, switch: str, function: str, src: str, dst: str) -> DropPlace:
        if not _of_qdisc(function):
            return DropPlace(switch, "", SWITCH)
        peer = next((peer for host, peer in self.path(src, dst) if host == switch), "")
        return DropPlace(switch, peer, QUEUE)

    def of_port(self, index: int, cause: int, source: str) -> DropPlace:
        """index: of the port that lost a frame, for a cause of decode.ports. source: MAC address that the
        frame bears; the port's own if it was about to leave by it."""
        port = self.built.devices[index]
        if cause in LEAVING or (cause in EITHER and source == port.mac):
            return DropPlace(port.host, port.peer, PORT)
        return DropPlace(port.peer, port.host, PORT)

    def _in_wire(self, device: Interface, function: str) -> DropPlace:
        way = self.inside[device.index]
        ends = (way.out.host, way.into.host)
        if not _of_qdisc(function):
            return DropPlace(*ends, HOOK)
        first = way.enter is not None and device.index == way.enter.index
        waits = way.detach and first
        return DropPlace(*ends, QUEUE if waits else WIRE)

    def next_hop(self, host: str, dst: str) -> tuple[str, str]:
        """The neighbour that a host sends a packet for an address to, and the address of the next host on the
        way, which may be behind switches; "" and "" if it has no route."""
        if host not in self.built.routes:
            return "", ""
        subnets = self._subnets.get(host, {})
        if (peer := subnets.get(subnet_of(dst))) is not None:
            return peer, dst
        if host not in self._routes:
            pairs = [(to if to != "default" else "0.0.0.0/0", via) for to, via in self.built.routes[host]]
            self._routes[host] = [(ipaddress.IPv4Network(to), via) for to, via in pairs]
        address = ipaddress.IPv4Address(dst or "0.0.0.0")
        via = next((via for to, via in self._routes[host] if address in to), "")
        return (subnets[subnet_of(via)], via) if via else ("", "")

    def path(self, src: str, dst: str) -> list[tuple[str, str]]:
        """The links between two addresses, each as (from, to); empty if there is no way."""
        at, via, goal = self.owner.get(src, ""), "", self.owner.get(dst, "")
        way: list[tuple[str, str]] = []
        while at and at != goal and len(way) <= len(self.built.hosts):
            if at in self.built.forwards:
                peer = self.built.forwards[at].get(via, "")
            else:
                peer, via = self.next_hop(at, dst)
            way.append((at, peer))
            at = peer
        return way if at == goal else []
