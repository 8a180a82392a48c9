"""Where everything stands: hosts, links, queues and ports, from the network that ran."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from labkit.charts.link_text import both_ways
from labkit.charts.placement import positions
from labkit.player.journeys import Journeys
from labkit.spec import Link, Topology

Json = dict[str, Any]
_LONG = 2.4  # a link that takes time is drawn so much longer than one that does not


def stage(found: Journeys, begin_s: float) -> Json:
    """hosts: [{name, x, y}], x and y without a unit, y downwards. links: [{a, b, text, nic}]. queues: [{from,
    to, kind, limit}] (limit in packets, null: unknown); ports: [{at, peer, ring}]. Hosts by number."""
    network = found.result.experiment.topology
    number = {name: n for n, name in enumerate(network.names)}
    places = _stretched(network)
    links, queues, ports = [], [], []
    for link in network.links:
        there, back = both_ways(_now(found, link, begin_s))
        text = _said(link.a, link.b, there, back)
        links.append({"a": number[link.a], "b": number[link.b], "text": text})
        for a, b in ((link.a, link.b), (link.b, link.a)):
            queue = found.accounts.causes.direction(a, b, begin_s).queue
            if queue is not None:
                held = {"kind": queue.kind, "limit": queue.packets, "bytes": queue.bytes}
                queues.append({"from": number[a], "to": number[b], **held})
            if (port := link.port(a)) is not None:
                ports.append({"at": number[a], "peer": number[b], "ring": port.rx_ring})
    hosts = [{"name": name, "x": round(x, 3), "y": round(y, 3)} for name, (x, y) in places.items()]
    hosts.sort(key=lambda host: number[str(host["name"])])
    return {"hosts": hosts, "links": links, "queues": queues, "ports": ports}


def _now(found: Journeys, link: Link, at_s: float) -> Link:
    """A link as it was then."""
    if not found.result.experiment.changes:
        return link
    direction = found.accounts.causes.direction
    return link.replace(forward=direction(link.a, link.b, at_s), backward=direction(link.b, link.a, at_s))


def _said(a: str, b: str, there: list[str], back: list[str]) -> list[str]:
    both = [part for part in there if part in back]
    lines = [" · ".join(both)] if both else []
    for names, own in (((a, b), there), ((b, a), back)):
        if rest := [part for part in own if part not in both]:
            lines.append(f"{names[0]} → {names[1]}: {' · '.join(rest)}")
    return lines


def _stretched(network: Topology) -> dict[str, tuple[float, float]]:
    """Places of hosts; in a chain of columns a link that takes time gets more room than one that does not."""
    places = {name: (x, -y) for name, (x, y) in positions(network).items()}
    columns = sorted({round(x, 6) for x, _ in places.values()})
    wide = dict.fromkeys(pairwise(columns), False)
    for link in network.links:
        xs = tuple(sorted(round(places[name][0], 6) for name in (link.a, link.b)))
        if xs in wide and max(link.forward.delay, link.backward.delay) > 0:
            wide[xs] = True
    if all(wide.values()) or not any(wide.values()):
        return places
    at, moved = columns[0], {columns[0]: columns[0]}
    for (left, right), longer in wide.items():
        at += (right - left) * (_LONG if longer else 1)
        moved[right] = at
    return {name: (moved[round(x, 6)], y) for name, (x, y) in places.items()}
