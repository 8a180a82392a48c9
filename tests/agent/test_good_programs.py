"""Whole experiments through the sanitized agent: no report, no error, and the traffic arrives."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL
from labkit.execute.host import host_place as host
from labkit.program.structs import Kind
from labkit.spec import (
    Background,
    Call,
    Change,
    Command,
    Experiment,
    Flow,
    Interactive,
    Link,
    OnOff,
    Pings,
    ReedSolomon,
    Repetition,
    Requests,
    Server,
    Stream,
    SysctlChange,
    Topology,
    Trains,
    WebObject,
    WebPage,
)
from tests.agent.harness import execute, routed

PAGE = [WebObject("page", "30kB")] + [
    WebObject(f"picture {i}", "20kB", after=("page",), wait="1ms") for i in range(9)
]
EXPERIMENTS = {
    "two flows, ping, samples": Experiment(
        routed(),
        flows=[Flow("left", "right", cc="reno", size="300kB"), Flow("right", "left", size="300kB")],
        commands=[Command("left", "ping -c 2 -i 0.1 right; echo gone >&2; exit 3")],
        sample_interval="10ms",
    ),
    "udp, constant and poisson": Experiment(
        routed(),
        flows=[
            Flow("left", "right", protocol="udp", rate="2mbit", packet=500, duration="200ms"),
            Flow("left", "right", protocol="udp", rate="2mbit", packet=500, size="50kB", pattern="poisson"),
        ],
    ),
    "by duration, cut while programs run": Experiment(
        routed(),
        flows=[Flow("left", "right", duration="5s"), Flow("left", "right", duration="300ms", nodelay=True)],
        commands=[Command("right", "sleep 30 & sleep 30")],
        duration="600ms",
    ),
    "changes while traffic flows": Experiment(
        routed(),
        flows=[Flow("left", "right", cc="bbr", size="500kB", sndbuf="100kB", rcvbuf="100kB", mss=1000)],
        changes=[
            Change(at="100ms", link=("r1", "r2"), rate="40mbit"),
            SysctlChange(at="120ms", host="left", name="net.ipv4.tcp_ecn", value=0),
        ],
    ),
    "receivers that read slowly, late or not to the end": Experiment(
        routed(),
        flows=[
            Flow("left", "right", size="100kB", read_rate="8mbit"),
            Flow("left", "right", size="20kB", read_rate="1bit"),
            Flow("left", "right", duration="300ms", read_after="100ms", rcvbuf="20kB"),
            Flow("left", "right", protocol="udp", rate="4mbit", duration="100ms", read_rate="2mbit"),
            Flow("left", "right", protocol="udp", rate="4mbit", duration="100ms", read_after="50ms"),
        ],
        duration="700ms",
    ),
    "requests, answered, cut and without room for all of it": Experiment(
        routed(),
        flows=[
            Requests("left", "right", request=100, response="50kB", count=5, think="5ms", service="1ms"),
            Requests("left", "right", request="3MB", response="3MB", count=2, sndbuf="20kB", rcvbuf="20kB"),
            Requests("left", "right", request=1, response=1, duration="200ms", nodelay=True),
            Requests("right", "left", request=1, response=1, count=9, service="5s", duration="300ms"),
            Requests("left", "right", request=9, response=9, count=20, think="5ms", pattern="exponential"),
        ],
        duration="900ms",
    ),
    "backgrounds, whole and cut": Experiment(
        routed(),
        flows=[
            Background("left", "right", rate="4mbit", sizes="10kB", duration="300ms", cc="reno", mss=1000),
            Background("right", "left", rate="40mbit", duration="9s", arrivals=OnOff("50ms", "50ms")),
        ],
        duration="700ms",
    ),
    "pings and trains, whole and cut": Experiment(
        routed(),
        flows=[
            Pings("left", "right", count=20, every="10ms"),
            Pings("left", "right", count=2, every="10ms", size=0),
            Pings("right", "left", count=10**6, every="20us", size=65507, wait="1s"),
            Trains("left", "right", packets=5, count=10, every="20ms"),
            Trains("left", "right", packets=5, count=2, every="20ms", size=8, wait="0s"),
        ],
        duration="700ms",
    ),
    "pages, sessions, streams and calls, whole and cut": Experiment(
        routed(),
        flows=[
            WebPage("left", "right", objects=PAGE, tls="1.2", service="1ms"),
            WebPage("left", "right", objects=PAGE, http="2", tls="1.3"),
            WebPage("left", "right", objects=[WebObject("a", "90MB"), WebObject("b", "90MB")], http="2"),
            Interactive("left", "right", duration="300ms", every="10ms", pattern="exponential"),
            Interactive("right", "left", duration="9s", every="100us"),
            Stream("left", "right", length="300ms", segment="50ms", buffer="100ms"),
            Stream("left", "right", length="30s", segment="50ms", buffer="10s", rule="buffer"),
            Call("left", "right", duration="300ms", fec=Repetition(2)),
            Call("left", "right", duration="9s", fec=ReedSolomon(6, 4)),
            Call("left", "right", duration="9s", transport="tcp"),
        ],
        duration="700ms",
    ),
    "a server that is slow to accept": Experiment(
        routed(),
        servers=[
            Server("right", 80, backlog=1, accept_after="200ms"),
            Server("right", 81, accept_after="1h"),
        ],
        flows=[Flow("left", "right", size="10kB", port=80) for _ in range(4)]
        + [Flow("left", "right", size="10kB", port=81)],
        duration="700ms",
    ),
    "nothing at all": Experiment(Topology(["a", "b"], [Link("a", "b")]), duration="50ms"),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_good_programs_run_without_a_report(name: str, agent: Path, user: int | None) -> None:
    exp = EXPERIMENTS[name]
    lacks = host.missing(host.features(exp))
    if lacks:
        pytest.skip(f"this kernel lacks {', '.join(lacks)}")
    outcome = execute(agent, compile_experiment(exp, SHARED_KERNEL).program, user)
    assert outcome.said == ""
    assert (outcome.status, outcome.errors, outcome.raw.truncated) == (0, [], False)
    assert len(outcome.raw.records(Kind.FLOW)) == len(exp.flows)
    assert len(outcome.raw.records(Kind.EXEC_END)) == len(exp.commands)
