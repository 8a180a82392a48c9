"""The machine's own kernel, in real time: the agent as an ordinary process, in namespaces of its own.

What that kernel lacks is found by asking it, once per process, in a namespace that is thrown away.

Of two runs at once with the same ports, as runs of one experiment have, each finds the other's trace events
in its tables: the kernel's filter knows ports, and no namespaces. Have them one after the other.
"""

from __future__ import annotations

import errno
import os
import platform
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pyroute2.netlink import NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST
from pyroute2.netlink.rtnl import RTM_NEWQDISC, TC_H_INGRESS
from pyroute2.netlink.rtnl.tcmsg import tcmsg

from labkit.compile.layout import Layout, has_wire, lay_out
from labkit.compile.links import GACT_MAX
from labkit.compile.measuring import HOST_PROBES, TRACED
from labkit.compile.target import SHARED_KERNEL, Target
from labkit.decode.raw import Raw
from labkit.errors import UnsupportedError
from labkit.errors.strangers_text import quoted
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.process import Content, Process
from labkit.execute.machine.system import require_system
from labkit.execute.machine.turns import Processor
from labkit.execute.place import Identity
from labkit.netlink import nft
from labkit.netlink.bridge import bridge
from labkit.netlink.filters import flower, fw
from labkit.netlink.message import encode, handle, tc
from labkit.netlink.redirect import redirect
from labkit.netlink.veth import End, set_up, veth
from labkit.program.builder import Program
from labkit.program.records import NETLINK_NETFILTER, NETLINK_ROUTE
from labkit.program.structs import LAB_NS_FD, Kind
from labkit.spec import Direction, DropPackets, EveryNth, Experiment, Link, Queue, Tunnel
from labkit.spec.experiment import DEFAULT_PROBES
from labkit.spec.queue import DEFAULT_QUEUE

_PROBE_TIMEOUT_S = 30.0
_NO_NAMESPACES = 3  # the agent's exit status
_TUN = "/dev/net/tun"
_OFFER = 'use place="guest", which needs none of it'
_BRIDGES = 1 << 20  # the indices of bridges that are tried begin here
_BASE = "veth"  # and a sysctl: without them nothing works

Maker = Callable[[int, int], list[bytes]]


class HostPlace:
    """Namespaces on the machine's own kernel."""

    name = "host"
    virtual_time = False
    what = "this machine's own kernel, in real time"

    def target(self) -> Target:
        """Others share the kernel; its hosts may speak IPv6."""
        ipv6 = Path("/proc/sys/net/ipv6/conf").is_dir()
        return replace(SHARED_KERNEL, ipv6=ipv6, wires=not missing(("qdisc netem", "mirred")))

    def check(self, exp: Experiment) -> None:
        """See `check`. Raises SetupError where the system is not Linux."""
        require_system(self.name)
        check(exp)

    def ready(self, beat: Callable[[], object] | None = None) -> None:
        """Its kernel runs."""

    def identity(self) -> Identity:
        """The kernel's release: runs in real time are never the same."""
        return {"kernel": {"release": platform.release(), "key": "host"}}

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """None: `check` refuses them."""
        return {}

    def start(
        self, files: Mapping[str, Content], needs: Needs, processor: Processor | None = None
    ) -> Process:
        """See `start`; the machine has the memory that it has."""
        return start(files, processor)

    def end_computing(self, running: Process) -> bool:
        """None does: the machine runs several programs at once. Takes 0.1 s."""
        time.sleep(0.1)
        return False


def start(files: Mapping[str, Content], processor: Processor | None = None) -> Process:
    """Run the agent on these files ("program") in a run folder. Raises SetupError."""
    programs = binaries()
    return Process(programs, [str(programs.agent)], files, environment={}, processor=processor)


def check(exp: Experiment) -> None:
    """Raises UnsupportedError with all that this machine cannot do of what the experiment needs."""
    lacks = list(_of_a_lab_only(exp))
    wanted = features(exp)
    refusals = missing(wanted)
    lacks += [f"{name} ({wanted.get(name, 'every link')}; {said})" for name, said in refusals.items()]
    lacks += [f"congestion control {cc} (flow {name})" for cc, name in _ccs(exp).items() if not has_cc(cc)]
    lacks += _buffers(exp)
    if lacks:
        kernel = f"the kernel of this machine ({platform.release()})"
        raise UnsupportedError(f'place="host": {kernel} cannot give: {"; ".join(lacks)}: {_OFFER}')


def _of_a_lab_only(exp: Experiment) -> Iterator[str]:
    """What would change the whole machine, or outlive a run that is killed; tunnels without TUN devices."""
    if exp.probes != DEFAULT_PROBES:  # which goes without the one that traces
        for probe in sorted(exp.probes - HOST_PROBES):
            yield f"the probe {probe} (it would show the whole machine's traffic: leave it out of probes)"
        for probe in sorted(exp.probes & HOST_PROBES & TRACED) if os.geteuid() != 0 else ():
            yield f"the probe {probe} (tracing needs root: leave it out of probes)"
    for name in exp.kernel_sysctls():
        yield f"sysctl {name} (kernel-wide: it would change the whole machine)"
    for link in exp.topology.links:
        if link.nic_a is not None:
            yield f"nic= of link {link.a}-{link.b} (its driver would be loaded into the machine's kernel)"
    for flow in exp.flows:
        if isinstance(flow, Tunnel) and not os.access(_TUN, os.R_OK | os.W_OK):
            yield f"the tunnel {flow.name} ({_TUN} is not there, or not for you to open)"
    for place in exp.files:
        yield f"files {place} (its commands see the machine's files as they are)"
    for module in exp.modules:
        yield f"module {module} (it would be loaded into the machine's kernel)"
    for name in exp.module_parameters:
        yield f"module parameter {name} (it would change the whole machine)"


def _ccs(exp: Experiment) -> dict[str, str]:
    """Congestion control -> name of the first flow that uses it."""
    found: dict[str, str] = {}
    for flow in exp.flows:
        if (cc := flow.sockets().cc) is not None:
            found.setdefault(cc, str(flow.name))
    return found


def has_cc(name: str) -> bool:
    """Does the kernel have this congestion control, perhaps as a module that it loads when asked?"""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        try:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
        except OSError as error:
            return error.errno == errno.EPERM  # there, but not for everybody: root of a namespace may
    return True


def _buffers(exp: Experiment) -> Iterator[str]:
    """Explicit socket buffers above the machine's maxima, which the kernel would cut in silence."""
    for flow in exp.flows:
        for field, name in (("sndbuf", "wmem_max"), ("rcvbuf", "rmem_max")):
            asked, most = getattr(flow.sockets(), field), 2 * _number(f"net/core/{name}", 1 << 62)
            if asked and asked > most:
                yield f"{field}={asked} of flow {flow.name} (net.core.{name} allows {most})"


def _number(sysctl: str, otherwise: int) -> int:
    try:
        return int(Path("/proc/sys", sysctl).read_text())
    except (OSError, ValueError):
        return otherwise


def features(exp: Experiment) -> dict[str, str]:
    """The kernel features that the experiment's links need -> what needs them."""
    layout = lay_out(exp)
    links = [*exp.topology.links, *(link for _, link in exp.timeline())]
    found: dict[str, list[str]] = {}
    for link in links:
        for name, why in _of_link(layout, link):
            reasons = found.setdefault(name, [])
            if why not in reasons:
                reasons.append(why)
    if exp.topology.switches:
        found["bridge"] = [f"switch {name}" for name in exp.topology.switches]
    return {name: ", ".join(reasons) for name, reasons in found.items()}


def _of_link(layout: Layout, link: Link) -> Iterator[tuple[str, str]]:
    name = f"link {link.a}-{link.b}"
    for src, dst, direction in ((link.a, link.b, link.forward), (link.b, link.a, link.backward)):
        way = layout.ways[src, dst]
        if has_wire(direction):
            yield "qdisc netem", f"delay, loss or other faults of {name}"
        if direction.rate is not None:
            yield "qdisc tbf", f"rate of {name}"
            yield from _of_queue(direction.queue or DEFAULT_QUEUE, f"queue of {name}")
            if way.detach:
                yield "qdisc netem", f"rate at {src} (a host with one link: put rates on routers only)"
        if way.enter is not None:
            yield _mover(direction), f"wire of {name}"


def _of_queue(queue: Queue, why: str) -> Iterator[tuple[str, str]]:
    yield f"qdisc {queue.kind}", why
    matches = [match for one in queue.classes for match in one.match]
    for one in queue.classes:
        yield f"qdisc {one.queue.kind if one.queue else 'pfifo'}", f"class {one.name} of the {why}"
    if queue.kind == "drr" or any(match.mark is None for match in matches):
        yield "flower", f"classes of the {why}"
    if any(match.mark is not None for match in matches):
        yield "fw", f"marks of the {why}"


def _mover(direction: Direction) -> str:
    """What takes packets through a wire."""
    if isinstance(direction.loss, EveryNth) and direction.loss.n <= GACT_MAX:
        return "gact"
    return "nftables fwd" if isinstance(direction.loss, DropPackets | EveryNth) else "mirred"


def _qdisc(kind: str, index: int, _: int) -> list[bytes]:
    """Without options: a kind that is there may want some, one that is not is ENOENT."""
    msg = tcmsg()
    msg["attrs"] = [["TCA_KIND", kind]]
    msg["index"], msg["handle"], msg["parent"] = index, handle("1:"), handle("root")
    return [encode(msg, RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL)]


def _ingress(index: int) -> bytes:
    """Where a filter can be tried without any qdisc's help."""
    return tc("add", "ingress", index, parent=TC_H_INGRESS)


_TRY: dict[str, Maker] = {
    "mirred": lambda index, to: redirect(index, to),
    "gact": lambda index, to: redirect(index, to, drop_every=2),
    "flower": lambda index, _: [_ingress(index), flower(index, "ffff:", 1, "1:1", ip_protocol="tcp")],
    "fw": lambda index, _: [_ingress(index), fw(index, "ffff:", 1, "1:1", 1)],
    "nftables fwd": lambda index, to: [nft.drop_packets(f"p{index}", [1], forward_to=to)],
    "bridge": lambda index, _: [
        bridge(f"b{index}", _BRIDGES + index, "02:01:00:00:00:00", stp=True, vlans=True)
    ],
    _BASE: lambda index, _: [set_up(index)],
}

_known: dict[str, str] = {}  # feature -> what the kernel said when asked for it; "": it has it


def missing(names: Iterable[str]) -> dict[str, str]:
    """Those of the features that this kernel refuses -> what it says. Raises UnsupportedError when no
    namespaces can be made at all."""
    wanted = [_BASE, *names]
    while asked := [name for name in wanted if name not in _known]:
        refused = _ask(asked)
        if refused is None:
            _known.update(dict.fromkeys(asked, ""))
        else:
            name, said = refused
            if name not in asked:  # the place itself: nothing else can be told
                return {name: said}
            _known[name] = said
    return {name: _known[name] for name in wanted if _known[name]}


def _ask(names: list[str]) -> tuple[str, str] | None:
    """Try all in a throw-away namespace: the first that is refused, with the kernel's words ("": it would
    want other options), or None."""
    program = Program()
    program.netns(0, "probe")
    program.sysctl("net.ipv4.tcp_no_metrics_save", 1, "sysctls", ns=0)
    for number, name in enumerate(names):
        index = 10 + 2 * number
        here, there = (End(f"p{i}", i, f"02:00:00:00:00:{i:02x}", LAB_NS_FD) for i in (index, index + 1))
        program.netlink([veth(here, there)], _BASE, ns=0)
        maker = _TRY.get(name) or partial(_qdisc, name.removeprefix("qdisc "))
        protocol = NETLINK_NETFILTER if name.startswith("nftables") else NETLINK_ROUTE
        program.netlink(maker(index, index + 1), name, ns=0, protocol=protocol)
    with start({"program": program.end(duration_ns=0, limit_ns=10**10)}) as guest:
        ended = guest.wait(_PROBE_TIMEOUT_S)
        if guest.status == _NO_NAMESPACES:
            return "network namespaces", no_namespaces(guest.console())
        raw = Raw.open(guest.folder / "raw") if guest.status == 0 else Raw(b"")
        errors = raw.records(Kind.ERROR)
        if not ended or raw.truncated:
            return (
                "network namespaces",
                f"the agent ended with status {guest.status}:\n{quoted(guest.console(), 'agent')}",
            )
        if not len(errors):
            return None
        head = raw.heads(errors)[0]
        name, code = program.why[head["record"]], int(head["error"])
        if name.startswith("qdisc ") and code != errno.ENOENT:
            return name, ""
        return name, raw.texts(errors)[0] or os.strerror(code)


def no_namespaces(console: str) -> str:
    """Why this user cannot make namespaces here, and what to do about it."""
    reason = console.strip().rpartition(": ")[2] or "refused"
    for name, refusing, cure in (
        ("user/max_user_namespaces", 0, "user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", 0, "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", 1, "kernel.apparmor_restrict_unprivileged_userns=0"),
    ):
        if _number(name, 1 - refusing) == refusing:
            dotted = name.replace("/", ".")
            return f"{reason}, as {dotted}={refusing}: run as root, or: sudo sysctl {cure}"
    capabilities = "start the container with --cap-add SYS_ADMIN --cap-add NET_ADMIN"
    return f"{reason}: {capabilities if os.geteuid() == 0 else 'run as root'}"
