"""Hosts and the links between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, StrictStr, model_validator

from labkit.schema.base import ADDED, FaultsError, Loc, Spec, did_you_mean, read_by
from labkit.spec.link import Link
from labkit.spec.names import node_name
from labkit.spec.route_attributes import Routes
from labkit.spec.segments import Segment, faults_of_switches, segments_of
from labkit.spec.switch import Switch
from labkit.spec.sysctl import HostSysctls

if TYPE_CHECKING:
    import networkx as nx

MAX_HOSTS = 1000


def _as_routes(value: Any) -> Routes:
    return Routes.model_validate(value)


class Host(Spec, init=False):
    """A host or router by name, with its own sysctls, e.g. {"net.ipv4.tcp_sack": 0}, and what its routes say
    of connections, e.g. {"quickack": 1}: see Routes."""

    _positional: ClassVar = ("name", "sysctls")
    name: Annotated[StrictStr, AfterValidator(node_name)]
    sysctls: HostSysctls = Field(default_factory=dict, validate_default=True)
    routes: Annotated[Annotated[Routes, read_by(_as_routes)] | None, ADDED] = None


def _as_host(value: Any) -> Host | Switch:
    if isinstance(value, Switch) or (isinstance(value, Mapping) and value.get("kind") == "switch"):
        return Switch.model_validate(value)
    return Host(value) if isinstance(value, str) else Host.model_validate(value)


def _as_link(value: Any) -> Link:
    return Link.model_validate(value)


class Topology(Spec, init=False):
    """Hosts (names will do), switches among them, and at most one link between any two of them."""

    _positional: ClassVar = ("hosts", "links")
    hosts: tuple[Annotated[Host | Switch, read_by(_as_host)], ...]
    links: tuple[Annotated[Link, read_by(_as_link)], ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Topology:
        faults: list[tuple[Loc, str]] = []
        if not 1 <= len(self.hosts) <= MAX_HOSTS:
            faults.append((("hosts",), f": {len(self.hosts)} of them: 1 to {MAX_HOSTS} are possible"))
        seen: set[str] = set()
        for i, host in enumerate(self.hosts):
            if host.name in seen:
                faults.append((("hosts", i), f": second host named {host.name!r}: give it another name"))
            seen.add(host.name)
        joined: set[frozenset[str]] = set()
        for i, link in enumerate(self.links):
            for end in ("a", "b"):
                if (name := getattr(link, end)) not in seen:
                    faults.append((("links", i, end), f"={name!r}: {self.no_host(name)}"))
            if link.ends in joined:
                text = f": second link between {link.a!r} and {link.b!r}: put a router in between"
                faults.append((("links", i), text))
            joined.add(link.ends)
        if faults := faults or list(faults_of_switches(self)):
            raise FaultsError(faults)
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts' names, in order; those of switches, too."""
        return tuple(host.name for host in self.hosts)

    @cached_property
    def _by_name(self) -> dict[str, Host | Switch]:
        return {host.name: host for host in self.hosts}

    @property
    def switches(self) -> dict[str, Switch]:
        """By their names, in order."""
        return self._switches

    @cached_property
    def _switches(self) -> dict[str, Switch]:
        return {host.name: host for host in self.hosts if isinstance(host, Switch)}

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The hosts that reach one another without a router, a subnet each: see labkit.spec.segments."""
        return self._segments

    @cached_property
    def _segments(self) -> tuple[Segment, ...]:
        return segments_of(self)

    @cached_property
    def _by_ends(self) -> dict[frozenset[str], Link]:
        return {link.ends: link for link in self.links}

    def neighbours(self, host: str) -> list[str]:
        """Those at the other ends of a host's links, in the order of the links."""
        return self._neighbours[host]

    @cached_property
    def _neighbours(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for link in self.links:
            found[link.a].append(link.b)
            found[link.b].append(link.a)
        return found

    def segments_at(self, host: str) -> list[Segment]:
        """Those that a host is in, in the order of its links."""
        return self._segments_at[host]

    @cached_property
    def _segments_at(self) -> dict[str, list[Segment]]:
        of = {end: segment for segment in self.segments for end in segment.ends}
        return {
            name: [of[name, peer] for peer in self.neighbours(name)]
            for name in self.names
            if self.is_host(name)
        }

    def peers(self, host: str) -> list[str]:
        """The hosts that a host reaches without a router, in the order of its links."""
        return [peer for segment in self.segments_at(host) for peer in segment.hosts if peer != host]

    def is_host(self, name: str) -> bool:
        """Is there a host of that name, and not a switch?"""
        return name in self._by_name and name not in self.switches

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def host(self, name: str) -> Host:
        """The host of that name. Raises SpecError if there is none, or if it is a switch."""
        node = self.node(name)
        if isinstance(node, Switch):
            raise FaultsError([((), f"host {name!r}: {self.no_host(name)}")])
        return node

    def node(self, name: str) -> Host | Switch:
        """The host or switch of that name. Raises SpecError if there is none."""
        if name not in self._by_name:
            raise FaultsError([((), f"host {name!r}: {self.no_host(name)}")])
        return self._by_name[name]

    def link(self, a: str, b: str) -> Link:
        """The link between two hosts, named in either order. Raises SpecError if there is none."""
        found = self._by_ends.get(frozenset((a, b)))
        if found is None:
            raise FaultsError([((), f"link {a!r}, {b!r}: {self.no_link()}")])
        return found

    def no_host(self, name: str) -> str:
        """What to say about a name that is no host."""
        if name in self.switches:
            return "is a switch, which has neither address nor TCP: name one of its hosts"
        listed = ", ".join(self.names[:20]) + (", ..." if len(self.names) > 20 else "")
        return f"no such host{did_you_mean(name, list(self.names))}: hosts are {listed}"

    def no_link(self) -> str:
        """What to say about two names that no link joins."""
        listed = ", ".join(f"{link.a}-{link.b}" for link in self.links[:20]) or "none"
        return f"no such link: links are {listed}" + (", ..." if len(self.links) > 20 else "")

    def with_sysctls(self, hosts: str | Iterable[str], sysctls: Mapping[str, int | str]) -> Topology:
        """The same network with these sysctls on one or several hosts. Raises SpecError."""
        return self._with(hosts, lambda host: host.replace(sysctls={**host.sysctls, **sysctls}))

    def with_routes(self, hosts: str | Iterable[str], **attributes: Any) -> Topology:
        """The same network with these attributes (see Routes) of all routes of one or several hosts. Raises
        SpecError."""
        return self._with(
            hosts, lambda host: host.replace(routes=(host.routes or Routes()).replace(**attributes))
        )

    def _with(self, hosts: str | Iterable[str], changed: Callable[[Host], Host]) -> Topology:
        chosen = {hosts} if isinstance(hosts, str) else set(hosts)
        new = {name: changed(self.host(name)) for name in sorted(chosen)}
        return self.replace(hosts=[new.get(host.name, host) for host in self.hosts])

    def graph(self) -> nx.Graph[str]:
        """The network as an undirected graph; each edge carries its `link`."""
        import networkx as nx  # not at the top: it takes longer to load than a run does

        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from((link.a, link.b, {"link": link}) for link in self.links)
        return graph
