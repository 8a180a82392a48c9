"""An experiment becomes a lab program and a plan: what the bytes mean, for whoever reads the results."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labkit import units
from labkit.compile import captures, classes, links, probes
from labkit.compile import ports as labnic
from labkit.compile.layout import FIRST_DPORT, FIRST_SPORT, WIRES, Layout, lay_out, routes
from labkit.compile.program import Op, Program, flow_record, server_record
from labkit.netlink.address import address_message, neighbour_message, route_message
from labkit.netlink.veth import set_up
from labkit.spec import DEFAULT_PROBES, Command, Experiment, Flow, Link, SysctlChange

READ_MAX = 1 << 20
_LINGER_MS = 500  # least silence after which a UDP receiver ends
_JITTER = 4  # netem's tables of distributions end there
EXEC_TERMINAL = 1  # of format.h
LOOPBACK = 1  # the index of lo in every namespace

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

HOST_SLACK_S = 0.002
"""On a machine's own kernel timers are late by tens of microseconds, on a busy one by more: with a bucket
of one frame 20 Mbit/s lost 4 %."""


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
    exp: Experiment, *, place: str = "lab", interactive: bool = False, terminal: int | None = None
) -> Compiled:
    """exp as bytes for a place ("lab" or "host"). interactive: links may change later, more follows.
    terminal: the number of the command that gets the agent's own terminal."""
    if place == "host":  # where tracing needs root: only who asks for it gets it
        asked = exp.probes if exp.probes != DEFAULT_PROBES else exp.probes - probes.TRACED
        exp = exp.replace(probes=asked & probes.HOST_PROBES)
    layout = lay_out(exp, all_wires=interactive)
    if place == "host":
        layout.ways.update({ends: replace(way, slack_s=HOST_SLACK_S) for ends, way in layout.ways.items()})
    program = Program(flags=1 if interactive else 0)
    sysctls = dict(KERNEL_DEFAULTS) if place == "lab" else {}
    sysctls |= exp.kernel_sysctls()
    modules = needed_modules(exp)
    for i, module in enumerate(modules):
        program.add(Op.MODULE, f"module{i}.ko".encode() + b"\0", f"module {module}")
    for name, value in sysctls.items():
        program.sysctl(name, value, f"sysctl {name}")
    captures.add_drops(program, exp)
    _namespaces(program, exp, layout, place)
    for step in [step for link in exp.topology.links for step in links.build(layout, link, exp.seed)]:
        program.netlink(step.messages, step.why, ns=step.ns, protocol=step.protocol)
    _addresses(program, layout)
    program.add(Op.SEED, hashlib.sha256(f"labkit {exp.seed}".encode()).digest(), "seed")
    trace_kb = probes.add(program, exp, layout, more=interactive, host=place == "host")
    ring_kb = captures.add_captures(program, exp, layout)
    _changes(program, exp, layout)
    _servers(program, exp, layout)
    states = [link for _, link in exp.timeline()]
    flows = [add_flow(program, layout, exp.seed, i, flow, states) for i, flow in enumerate(exp.flows)]
    commands = [
        add_command(program, layout, i, command, flags=EXEC_TERMINAL if i == terminal else 0)
        for i, command in enumerate(exp.commands)
    ]
    duration = 0 if exp.duration is None else units.ns(exp.duration)
    if interactive:
        duration = duration or 1
    body = program.end(duration_ns=duration, limit_ns=units.ns(exp.time_limit))
    described = describe(layout, flows, commands, states)
    return Compiled(body, described, program.why, sysctls | HOST_DEFAULTS, modules, trace_kb + ring_kb)


def needed_modules(exp: Experiment) -> tuple[str, ...]:
    """Those of the experiment, and the teaching NIC's if a link has ports."""
    ports = any(link.nic_a is not None for link in exp.topology.links)
    return (*([labnic.KIND] if ports else []), *(name for name in exp.modules if name != labnic.KIND))


def describe(
    layout: Layout, flows: list[dict[str, Any]], commands: list[dict[str, Any]], states: Iterable[Link] = ()
) -> dict[str, Any]:
    """The layout as JSON. states: of links after each change, in order."""
    trees = classes.class_names(layout, states)
    queues = {way.queue.index: way for way in layout.ways.values()}
    devices = [i for ends in layout.interfaces.values() for i in ends]
    return {
        "namespaces": list(layout.namespaces),
        "hosts": {
            name: {"ns": layout.ns(name), "address": layout.addresses.get(name)}
            for name in layout.topology.names
        },
        "flows": flows,
        "interfaces": [
            {
                "index": i.index,
                "ns": i.ns,
                "name": i.name,
                "host": i.host,
                "peer": i.peer,
                "role": "host" if i.role == "host" else "wire",
                "queue": i.index in queues,
                "from": queues[i.index].out.host if i.index in queues else i.host,
                "to": queues[i.index].into.host if i.index in queues else i.peer,
                **({"classes": trees[i.index]} if i.index in trees else {}),
            }
            for i in devices
        ],
        "commands": commands,
    }


def _namespaces(program: Program, exp: Experiment, layout: Layout, place: str) -> None:
    for index, name in enumerate(layout.namespaces):
        program.netns(index, name)
        if name == WIRES:
            continue
        settings: dict[str, int | str] = dict(HOST_DEFAULTS)
        if len(layout.interfaces[name]) > 1:
            settings["net.ipv4.ip_forward"] = 1
        if place == "host" and Path("/proc/sys/net/ipv6/conf").is_dir():
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
    for host in layout.topology.names:
        messages = [set_up(LOOPBACK)]
        for interface in layout.interfaces[host]:
            messages.append(set_up(interface.index))
            messages.append(address_message(interface.index, layout.link_addresses[host, interface.peer]))
            peer = next(i for i in layout.interfaces[interface.peer] if i.peer == host)
            address = layout.link_addresses[interface.peer, host]
            messages.append(neighbour_message(interface.index, address, peer.mac))
        messages += [route_message(to, via) for to, via in routes(layout, host)]
        program.netlink(messages, f"addresses of {host}", ns=layout.ns(host))
        for interface in layout.interfaces[host]:
            program.add(
                Op.OFFLOAD,
                interface.name.encode() + b"\0",
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
            program.netlink(
                step.messages, step.why, ns=step.ns, protocol=step.protocol, at_ns=units.ns(made.at)
            )
        now[link.ends] = link
    for item in exp.changes:
        if isinstance(item, SysctlChange):
            why = f"sysctl {item.name} of {item.host}"
            program.sysctl(item.name, item.value, why, ns=layout.ns(item.host), at_ns=units.ns(item.at))


def _servers(program: Program, exp: Experiment, layout: Layout) -> None:
    for server in exp.servers:
        body, why = server_record(server.port, server.backlog), f"port {server.port} of {server.host}"
        at_ns = units.ns(server.accept_after)
        program.add(Op.SERVER, body, why, ns=layout.ns(server.host), at_ns=at_ns)


def change_steps(layout: Layout, old: Link, new: Link, seed: int, number: int) -> list[links.Step]:
    """Both directions of a link from one state to the next; `number` counts the changes of a run."""
    if new.nic_a is not None:
        return [step for host in (new.a, new.b) for step in links.change_port(layout, host, old, new)]
    steps: list[links.Step] = []
    for src, dst, before, after in (
        (new.a, new.b, old.forward, new.forward),
        (new.b, new.a, old.backward, new.backward),
    ):
        if before != after:
            steps += links.change(layout, (src, dst), before, after, new.mtu, seed=seed, number=number)
    return steps


def linger_ms(states: Iterable[Link]) -> int:
    """How long a datagram can be under way: the wires' delays, however they are passed, at their longest."""
    longest: dict[frozenset[str], float] = {}
    for link in states:
        delay = max(way.delay + _JITTER * way.jitter for way in (link.forward, link.backward))
        longest[link.ends] = max(delay, longest.get(link.ends, 0))
    return min(max(_LINGER_MS, _LINGER_MS // 5 + round(1000 * sum(longest.values()))), 2**32 - 1)


def add_flow(
    program: Program,
    layout: Layout,
    seed: int,
    number: int,
    flow: Flow,
    states: Iterable[Link] = (),
) -> dict[str, Any]:
    """One flow's record; returns its description. states: of links, besides those of the topology."""
    saddr, daddr = layout.addresses[flow.src], layout.addresses[flow.dst]
    dport = FIRST_DPORT + number if flow.port is None else flow.port
    udp = flow.protocol == "udp"
    interval = units.ns((flow.packet or 0) * 8 / flow.rate) if udp and flow.rate else 0
    body = flow_record(
        id=number,
        dst_ns=layout.ns(flow.dst),
        udp=udp,
        nodelay=flow.nodelay,
        poisson=flow.pattern == "poisson",
        served=flow.port is not None,
        saddr=int.from_bytes(socket.inet_aton(saddr), "little"),
        daddr=int.from_bytes(socket.inet_aton(daddr), "little"),
        sport=FIRST_SPORT + number,
        dport=dport,
        mss=flow.mss or 0,
        size=flow.size or 0,
        duration_ns=units.ns(flow.duration or 0),
        sndbuf=flow.sndbuf or 0,
        rcvbuf=flow.rcvbuf or 0,
        read_bytes=linger_ms([*layout.topology.links, *states]) if udp else 1 if flow.rcvbuf else READ_MAX,
        packet=flow.packet or 0,
        interval_ns=max(interval, 1) if udp else 0,
        seed=links.wire_seed(seed, flow.src, flow.dst, -1 - number),
        cc="" if udp else str(flow.cc),
        read_after_ns=units.ns(flow.read_after),
        read_rate=flow.read_rate or 0,
    )
    why = f"flow {flow.name}"
    program.add(Op.FLOW, body, why, ns=layout.ns(flow.src), at_ns=units.ns(flow.start))
    return {
        "id": number,
        "name": flow.name,
        "src": flow.src,
        "dst": flow.dst,
        "protocol": flow.protocol,
        "cc": flow.cc,
        "sport": FIRST_SPORT + number,
        "dport": dport,
        "saddr": saddr,
        "daddr": daddr,
        "start_s": flow.start,
    }


def add_command(
    program: Program, layout: Layout, number: int, command: Command, *, flags: int = 0
) -> dict[str, Any]:
    """One shell line's record; returns its description. flags: EXEC_* of format.h."""
    body = number.to_bytes(4, "little") + flags.to_bytes(4, "little") + command.command.encode() + b"\0"
    at_ns = units.ns(command.at)
    program.add(Op.EXEC, body, f"command {command.command!r}", ns=layout.ns(command.host), at_ns=at_ns)
    return {"id": number, "host": command.host, "command": command.command, "at_s": command.at}
