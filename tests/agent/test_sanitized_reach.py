"""The sanitizers reach every C file of the agent, on this machine's kernel and in a lab kernel."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL
from labkit.execute.artifacts.binaries import AGENT
from labkit.netlink.message import dump_links
from labkit.netlink.veth import set_up
from labkit.program import records
from labkit.program.builder import Program
from labkit.program.structs import END_REASONS, Kind, Op
from labkit.spec import (
    ALL_PROBES,
    Background,
    Call,
    Change,
    Command,
    ContinuousGilbertElliott,
    Experiment,
    Flow,
    Interactive,
    Pings,
    ReedSolomon,
    Requests,
    Server,
    Stream,
    SysctlChange,
    Trains,
    Tunnel,
    WebObject,
    WebPage,
)
from labkit.spec.topologies import dumbbell
from tests.agent.harness import build, execute, routed
from tests.agent.reach import COUNTED, Lines, guest_root, in_guest, lines

FILES = sorted(path.name for path in AGENT.glob("*.c"))
HAS_TUN = os.access("/dev/net/tun", os.R_OK | os.W_OK)
KERNELS_OWN = ("guest.c", "init.c", "processes.c", "trace.c", "view.c", "walls.c")
LEAST = 0.2  # of a file: what is left is mostly errors, and the process that isolate.c ends without a word
TUN_FILES = ("tun.c", "tunnel.c", "tunnel_udp.c")
TUNNELLED = (
    Tunnel("left", "right", name="tcp", queue=5, sndbuf="5kB", rcvbuf="50kB", nodelay=True),
    Tunnel("right", "left", name="udp", over="udp", sndbuf="5kB"),
    Flow("left", "right", size="100kB", through="tcp"),
    Flow("left", "right", size="20kB", through="udp"),
)
NOT_HERE = KERNELS_OWN if HAS_TUN else (*KERNELS_OWN, *TUN_FILES)
EVERYTHING = Experiment(
    dumbbell(
        rate="10mbit",
        delay="5ms",
        queue="fq_codel",
        forward={"loss": "2%"},
        backward={"loss": ContinuousGilbertElliott("50ms", "1ms")},
    ),
    servers=[Server("right", 80, accept_after="20ms")],
    flows=[
        Flow("left", "right", cc="reno2013", size="200kB"),
        Flow("left", "right", size="20kB", port=80, read_rate="8mbit"),
        Flow("right", "left", duration="200ms", read_after="50ms"),
        Flow("left", "right", protocol="udp", rate="2mbit", pattern="poisson", duration="0.2s"),
        Flow("left", "right", protocol="udp", rate="2mbit", size="20kB", read_rate="1mbit"),
        Requests("left", "right", request=100, response="5kB", count=5, think="2ms", pattern="exponential"),
        Background("right", "left", rate="1mbit", sizes="5kB", duration="300ms"),
        WebPage(
            "left", "right", objects=[WebObject("a", 9000), WebObject("b", 9000, after=("a",))], tls="1.2"
        ),
        WebPage(
            "left", "right", objects=[WebObject("a", 90000), WebObject("b", 90000)], http="2", service="1ms"
        ),
        Interactive("left", "right", duration="50ms", every="10ms"),
        Stream("left", "right", length="400ms", segment="100ms", buffer="200ms", rule="buffer"),
        Call("left", "right", duration="100ms", fec=ReedSolomon(6, 4)),
        Call("left", "right", duration="100ms", transport="tcp"),
        Pings("left", "right", count=5, every="50ms", wait="500ms"),
        Trains("left", "right", packets=3, count=3),
        *TUNNELLED,
    ],
    changes=[
        Change("0.1s", ("r1", "r2"), rate="8mbit"),
        SysctlChange("0.1s", "right", "net.ipv4.tcp_sack", 0),
    ],
    commands=[Command("left", "echo out; echo err >&2; cat /etc/hosts; sleep 0.01; exit 3")],
    modules=["reno2013"],
    probes=ALL_PROBES,
    capture=["left"],
    sample_interval="20ms",
)


@pytest.fixture(scope="module")
def in_lab_kernel() -> Iterator[tuple[Lines, Lines]]:
    """What ran of an agent with undefined behaviour made fatal, in a lab kernel."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-counted-"))
    try:
        guest_root(folder)
        raw, said = in_guest(folder, EVERYTHING)
        assert "runtime error" not in said
        assert raw.heads(raw.records(Kind.END))["reason"].tolist() == [END_REASONS.index("complete")], said
        assert len(raw.records(Kind.ERROR)) == 0
        for kind in (Kind.TRACE, Kind.DROP, Kind.PACKETS, Kind.EXEC_END, Kind.STATE):
            assert len(raw.records(kind)) > 0, kind
        yield lines(folder)
    finally:
        shutil.rmtree(folder)


def by_hand() -> bytes:
    """A frame sent into a loopback device and taken from it."""
    program = Program(flags=2)
    program.netns(0, "a")
    program.netlink([set_up(1)], "lo", ns=0)
    program.add(Op.LISTEN, struct.pack("<4I", 1, 0, 0, 0), "listen", ns=0)
    asks = dump_links()
    program.add(Op.CHAIN, records.chain(1, (10**8, 10**8), (1, 2), 24, [asks, asks]), "chain", ns=0, at_ns=0)
    program.add(Op.SEND, struct.pack("<2I", 1, 0) + bytes(12) + b"\x88\xb5" + b"frame", "send", ns=0, at_ns=0)
    return program.end(duration_ns=10**9, limit_ns=0)


@pytest.fixture(scope="module")
def on_this_machine(user: int | None) -> Iterator[tuple[Lines, Lines]]:
    """What ran of an agent with the address sanitizer as well, on this machine's kernel."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-counted-"))
    folder.chmod(0o777)  # it writes its counters there
    try:
        agent = build(folder, *COUNTED)
        plain = EVERYTHING.replace(
            topology=routed(),
            modules=(),
            probes={"tcp_info"},
            flows=[
                flow
                for flow in EVERYTHING.flows
                if flow not in TUNNELLED and flow.sockets().cc != "reno2013" and flow.through is None
            ],
        )
        for program in (compile_experiment(plain, SHARED_KERNEL).program, by_hand(), b""):
            outcome = execute(agent, program, user)
            assert outcome.clean, (outcome.status, outcome.said)
            assert outcome.errors == []
        if HAS_TUN:
            tunnelled = Experiment(routed(), flows=TUNNELLED, duration="2s", probes={"tcp_info"})
            outcome = execute(agent, compile_experiment(tunnelled, SHARED_KERNEL).program, None)
            assert outcome.clean, (outcome.status, outcome.said)
            assert outcome.errors == []
        yield lines(folder)
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", [n for n in FILES if n not in ("isolate.c", "perf.c", "inject.c")])
def test_a_lab_kernel_reaches_most_lines(name: str, in_lab_kernel: tuple[Lines, Lines]) -> None:
    run, known = in_lab_kernel
    assert len(run.get(name, ())) >= LEAST * len(known[name])


@pytest.mark.parametrize("name", [n for n in FILES if n not in (*NOT_HERE, "drops.c", "mask.c", "perf.c")])
def test_the_address_sanitizer_reaches_most_lines(name: str, on_this_machine: tuple[Lines, Lines]) -> None:
    """drops, mask and perf: see test_sanitized_parts.py. init and its like run in a lab kernel alone, where
    the address sanitizer has no room."""
    run, known = on_this_machine
    assert len(run.get(name, ())) >= LEAST * len(known[name])
