"""Queues with classes: the qdisc, a queue for each class, and filters that tell packets apart.

    tbf 1: -> htb 10: -> class 10:1 -> fq_codel 7001:
                      -> class 10:2 -> pfifo 7002:

Where tbf 1: is and what is above it: links.py. Hosts in a match are all their addresses.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from labkit.compile.layout import DirectedPath, Layout
from labkit.netlink.filters import FW_MODULE, flower, fw
from labkit.netlink.message import tc
from labkit.qdiscs import KINDS
from labkit.spec import Link, Match, Queue

FIRST_LEAF = 0x10  # the first leaf's handle: replacing one kind by another takes a new one
_CHILDREN = 0x7000  # beyond all leaves, below the handles that the kernel gives itself
Keys = dict[str, str | int | None]


def queue_messages(layout: Layout, way: DirectedPath, queue: Queue, number: int, **place: Any) -> list[bytes]:
    """A queue with whatever it has of classes, in place of the one that is there.

    number: of the change, for its handle; place: parent, rate, frame and slack_s of qdiscs.classful.Tree.
    """
    index, at = way.queue.index, FIRST_LEAF + number
    qdisc = KINDS[queue.kind]
    keywords = qdisc.keywords(queue.packets, queue.bytes, queue.options, classes=bool(queue.classes))
    if qdisc.classful is None or not queue.classes:
        return [tc("replace", queue.kind, index, at=f"{at:x}:", parent=place["parent"], **keywords)]
    tree = queue.tree(keywords, index=index, at=at, **place)
    messages = qdisc.classful.make(tree)
    for i, one in enumerate(queue.classes, 1):
        if one.queue is not None:
            messages.append(_child(one.queue, index, f"{_CHILDREN + i:x}:", tree.classid(i)))
    prio = itertools.count(1)
    for i, one in enumerate(queue.classes, 1):
        for match in one.match:
            messages += _filters(layout, match, index, tree.handle, tree.classid(i), prio)
    if qdisc.classful.catch_all:
        messages.append(flower(index, tree.handle, next(prio), tree.classid(tree.default)))
    return messages


def _child(queue: Queue, index: int, at: str, parent: str) -> bytes:
    keywords = KINDS[queue.kind].keywords(queue.packets, queue.bytes, queue.options)
    return tc("replace", queue.kind, index, at=at, parent=parent, **keywords)


def _filters(
    layout: Layout, match: Match, index: int, parent: str, to: str, prio: Iterator[int]
) -> Iterator[bytes]:
    """One match as filters: each has one address, one protocol and one port of an end."""
    if match.mark is not None:
        yield fw(index, parent, next(prio), to, match.mark)
        return
    sources, targets = _addresses(layout, match.src), _addresses(layout, match.dst)
    for src, dst, keys in itertools.product(sources, targets, _ports(match)):
        yield flower(index, parent, next(prio), to, src=src, dst=dst, **keys)


def _addresses(layout: Layout, host: str | None) -> list[str | None]:
    if host is None:
        return [None]
    return [address for (name, _), address in layout.link_addresses.items() if name == host]


def _ports(match: Match) -> list[Keys]:
    if match.port is None and match.sport is None and match.dport is None:
        return [{"ip_protocol": match.protocol}]
    ends: list[Keys] = [{"sport": match.sport, "dport": match.dport}]
    if match.port is not None:
        ends = [{"dport": match.port}, {"sport": match.port}]
    protocols = [match.protocol] if match.protocol is not None else ["tcp", "udp"]
    return [{"ip_protocol": protocol, **end} for protocol in protocols for end in ends]


def modules(links: Iterable[Link]) -> list[str]:
    """What of the kernel's own the queues of these links need that it has not built in, each once."""
    queues = [way.queue for link in links for way in (link.forward, link.backward) if way.queue is not None]
    inside = [one.queue for queue in queues for one in queue.classes if one.queue is not None]
    wanted = {KINDS[queue.kind].module for queue in [*queues, *inside]}
    if any(match.mark is not None for queue in queues for one in queue.classes for match in one.match):
        wanted.add(FW_MODULE)
    return sorted(name for name in wanted if name is not None)


def class_names(layout: Layout, states: Iterable[Link]) -> dict[int, dict[str, dict[str, Any]]]:
    """Device -> handle's major number -> the kind that hangs there and its classes' names, in order.

    states: of links after each change, in order.
    """
    found: dict[int, dict[str, dict[str, Any]]] = {}
    numbered = [(0, link) for link in layout.topology.links] + list(enumerate(states, 1))
    for number, link in numbered:
        for ends, way in (((link.a, link.b), link.forward), ((link.b, link.a), link.backward)):
            if way.queue is not None and way.queue.classes:
                names = [one.name for one in way.queue.classes]
                trees = found.setdefault(layout.ways[ends].queue.index, {})
                trees[str(FIRST_LEAF + number)] = {"kind": way.queue.kind, "classes": names}
    return found
