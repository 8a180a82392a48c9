"""Why a packet was lost: from where the kernel freed it, its reason, and the network at that time.

netem and a full queue give the same reason at the same place in the kernel; which queue it was tells them
apart. A queue that drops when a packet comes in was full, unless it is one that drops early (RED and its
kin, PIE); of these it was full if it held its limit. What is dropped on the way out of a queue was dropped
early (CoDel and its kin). CAKE's ack-filter frees what waited when another packet comes in.
"""

from __future__ import annotations

import bisect
import functools

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.compile import description
from labkit.decode.drop_monitor import Drops
from labkit.decode.headers import Headers
from labkit.decode.port_losses import CARRIER, PortLosses
from labkit.decode.trace import address_text
from labkit.qdiscs import KINDS
from labkit.results.ledger.drop_places import HOOK, QUEUE, WIRE, DropPlace, Network
from labkit.results.ledger.flow_over import COOKIE, NO_SOCKET
from labkit.results.ledger.listening import OVERFLOW, REQUEST
from labkit.results.ledger.packet_matching import (
    NO_HEADERS,
    ClassSamples,
    Packet,
    packets_of,
    possible_classes,
)
from labkit.results.ledger.port_causes import port_cause, source_mac
from labkit.results.tables import Tables
from labkit.spec import ContinuousGilbertElliott, Direction, EveryNth, Experiment, GilbertElliott, Link
from labkit.spec.queue import Queue

FULL, EARLY_DROP, ACK_FILTERED, WIRE_LOSS, BURST_LOSS, NAMED, WIRE_FULL = (
    "queue full",
    "early drop",
    "ack filtered",
    "wire loss",
    "burst loss",
    "named loss",
    "wire full",
)
CORRUPTED, FILTERED, NO_ROUTE, TTL_EXCEEDED, LINK_DOWN, CONNECTIONS, ACCEPT_QUEUE, QUEUE_REPLACED = (
    "corrupted",
    "filtered",
    "no route",
    "ttl exceeded",
    "link down",
    "connection table full",
    "accept queue full",
    "queue replaced",
)
NOT_FORWARDING, VLAN_FILTERED, NO_EGRESS_PORT = "port not forwarding", "vlan filtered", "no egress port"
TOO_LARGE = "too large for the next link"
_BURSTS = GilbertElliott | ContinuousGilbertElliott
_REASONS = {
    CORRUPTED: "TCP_CSUM UDP_CSUM IP_CSUM ICMP_CSUM IP_INHDR PKT_TOO_SMALL OTHERHOST UNHANDLED_PROTO "
    "IP_NOPROTO",
    "socket buffer full": "SOCKET_RCVBUFF",
    "socket backlog full": "SOCKET_BACKLOG",
    "receive memory full": "PROTO_MEM",
    "out of order pruned": "TCP_OFO_QUEUE_PRUNE TCP_OFO_DROP",
    "zero window": "TCP_ZEROWINDOW",
    "beyond the window": "TCP_OVERWINDOW TCP_INVALID_SEQUENCE TCP_INVALID_END_SEQUENCE",
    ACCEPT_QUEUE: OVERFLOW,
    FILTERED: "NETFILTER_DROP TC_INGRESS TC_EGRESS SOCKET_FILTER XDP",
    NO_ROUTE: "IP_OUTNOROUTES IP_INNOROUTES",
    "no neighbour": "NEIGH_FAILED NEIGH_QUEUEFULL NEIGH_DEAD",
    "wrong way back": "IP_RPFILTER",
    LINK_DOWN: "DEV_READY",
    "no socket": NO_SOCKET,
    TOO_LARGE: "PKT_TOO_BIG",
    "backlog full": "CPU_BACKLOG",
}
OF_REASON = {reason: cause for cause, reasons in _REASONS.items() for reason in reasons.split()}
WITHOUT_REASON = ("udp_recvmsg", "skb_release_data", "llc_rcv")
"""UDP looks at a long datagram's checksum when it is read, and gives no reason; nor for its fragments. LLC
gets what a flipped bit made of an Ethernet type."""
ACK_FILTER = "cake_enqueue"
"""Where CAKE frees an acknowledgement that the one behind it makes superfluous, and nothing else."""
FLUSHED = ("__rtnl_unlock", "flush_backlog")
"""Where packets are freed that had just arrived by a device that is taken down."""
REPLACED = "__rtnl_unlock"
"""Where the packets of a queue are freed that another one took the place of; as of a device taken down."""
_EMPTYING = ("unlock", "reset", "clear")  # in names of what frees all that a queue holds
_CHANGING_S = 1e-3  # longer than a change takes
OF_PLACE = {
    ("ip_forward", "IP_INHDR"): TTL_EXCEEDED,  # as for a bad header, but it was whole
    ("ip_forward", "NOT_SPECIFIED"): CORRUPTED,  # a bit of its MAC address flipped: now it is multicast
    ("ip_error", "NOT_SPECIFIED"): NO_ROUTE,  # a route that says blackhole, unreachable or prohibit
    ("nf_hook_slow", "NETFILTER_DROP"): CONNECTIONS,  # what a rule drops, nft_do_chain frees (from 6.7 on)
    (COOKIE, NO_SOCKET): ACCEPT_QUEUE,  # the handshake was right, but there was no room
    (REQUEST, "NOT_SPECIFIED"): "SYN queue full",
    ("br_handle_frame", "NOT_SPECIFIED"): NOT_FORWARDING,  # blocking or listening
    ("br_handle_frame_finish", "NOT_SPECIFIED"): NOT_FORWARDING,  # learning
    ("__allowed_ingress", "NOT_SPECIFIED"): VLAN_FILTERED,
    ("br_forward", "NOT_SPECIFIED"): NO_EGRESS_PORT,
    ("br_flood", "NOT_SPECIFIED"): NO_EGRESS_PORT,
    ("br_dev_queue_push_xmit", "NOT_SPECIFIED"): TOO_LARGE,
}
"""Functions whose reason says too little."""


class Causes:
    """The network of a result over time, to be asked for the cause of a drop."""

    def __init__(self, result: Tables) -> None:
        self.result = result
        exp = result.experiment
        self.network = Network(description.read(result.manifest["layout"]))
        self._timeline = _timeline(exp)
        self._times = [at for at, _ in self._timeline]

    def direction(self, host: str, peer: str, time_s: float) -> Direction:
        """One way of a link as it was at a time."""
        _, links = self._timeline[bisect.bisect_right(self._times, time_s) - 1]
        link = links[frozenset((host, peer))]
        return link.forward if link.a == host else link.backward

    def places(self, drops: Drops, headers: Headers, ports: PortLosses) -> list[DropPlace]:
        """Where each packet was freed. ports: what is known of those that a port lost."""
        texts: dict[int, str] = {}
        found = []
        rows = zip(
            drops.frames.interface.tolist(),
            drops.function,
            headers.src.tolist(),
            headers.dst.tolist(),
            (drops.frames.at_ns / 1e9).tolist(),
            strict=True,
        )
        for index, function, src, dst, at in rows:
            for value in (src, dst):
                if value not in texts:
                    texts[value] = address_text(value.to_bytes(4, "big")) if value >= 0 else ""
            where = self.network.where(index, str(function), texts[src], texts[dst])
            if function == REPLACED:
                peer = where.peer or self.network.next_hop(where.host, texts[dst])[0]
                if peer and self._replaced(where.host, peer, at):
                    where = DropPlace(where.host, peer, QUEUE)
            found.append(where)
        for i in np.flatnonzero(ports.port).tolist():
            port, cause = int(ports.port[i]), int(ports.cause[i])
            found[i] = self.network.of_port(port, cause, source_mac(drops.frames, i))
        return found

    def _replaced(self, host: str, peer: str, time_s: float) -> bool:
        """Was a queue replaced by a change just before?"""
        before = self._times[bisect.bisect_right(self._times, time_s) - 1] - _CHANGING_S
        old, new = self.direction(host, peer, before), self.direction(host, peer, time_s)
        recent = time_s - before < 2 * _CHANGING_S
        return recent and (old.rate, old.queue) != (new.rate, new.queue)

    def cause(
        self,
        where: DropPlace,
        function: str,
        reason: str,
        time_s: float,
        length: int,
        packet: Packet = NO_HEADERS,
    ) -> str:
        """In the words of this module; an unusual one is the kernel's own, in lower case. length: of the
        frame in bytes."""
        if where.place == HOOK:
            return self._of_hook(where, function, reason, time_s)
        if where.place == WIRE:
            way = self.direction(where.host, where.peer, time_s)
            if way.loss is None and way.wire_limit is not None:
                return WIRE_FULL
            return BURST_LOSS if isinstance(way.loss, _BURSTS) else WIRE_LOSS
        if where.place == QUEUE:
            return self._of_queue(where, function, time_s, length, packet)
        if reason == "NOT_SPECIFIED" and function in WITHOUT_REASON:
            return CORRUPTED
        if (function, reason) in OF_PLACE:
            return OF_PLACE[function, reason]
        return OF_REASON.get(reason, reason.lower().replace("_", " "))

    def _of_hook(self, where: DropPlace, function: str, reason: str, time_s: float) -> str:
        counted = isinstance(self.direction(where.host, where.peer, time_s).loss, EveryNth)
        if function in FLUSHED or (reason == "TC_INGRESS" and not counted):
            return LINK_DOWN  # what moves packets on found the device behind it down
        return NAMED if reason in ("TC_INGRESS", "NETFILTER_DROP", "NOT_SPECIFIED") else reason.lower()

    def _of_queue(self, where: DropPlace, function: str, time_s: float, length: int, packet: Packet) -> str:
        if any(word in function for word in _EMPTYING):
            return QUEUE_REPLACED
        if function == ACK_FILTER:
            return ACK_FILTERED
        if where.peer and self._refused(where.host, where.peer) and not self._held(where, time_s):
            return port_cause(CARRIER, length)  # an empty queue drops nothing: there was no link
        if "dequeue" in function and "netem" not in function and "tbf" not in function:
            return EARLY_DROP
        queue = self.direction(where.host, where.peer, time_s).queue if where.peer else None
        if queue is None:
            return FULL
        if queue.classes:
            return self._of_class(where, queue, time_s, length, packet)
        if not KINDS[queue.kind].early:
            return FULL
        return FULL if _is_full(queue, self._held(where, time_s), length) else EARLY_DROP

    def _of_class(self, where: DropPlace, queue: Queue, time_s: float, length: int, packet: Packet) -> str:
        """What a class's queue dropped when it came in. How much was in a class, its last sample tells, but
        no more than was in all of them."""
        possible = possible_classes(queue, packet, self.network.owner)
        if not any(KINDS[one.queue.kind].early for one in possible if one.queue is not None):
            return FULL
        ends = (where.host, where.peer)
        if len(possible) > 1:  # a mark is not seen: it was the class that counted a drop
            possible = [one for one in possible if self._samples.dropped(ends, one.name, time_s)] or possible
        inner = possible[0].queue
        assert inner is not None
        held = min(self._samples.held(ends, possible[0].name, time_s), self._held(where, time_s))
        return FULL if not KINDS[inner.kind].early or _is_full(inner, held, length) else EARLY_DROP

    @functools.cached_property
    def _samples(self) -> ClassSamples:
        return ClassSamples(self.result.classes)

    @functools.cache  # noqa: B019  one of these lives as long as one ledger is being made
    def _refused(self, host: str, peer: str) -> bool:
        """Did a port's device refuse any packet? So it does while its link is down."""
        if self.result.experiment.topology.link(host, peer).nic_a is None:
            return False
        table = self.result.interfaces
        mine = (table["host"] == host) & (table["peer"] == peer) & (table["name"] == "tx_dropped")
        return bool(table[mine]["delta"].sum())

    def _held(self, where: DropPlace, time_s: float) -> int:
        """Packets in a queue just before a time."""
        came, left = self._visits(where.host, where.peer)
        return int(np.searchsorted(came, time_s) - np.searchsorted(left, time_s, "right"))

    @functools.cache  # noqa: B019  one of these lives as long as one ledger is being made
    def _visits(self, host: str, peer: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """When packets came into a queue and left it, each in order; what was dropped left at once."""
        table = self.result.queue
        mine = table[(table["host"] == host) & (table["peer"] == peer)]
        left = mine["dequeued_s"].where(~mine["dropped"], mine["enqueued_s"])
        return mine["enqueued_s"].to_numpy(), np.sort(left.dropna().to_numpy())


def _is_full(queue: Queue, held: int, length: int) -> bool:
    """Has a queue with so many packets no room for one more? All are taken to be of this length in bytes."""
    if queue.bytes is not None:
        return (held + 1) * length > queue.bytes
    return queue.packets is not None and held >= queue.packets


def _timeline(exp: Experiment) -> list[tuple[float, dict[frozenset[str], Link]]]:
    now = {link.ends: link for link in exp.topology.links}
    states = [(-np.inf, dict(now))]
    for change, link in exp.timeline():
        now[link.ends] = link
        states.append((change.at, dict(now)))
    return states


def drops_table(causes: Causes, drops: Drops, headers: Headers, ports: PortLosses) -> pd.DataFrame:
    """host, peer, place and cause of each drop."""
    where = causes.places(drops, headers, ports)
    times, lengths = (drops.frames.at_ns / 1e9).tolist(), drops.frames.length.tolist()
    packets = packets_of(headers)
    of_ports = ports.cause.tolist()
    rows = zip(where, drops.function, drops.reason, times, lengths, of_ports, packets, strict=True)
    return pd.DataFrame(
        {
            "host": [place.host for place in where],
            "peer": [place.peer for place in where],
            "place": [place.place for place in where],
            "cause": [
                port_cause(of_port, length)
                if of_port
                else causes.cause(place, str(function), str(reason), at, length, packet)
                for place, function, reason, at, length, of_port, packet in rows
            ],
        }
    )
