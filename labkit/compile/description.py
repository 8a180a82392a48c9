"""A layout as plain values, for the manifest, and read from there: whoever looks at an old result sees the
network as it was built, whatever a newer labkit would build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labkit.compile.class_tree import class_names
from labkit.compile.layout import DirectedPath, Interface, Layout, routes
from labkit.spec import Link

Plain = dict[str, Any]


def describe(layout: Layout, flows: list[Plain], commands: list[Plain], states: Iterable[Link] = ()) -> Plain:
    """Names and numbers: hosts with their addresses and routes, devices with the classes of their queues,
    ways, flows, commands. states: of links after each change, in order."""
    return {
        "namespaces": list(layout.namespaces),
        "hosts": {name: _host(layout, name) for name in layout.topology.names},
        "flows": flows,
        "interfaces": _interfaces(layout, class_names(layout, states)),
        "ways": [_way(way) for way in layout.ways.values()],
        "commands": commands,
    }


def _host(layout: Layout, name: str) -> Plain:
    return {
        "ns": layout.ns(name),
        "address": layout.addresses.get(name),
        "addresses": {peer: at for (host, peer), at in layout.link_addresses.items() if host == name},
        "routes": [list(route) for route in routes(layout, name)],
        **({"forwards": _forwards(layout, name)} if name in layout.bridges else {}),
    }


def _forwards(layout: Layout, switch: str) -> dict[str, str]:
    """Address -> the neighbour to which a switch sends what is for its host, once it knows where that is."""
    found: dict[str, str] = {}
    for segment in layout.topology.segments:
        onward = segment.toward(switch)
        for host, peer in segment.ends if onward else ():
            found[layout.link_addresses[host, peer]] = onward[host]
    return found


def _interfaces(layout: Layout, classes: Mapping[int, Plain]) -> list[Plain]:
    queues = {way.queue.index: way for way in layout.ways.values()}
    return [
        {
            "index": i.index,
            "ns": i.ns,
            "name": i.name,
            "mac": i.mac,
            "host": i.host,
            "peer": i.peer,
            "role": i.role if i.role in ("host", "bridge") else "wire",
            "queue": i.index in queues,
            "from": queues[i.index].out.host if i.index in queues else i.host,
            "to": queues[i.index].into.host if i.index in queues else i.peer,
            **({"classes": classes[i.index]} if i.index in classes else {}),
        }
        for ends in (*layout.interfaces.values(), layout.bridges.values())
        for i in ends
    ]


def _way(way: DirectedPath) -> Plain:
    """Its devices by their index: see layout.DirectedPath."""
    return {
        "out": way.out.index,
        "into": way.into.index,
        "enter": way.enter and way.enter.index,
        "mid": [device.index for device in way.mid or ()],
        "leave": way.leave and way.leave.index,
        "queue": way.queue.index,
        "detach": way.detach,
    }


@dataclass(frozen=True)
class Described:
    """A layout as its manifest has it.

    devices: by index; ways: (from, to) -> DirectedPath; addresses: (host, peer) -> address; routes: host ->
    (destination, gateway) pairs; forwards: switch -> address -> neighbour.
    """

    devices: dict[int, Interface]
    ways: dict[tuple[str, str], DirectedPath]
    addresses: dict[tuple[str, str], str]
    routes: dict[str, list[tuple[str, str]]]
    forwards: dict[str, dict[str, str]]

    @property
    def hosts(self) -> list[str]:
        """Their names, in order."""
        return list(self.routes)


def read(plain: Mapping[str, Any]) -> Described:
    """What `describe` wrote. Raises KeyError if it is none of this version."""
    fields = ("index", "ns", "name", "mac", "host", "peer", "role")
    devices = {i["index"]: Interface(**{name: i[name] for name in fields}) for i in plain["interfaces"]}
    ways = [_read_way(devices, way) for way in plain["ways"]]
    hosts = plain["hosts"]
    return Described(
        devices,
        {(way.out.host, way.into.host): way for way in ways},
        {(host, peer): at for host, facts in hosts.items() for peer, at in facts["addresses"].items()},
        {host: [(to, via) for to, via in facts["routes"]] for host, facts in hosts.items()},
        {host: facts["forwards"] for host, facts in hosts.items() if "forwards" in facts},
    )


def _read_way(devices: Mapping[int, Interface], plain: Mapping[str, Any]) -> DirectedPath:
    enter, leave = (plain[name] and devices[plain[name]] for name in ("enter", "leave"))
    mid = tuple(devices[index] for index in plain["mid"])
    return DirectedPath(
        devices[plain["out"]],
        devices[plain["into"]],
        enter,
        (mid[0], mid[1]) if mid else None,
        leave,
        devices[plain["queue"]],
        plain["detach"],
    )
