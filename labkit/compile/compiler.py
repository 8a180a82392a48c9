"""An experiment becomes a lab program and a plan: what the bytes mean, for whoever reads the results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from labkit import units
from labkit.compile import addresses, captures, class_tree, links, measuring, switches, traces, tunnels
from labkit.compile.description import describe
from labkit.compile.layout import FIRST_DPORT, FIRST_SPORT, WIRES, Layout, lay_out, routes
from labkit.compile.steps import ChainStep, Step, Steps, wire_seed
from labkit.compile.target import Target
from labkit.errors import SpecError
from labkit.netlink import labnic
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.records import texts
from labkit.program.structs import EXEC_PRIVILEGED, EXEC_TERMINAL, LAB_AT_SETUP, PROGRAM_MORE, Op
from labkit.spec import Command, Experiment, Link, Switch, SysctlChange, ways
from labkit.traffic.kind import Context, Traffic
from labkit.traffic.tunnel import Tunnel

_JITTER = 4  # netem's tables of distributions end there
OWN_KERNEL = Target()
MOST_ROUTES = 100_000  # of all hosts together: more take minutes to set up, and memory that a guest has not

KERNEL_DEFAULTS: dict[str, int | str] = {
    "net.core.netdev_max_backlog": 1_000_000,
    "net.core.rmem_max": 1 << 30,
    "net.core.wmem_max": 1 << 30,
    "net.ipv4.tcp_mem": "1048576 1572864 2097152",
    "net.ipv4.udp_mem": "1048576 1572864 2097152",
}
"""Whatever the guest's memory: socket buffers are what a flow asks for, and TCP as a whole is never
short (pages of 4 KiB: 4, 6 and 8 GiB). A link without a rate delivers a whole window at one instant: the
backlog of arrived packets, Linux's guard against a slow processor, must not drop it. To see that, set it."""

HOST_DEFAULTS: dict[str, int | str] = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
    "net.ipv4.tcp_no_metrics_save": 1,
}
"""Of every host: Linux's own buffers on a machine with plenty of memory; no memory of past flows."""


@dataclass(frozen=True)
class Compiled:
    """A lab program with what is needed to understand its results.

    program: bytes; layout: names and numbers, JSON; why: what each record is for; sysctls: name ->
    value as set before any of the experiment's own; modules: files to lay into the run folder.
    """

    program: bytes
    layout: dict[str, Any]
    why: list[str]
    sysctls: dict[str, int | str]
    modules: tuple[str, ...]
    buffers_kb: int


def compile_experiment(
    exp: Experiment, target: Target = OWN_KERNEL, *, interactive: bool = False, terminal: int | None = None
) -> Compiled:
    """exp as bytes. target: what is known of where they will run. interactive: links may change later, more
    follows. terminal: the number of the command that gets the agent's own terminal."""
    exp = target.offered(exp)
    layout = lay_out(exp, all_wires=interactive and target.wires, slack_s=target.slack_s)
    program = Program(flags=PROGRAM_MORE if interactive else 0)
    sysctls = dict(KERNEL_DEFAULTS) if target.own_kernel else {}
    sysctls |= exp.kernel_sysctls()
    modules = needed_modules(exp, target)
    for i, module in enumerate(modules):
        program.add(Op.MODULE, texts(f"module{i}.ko"), f"module {module}")
    for name, value in exp.module_parameters.items():
        path = name.replace(".", "/parameters/")
        program.add(Op.PARAMETER, texts(path, str(value)), f"module parameter {name}")
    for place, name in shown_names(exp).items():
        program.add(Op.SHOW, texts(name, place), f"files {place}")
    for name, value in sysctls.items():
        program.sysctl(name, value, f"sysctl {name}")
    captures.add_drops(program, exp)
    _namespaces(program, exp, layout, target)
    for step in [step for link in exp.topology.links for step in links.build(layout, link, exp.seed)]:
        step.put(program, LAB_AT_SETUP)
    _addresses(program, layout)
    program.add(Op.SEED, hashlib.sha256(f"labkit {exp.seed}".encode()).digest(), "seed")
    trace_kb = measuring.add(program, exp, layout, more=interactive, host=not target.own_kernel)
    ring_kb = captures.add_captures(program, exp, layout)
    _changes(program, exp, layout)
    traces.add(program, exp, layout)
    _servers(program, exp, layout)
    longest = longest_s(exp.topology.links, (link for _, link in exp.timeline()))
    known = tunnels.by_name(enumerate(exp.flows))
    flows = [
        add_traffic(program, layout, exp.seed, i, flow, longest, known) for i, flow in enumerate(exp.flows)
    ]
    commands = [
        add_command(program, layout, i, command, flags=EXEC_TERMINAL if i == terminal else 0)
        for i, command in enumerate(exp.commands)
    ]
    duration = 0 if exp.duration is None else units.ns(exp.duration)
    if interactive:
        duration = duration or 1
    _limits(program, exp)
    body = program.end(duration_ns=duration, limit_ns=units.ns(exp.time_limit))
    described = describe(layout, flows, commands, [link for _, link in exp.timeline()])
    return Compiled(body, described, program.why, sysctls | HOST_DEFAULTS, modules, trace_kb + ring_kb)


def _limits(program: Program, exp: Experiment) -> None:
    """At the end, since results name records by their numbers; nothing where limits are the agent's own, so
    that a program's bytes are as before there were any."""
    limits = exp.raw_limit, exp.output_limit, exp.capture_limit, exp.trace_limit
    if limits != records.DEFAULT_LIMITS:
        program.add(Op.LIMITS, records.limits(*limits), "limits of what is written")


def shown_names(exp: Experiment) -> dict[str, str]:
    """Where commands see each of the experiment's files -> its name in the run folder."""
    return {place: f"shown{i}" for i, place in enumerate(exp.files)}


def needed_modules(exp: Experiment, target: Target = OWN_KERNEL) -> tuple[str, ...]:
    """Those of the experiment, the teaching NIC's if a link has ports, and what queues need of the kernel's
    own: a machine's kernel loads that itself."""
    states = [*exp.topology.links, *(link for _, link in exp.timeline())]
    known = [labnic.KIND] if any(link.nic_a is not None for link in states) else []
    known += class_tree.modules(states) if target.own_kernel else []
    return (*known, *(name for name in exp.modules if name not in known))


def _namespaces(program: Program, exp: Experiment, layout: Layout, target: Target) -> None:
    for index, name in enumerate(layout.namespaces):
        program.netns(index, name)
        if name == WIRES:
            continue
        settings: dict[str, int | str] = dict(HOST_DEFAULTS) if exp.topology.is_host(name) else {}
        if settings and len(layout.interfaces[name]) > 1:
            settings["net.ipv4.ip_forward"] = 1
        if target.ipv6:
            settings |= {"net.ipv6.conf.all.disable_ipv6": 1, "net.ipv6.conf.default.disable_ipv6": 1}
        settings |= exp.host_sysctls(name)
        for key, value in settings.items():
            if not _per_interface(key):
                program.sysctl(key, value, f"sysctl {key} of {name}", ns=index)


def _per_interface(name: str) -> bool:
    """Sysctls of an interface exist once it does."""
    return ".conf.eth" in name or ".neigh.eth" in name


def _addresses(program: Program, layout: Layout) -> None:
    names = "".join(f"{address}\t{host}\n" for host, address in layout.addresses.items())
    program.add(Op.HOSTS, f"127.0.0.1\tlocalhost\n{names}".encode(), "host names")
    ways = {host: routes(layout, host) for host in layout.topology.names}
    if (number := sum(map(len, ways.values()))) > MOST_ROUTES:
        text = f"topology: its routers need {number:,} routes, at most {MOST_ROUTES:,} are possible"
        raise SpecError(
            f"{text}: take fewer routers, or number the links so that near ones follow each other"
        )
    for node in layout.topology.hosts:
        host = node.name
        if isinstance(node, Switch):
            program.netlink(switches.messages(layout, node), f"switch {host}", ns=layout.ns(host))
        else:
            messages = addresses.messages(layout, node, ways[host])
            program.netlink(messages, f"addresses of {host}", ns=layout.ns(host))
        for interface in layout.interfaces[host]:
            program.add(
                Op.OFFLOAD,
                texts(interface.name),
                f"offloads of {host}'s {interface.name}",
                ns=layout.ns(host),
            )


def _changes(program: Program, exp: Experiment, layout: Layout) -> None:
    for name in exp.topology.names:  # what had to wait for the interfaces
        for key, value in exp.host_sysctls(name).items():
            if _per_interface(key):
                program.sysctl(key, value, f"sysctl {key} of {name}", ns=layout.ns(name))
    now = {link.ends: link for link in exp.topology.links}
    for number, (made, link) in enumerate(exp.timeline(), 1):
        for step in change_steps(layout, now[link.ends], link, exp.seed, number):
            step.put(program, units.ns(made.at))
        now[link.ends] = link
    for item in exp.changes:
        if isinstance(item, SysctlChange):
            why = f"sysctl {item.name} of {item.host}"
            program.sysctl(item.name, item.value, why, ns=layout.ns(item.host), at_ns=units.ns(item.at))


def _servers(program: Program, exp: Experiment, layout: Layout) -> None:
    for server in exp.servers:
        program.put(server.record(layout.ns(server.host)), f"port {server.port} of {server.host}")


def change_steps(layout: Layout, old: Link, new: Link, seed: int, number: int) -> Steps:
    """Both directions of a link from one state to the next; `number` counts the changes of a run."""
    if new.nic_a is not None:
        return [step for host in (new.a, new.b) for step in links.change_port(layout, host, old, new)]
    steps: list[Step | ChainStep] = []
    for src, dst, before, after in (
        (new.a, new.b, old.forward, new.forward),
        (new.b, new.a, old.backward, new.backward),
    ):
        if before != after:
            steps += links.change(layout, (src, dst), before, after, new.mtu, seed=seed, number=number)
    return steps


def restore_steps(layout: Layout, state: Link, refused: Link, seed: int, number: int) -> Steps:
    """A link laid anew as it was before a change that the kernel has refused. number: of the change that led
    to this state, 0 for none. Ports take a change as a whole or not at all."""
    if state.nic_a is not None:
        return []
    steps: list[Step | ChainStep] = []
    for src, dst, before, after in (
        (state.a, state.b, state.forward, refused.forward),
        (state.b, state.a, state.backward, refused.backward),
    ):
        if before != after:
            steps += links.restore(layout, (src, dst), before, after, state.mtu, seed=seed, number=number)
    return steps


def longest_s(links: Iterable[Link], states: Iterable[Link] = ()) -> float:
    """How long (s) a packet can be under way: the wires' delays, however they are passed, at their longest.
    states: of links, besides those that they begin with."""
    longest: dict[frozenset[str], float] = {}
    for link in (*links, *states):
        delay = max(way.delay + _JITTER * way.jitter for way in (link.forward, link.backward))
        longest[link.ends] = max(delay, longest.get(link.ends, 0))
    return sum(longest.values())


def add_traffic(
    program: Program,
    layout: Layout,
    seed: int,
    number: int,
    flow: Traffic,
    longest: float,
    known: Mapping[str, tunnels.Numbered],
) -> dict[str, Any]:
    """One flow's record; returns its description. longest: see longest_s. known: tunnels that it may name."""
    context = Context(
        number=number,
        src_ns=layout.ns(flow.src),
        dst_ns=layout.ns(flow.dst),
        saddr=layout.addresses[flow.src],
        daddr=layout.addresses[flow.dst],
        sport=FIRST_SPORT + number,
        dport=FIRST_DPORT + number,
        seed=wire_seed(seed, flow.src, flow.dst, -1 - number),
        longest_s=longest,
        slowest=ways.slowest(layout.topology, flow.src, flow.dst),
        mtu=ways.smallest_mtu(layout.topology, flow.src, flow.dst),
    )
    if flow.through is not None:
        context = tunnels.inside(context, flow, *known[flow.through])
    if isinstance(flow, Tunnel):
        context = tunnels.outside(context, layout, flow)
        tunnels.add_devices(program, flow, context)
        if flow.routed:
            tunnels.add_routes(program, layout, flow, context)
    program.put(flow.record(context), f"flow {flow.name}")
    return flow.facts(context)


def add_command(
    program: Program, layout: Layout, number: int, command: Command, *, flags: int = 0
) -> dict[str, Any]:
    """One shell line's record; returns its description. flags: EXEC_* of format.h."""
    flags |= EXEC_PRIVILEGED if command.privileged else 0
    body, at_ns = records.command(number, command.command, flags), units.ns(command.at)
    program.add(Op.EXEC, body, f"command {command.command!r}", ns=layout.ns(command.host), at_ns=at_ns)
    return {"id": number, "host": command.host, "command": command.command, "at_s": command.at}
