"""What must hold between the parts of an experiment. Each check yields faults, none stops at the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from typing import Protocol

from labkit.schema.base import FaultsError, Loc
from labkit.spec import custom_cc, ways
from labkit.spec.capture import Capture
from labkit.spec.change import Change, Command, LinkChange, NicChange, SysctlChange
from labkit.spec.link import Link
from labkit.spec.queue import Queue
from labkit.spec.topology import Topology
from labkit.traffic.kind import LAB_CONGESTION_CONTROLS, Fault, Surroundings, Traffic
from labkit.traffic.server import Server
from labkit.traffic.tunnel import Tunnel

MAX_FLOWS = 4000
MOST_STEPS = 100_000
"""Changes of rates that traces make in a run, all together."""


class Parts(Protocol):
    """The parts of an experiment that must go together: see spec.Experiment."""

    @property
    def topology(self) -> Topology: ...
    @property
    def flows(self) -> tuple[Traffic, ...]: ...
    @property
    def changes(self) -> tuple[LinkChange | SysctlChange, ...]: ...
    @property
    def commands(self) -> tuple[Command, ...]: ...
    @property
    def servers(self) -> tuple[Server, ...]: ...
    @property
    def capture(self) -> tuple[Capture, ...]: ...
    @property
    def modules(self) -> tuple[str, ...]: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def time_limit(self) -> float: ...
    @property
    def end(self) -> float: ...


def faults(exp: Parts) -> list[Fault]:
    """All that is wrong between the parts of an experiment."""
    return [
        *_flows(exp),
        *_names(exp),
        *_servers(exp),
        *_misfits(exp),
        *_times(exp),
        *_changes(exp),
        *_traces(exp),
        *_classes(exp),
        *_hosts(exp),
        *_captures(exp),
    ]


def timeline(exp: Parts) -> list[tuple[LinkChange, Link]]:
    """Changes of links in order of time, each with the link's whole state after it. Raises SpecError."""
    now = {link.ends: link for link in exp.topology.links}
    states: list[tuple[LinkChange, Link]] = []
    for i, change in sorted(enumerate(exp.changes), key=lambda item: item[1].at):
        if isinstance(change, Change | NicChange):
            try:
                now[change.ends] = change.apply(now[change.ends])
            except FaultsError as fault:
                raise fault.under("changes", i) from None
            states.append((change, now[change.ends]))
    return states


def cc_names(modules: tuple[str, ...]) -> list[str]:
    """The congestion controls that may be asked for: the kernel's and those of the modules.

    A module "dir/tcp_mine.ko" or "mine.c" may register itself as tcp_mine or as mine, "lp_exp" as exp. Those
    of one's own (%%cc) are there without being named.
    """
    stems = [PurePath(module).stem for module in modules]
    bare = [stem.removeprefix("tcp_").removeprefix("lp_") for stem in stems]
    return list(dict.fromkeys([*LAB_CONGESTION_CONTROLS, *custom_cc.names(), *stems, *bare]))


def _flows(exp: Parts) -> Iterator[Fault]:
    """Flows join hosts between which there is a path."""
    if len(exp.flows) > MAX_FLOWS:
        yield ("flows",), f": {len(exp.flows)} of them: at most {MAX_FLOWS} are possible"
    awaited = any(flow.awaited() for flow in exp.flows)
    if not (awaited or exp.commands or exp.duration is not None):
        yield (), 'duration: missing: no flow or command ends the run: write duration="10s"'
    if not exp.flows:
        return
    part = _parts(exp)
    for i, flow in enumerate(exp.flows):
        strangers = [end for end in ("src", "dst") if not exp.topology.is_host(getattr(flow, end))]
        for end in strangers:
            name = getattr(flow, end)
            yield ("flows", i, end), f"={name!r}: {exp.topology.no_host(name)}"
        if not strangers and part[flow.src] != part[flow.dst]:
            fix = "add a link" + (", or a router between their VLANs" if exp.topology.switches else "")
            text = f": no path from {flow.src!r} to {flow.dst!r}: {fix}"
            yield ("flows", i), text


def _parts(exp: Parts) -> dict[str, int]:
    """For each host the number of the connected part of the network it is in.

    Not with Topology.graph(): loading networkx takes longer than a run.
    """
    part: dict[str, int] = {}
    for number, first in enumerate(filter(exp.topology.is_host, exp.topology.names)):
        reached = [first] if first not in part else []
        while reached:
            part[host := reached.pop()] = number
            reached += [name for name in exp.topology.peers(host) if name not in part]
    return part


def _names(exp: Parts) -> Iterator[Fault]:
    seen: set[str | None] = set()
    for i, flow in enumerate(exp.flows):
        if flow.name in seen:
            yield ("flows", i, "name"), f"={flow.name!r}: a second flow of that name: give it another"
        seen.add(flow.name)


def _servers(exp: Parts) -> Iterator[Fault]:
    """Servers are of hosts that exist, each port once."""
    known: set[tuple[str, int]] = set()
    for i, server in enumerate(exp.servers):
        if not exp.topology.is_host(server.host):
            yield ("servers", i, "host"), f"={server.host!r}: {exp.topology.no_host(server.host)}"
        if (server.host, server.port) in known:
            yield ("servers", i, "port"), f"={server.port}: {server.host} has it already: give it another"
        known.add((server.host, server.port))


def _misfits(exp: Parts) -> Iterator[Fault]:
    """What each kind of traffic refers to is there."""
    servers = {(server.host, server.port) for server in exp.servers}
    tunnels = {flow.name: frozenset((flow.src, flow.dst)) for flow in exp.flows if isinstance(flow, Tunnel)}
    named = {name: ends for name, ends in tunnels.items() if name is not None}
    around = Surroundings(cc_names(exp.modules), servers, partial(ways.slowest, exp.topology), named)
    for i, flow in enumerate(exp.flows):
        for loc, text in flow.misfits(around):
            yield ("flows", i, *loc), text


def _times(exp: Parts) -> Iterator[Fault]:
    """Nothing is to happen after the end."""
    if exp.duration is not None and exp.duration > exp.time_limit:
        yield ("duration",), f"={exp.duration}: more than time_limit ({exp.time_limit}): raise the limit"
    limit = "duration" if exp.duration is not None else "time_limit"
    for part, field in (("flows", "start"), ("changes", "at"), ("commands", "at")):
        for i, item in enumerate(getattr(exp, part)):
            if (time := getattr(item, field)) > exp.end:
                text = f"={time}: after the end: raise {limit} ({exp.end}) or start earlier"
                yield (part, i, field), text


def _changes(exp: Parts) -> Iterator[Fault]:
    """Changes name links that exist, and leave them in a state that makes sense."""
    links = {link.ends for link in exp.topology.links}
    strangers = [
        (i, change)
        for i, change in enumerate(exp.changes)
        if isinstance(change, Change | NicChange) and change.ends not in links
    ]
    for i, change in strangers:
        field, two = ("link", change.link) if isinstance(change, Change) else ("peer", change.peer)
        yield ("changes", i, field), f"={two!r}: {exp.topology.no_link()}"
    if not strangers:
        try:
            timeline(exp)
        except FaultsError as fault:
            yield from fault.faults


def _traces(exp: Parts) -> Iterator[Fault]:
    """A run has not too many steps of traces."""
    ways = [way for link in exp.topology.links for way in (link.forward, link.backward)]
    number = sum(way.trace.number(exp.end) for way in ways if way.trace is not None)
    if number > MOST_STEPS:
        end = "time_limit" if exp.duration is None else "duration"
        text = f"={exp.end}: until then traces change rates {number:,} times, {MOST_STEPS:,} at most"
        yield (end,), f'{text}: write a shorter one, such as {end}="60s", or longer bins'


def _classes(exp: Parts) -> Iterator[Fault]:
    """Classes of queues name hosts that exist, and marks that are still there."""
    degree = Counter(host for link in exp.topology.links for host in link.ends)
    ways: list[tuple[Loc, str, Queue | None]] = [
        (("topology", "links", i, way), src, getattr(link, way).queue)
        for i, link in enumerate(exp.topology.links)
        for way, src in (("forward", link.a), ("backward", link.b))
    ]
    for i, change in enumerate(exp.changes):
        if isinstance(change, Change):
            one_way = {"forward": change.link[:1], "backward": change.link[1:]}
            sources = one_way.get(change.direction, change.link)
            ways += [(("changes", i), src, change.set.get("queue")) for src in sources]
    for where, src, queue in ways:
        for j, one in enumerate(queue.classes if queue is not None else ()):
            for k, match in enumerate(one.match):
                at = (*where, "queue", "classes", j, "match", k)
                for end in ("src", "dst"):
                    name = getattr(match, end)
                    if name is not None and not exp.topology.is_host(name):
                        yield (*at, end), f"={name!r}: {exp.topology.no_host(name)}"
                if match.mark is not None and degree[src] == 1:
                    why = f"{src} has one link, so its queue is in the wire, where marks are gone"
                    fix = "put the queue on a router, or match hosts and ports"
                    yield (*at, "mark"), f"={match.mark}: {why}: {fix}"


def _hosts(exp: Parts) -> Iterator[Fault]:
    """Commands and sysctl changes name hosts that exist; a command may be a switch's."""
    sysctls = [(i, c) for i, c in enumerate(exp.changes) if isinstance(c, SysctlChange)]
    strangers = [("changes", i, c.host) for i, c in sysctls if not exp.topology.is_host(c.host)]
    strangers += [("commands", i, c.host) for i, c in enumerate(exp.commands) if c.host not in exp.topology]
    for part, i, name in strangers:
        yield (part, i, "host"), f"={name!r}: {exp.topology.no_host(name)}"


def _captures(exp: Parts) -> Iterator[Fault]:
    """Captures name interfaces that exist, each of them once."""
    seen: set[tuple[str, str]] = set()
    for i, capture in enumerate(exp.capture):
        if capture.host not in exp.topology:
            yield ("capture", i, "host"), f"={capture.host!r}: {exp.topology.no_host(capture.host)}"
            continue
        degree = sum(capture.host in link.ends for link in exp.topology.links)
        known = [f"eth{number}" for number in range(degree)]
        if capture.interface is not None and capture.interface not in known:
            there = ", ".join(known) or "none"
            yield ("capture", i, "interface"), f"={capture.interface!r}: {capture.host} has {there}"
        mine = {(capture.host, name) for name in known if capture.interface in (None, name)}
        if twice := sorted(mine & seen):
            yield ("capture", i), f": {'.'.join(twice[0])} is captured already: name it once"
        seen |= mine
