"""An experiment: a network, what flows over it, what happens to it, and when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    Field,
    SerializeAsAny,
    StrictBool,
    StrictStr,
    field_serializer,
    model_validator,
)

from labkit import probes as known_probes
from labkit.program.structs import (
    LIMIT_DEFAULT_CAPTURE,
    LIMIT_DEFAULT_OUTPUT,
    LIMIT_DEFAULT_RAW,
    LIMIT_DEFAULT_TRACE,
)
from labkit.schema.base import ADDED, FaultsError, added, did_you_mean, read_by
from labkit.schema.files import FileSpec
from labkit.spec import checks, custom_cc
from labkit.spec.capture import Capture, as_capture
from labkit.spec.change import AnyChange, Command, LinkChange
from labkit.spec.command_files import CommandFiles
from labkit.spec.link import Link
from labkit.spec.module_parameters import ModuleParameters
from labkit.spec.sysctl import Sysctls, SysctlValue, is_kernel_wide
from labkit.spec.topology import Topology
from labkit.traffic import as_traffic
from labkit.traffic.kind import Traffic
from labkit.traffic.server import Server
from labkit.units import Duration, Integer, Size

ALL_PROBES: frozenset[str] = known_probes.ALL
DEFAULT_PROBES: frozenset[str] = known_probes.DEFAULT
MOST_MEMORY = 2**36
"""Bytes. A guest with more is slow to start: its kernel writes 64 bytes for each page of 4 KiB."""
SHORTEST_SAMPLE_S = 1e-6
"""What the agent's clock can keep up with."""


def _probe(name: str) -> str:
    known = list(known_probes.KINDS)
    if name not in known:
        hint = did_you_mean(name, known) or f": there are {', '.join(known)}"
        raise FaultsError([((), f"={name!r}: no such probe{hint}")])
    return name


Probe = Annotated[StrictStr, AfterValidator(_probe)]


def _as_topology(value: Any) -> Topology:
    return Topology.model_validate(value)


def _as_server(value: Any) -> Server:
    return Server.model_validate(value)


def _as_command(value: Any) -> Command:
    return Command.model_validate(value)


def _named(flows: tuple[Traffic, ...]) -> tuple[Traffic, ...]:
    """Each flow with a name: "src-dst", then "src-dst#2" and so on."""
    taken = {flow.name for flow in flows if flow.name is not None}
    numbers: dict[str, int] = {}
    named: list[Traffic] = []
    for flow in flows:
        if flow.name is None:
            base = name = f"{flow.src}-{flow.dst}"
            number = numbers.get(base, 1)
            while name in taken:
                number += 1
                name = f"{base}#{number}"
            numbers[base] = number
            taken.add(name)
            flow = flow.replace(name=name)
        named.append(flow)
    return tuple(named)


class Experiment(FileSpec, init=False):
    """All that decides a run. Times are virtual seconds but for wall_limit.

    duration: the end; None: when every flow and command has ended. time_limit, wall_limit: the run is stopped
    there. sysctls: for every host (a host's own win) and for the kernel. modules: congestion-control modules
    to load, by path or name; those written with %%cc are loaded when a flow names them. module_parameters:
    set before anything starts, as {"tcp_cubic.hystart": 0}: a module's name in the kernel (of %%cc mine:
    own_mine), and its parameter's, as below /sys/module. memory: of the guest, in bytes; None leaves it to
    the place. servers: ports that several flows share. files: folders and files of yours that commands see,
    read-only: {"/data": "path/to/folder"}. seed: of every random number in the run.

    Of one instant the changes come first, in their order; then commands run until each has ended or waits
    for something; then traffic begins, still at that instant. So a firewall or a route that a command sets up
    at 0 s is there for a flow's very first packet. Commands of one instant run side by side: what has to come
    in order is one command ("a && b").

    probes: what is measured, by the names in labkit.probes, which says what each tells. "tcp_info" and
    "backlog" look at senders and queues each sample_interval; the others keep every event.
    capture: whose packets are kept. Neither changes what is measured; in the lab, a Result gets what
    it lacks by running again.

    output_limit, capture_limit, trace_limit, raw_limit: a run that writes more bytes ends there, at the same
    place each time: what each command prints, what is kept of each interface's packets (and of those that
    the probe "drops" tells of), what all traces of events take, and all of it together.

    timed: durations here mean themselves (a call of a minute, a film, the first ten seconds): `make claims`,
    which looks whether what is said of a run holds when it is two and four times as long, leaves them.
    """

    _positional: ClassVar = ("topology",)
    version: Literal[1] = 1
    topology: Annotated[Topology, read_by(_as_topology)]
    flows: tuple[Annotated[SerializeAsAny[Traffic], read_by(as_traffic)], ...] = ()
    changes: tuple[AnyChange, ...] = ()
    commands: tuple[Annotated[Command, read_by(_as_command)], ...] = ()
    servers: Annotated[tuple[Annotated[Server, read_by(_as_server)], ...], ADDED] = ()
    files: Annotated[CommandFiles, ADDED] = Field(default_factory=dict, validate_default=True)
    seed: Annotated[Integer, Field(ge=0, le=2**63 - 1)] = 1
    duration: Annotated[Duration, Field(gt=0)] | None = None
    time_limit: Annotated[Duration, Field(gt=0)] = 3600.0
    wall_limit: Annotated[Duration, Field(gt=0)] = 600.0
    sysctls: Sysctls = Field(default_factory=dict, validate_default=True)
    modules: tuple[Annotated[StrictStr, Field(min_length=1)], ...] = ()
    module_parameters: Annotated[ModuleParameters, ADDED] = Field(default_factory=dict, validate_default=True)
    memory: Annotated[Size, Field(le=MOST_MEMORY)] | None = None
    probes: frozenset[Probe] = DEFAULT_PROBES
    capture: tuple[Annotated[Capture, read_by(as_capture)], ...] = ()
    sample_interval: Annotated[Duration, Field(ge=SHORTEST_SAMPLE_S)] = 0.1
    output_limit: Annotated[Size, added(LIMIT_DEFAULT_OUTPUT)] = LIMIT_DEFAULT_OUTPUT
    capture_limit: Annotated[Size, added(LIMIT_DEFAULT_CAPTURE)] = LIMIT_DEFAULT_CAPTURE
    trace_limit: Annotated[Size, added(LIMIT_DEFAULT_TRACE)] = LIMIT_DEFAULT_TRACE
    raw_limit: Annotated[Size, added(LIMIT_DEFAULT_RAW)] = LIMIT_DEFAULT_RAW
    timed: Annotated[StrictBool, ADDED] = False
    shaken: Annotated[Integer, Field(ge=0), ADDED] = 0

    @model_validator(mode="after")
    def _check(self) -> Experiment:
        self._default("flows", _named(self.flows))
        ccs = (flow.sockets().cc for flow in self.flows)
        self._default("modules", custom_cc.modules_for(ccs, self.modules))
        if faults := checks.faults(self):
            raise FaultsError(faults)
        return self

    @field_serializer("probes")
    def _sorted(self, probes: Iterable[str]) -> list[str]:
        return sorted(probes)

    @property
    def end(self) -> float:
        """The virtual time (s) after which nothing happens: the duration or else the limit."""
        return self.time_limit if self.duration is None else self.duration

    def host_sysctls(self, name: str) -> dict[str, SysctlValue]:
        """What is set on one host: the experiment's per-host sysctls, overridden by its own; on a switch
        nothing."""
        if not self.topology.is_host(name):
            return {}
        common = {key: v for key, v in self.sysctls.items() if not is_kernel_wide(key)}
        return common | self.topology.host(name).sysctls

    def kernel_sysctls(self) -> dict[str, SysctlValue]:
        """What is set once for the whole kernel."""
        return {key: v for key, v in self.sysctls.items() if is_kernel_wide(key)}

    def timeline(self) -> list[tuple[LinkChange, Link]]:
        """Every change of a link in order of time, with the whole state of the link after it."""
        return checks.timeline(self)
