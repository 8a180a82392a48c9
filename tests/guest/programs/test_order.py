"""Of one instant: changes; then commands, until each has ended or sleeps; then traffic, at that instant."""

from __future__ import annotations

from typing import Any

import pytest

from labkit.results.result import Result
from labkit.spec import Command, Experiment, Flow, Pings, Requests, SysctlChange
from labkit.spec.topologies import pair
from tests.guest.helpers import NOTHING, fresh

NS = 1e-9
FIREWALL = (
    "nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; "
    "add rule ip t c meta l4proto { tcp, udp, icmp } drop'"
)
BUSY = "for i in 1 2 3 4 5; do cat /nowhere; done 2>/dev/null; sysctl net.ipv4 >/dev/null"
"""Some hundred system calls that fail."""
SETUP = "for i in $(seq 20); do ip link add d$i type dummy; ip link set d$i up; done; ls -l /etc >/dev/null"
"""It asks for the time more often than that is free, and ends with a firewall."""
DRAWN = ["ip_id", "tsval", "tsecr"]
"""At random, by the kernel: a program that starts draws numbers, too."""
TRAFFIC: list[Any] = [
    Flow("left", "right", size="100kB"),
    Flow("left", "right", protocol="udp", rate="1mbit", duration="100ms"),
    Requests("left", "right", request=100, response=1000, count=3),
    Pings("left", "right", count=3),
]


def ran(*commands: Command, at: float = 0, flow: Any = TRAFFIC[0], **fields: Any) -> Result:
    net = pair(rate="10mbit", delay="5ms")
    given: dict[str, Any] = {"probes": ["drops"], "capture": ["left"], "duration": at + 3} | fields
    return fresh(Experiment(net, flows=[flow.replace(start=at)], commands=commands, **given))


def first_packet_s(result: Result) -> float:
    return float(result.packet_table("left")["time_s"].iloc[0])


@pytest.mark.parametrize("at", [0, 1.25])
@pytest.mark.parametrize("flow", TRAFFIC, ids=lambda flow: type(flow).__name__)
def test_a_firewall_meets_the_very_first_packet(flow: Any, at: float) -> None:
    result = ran(Command("right", FIREWALL, at=at), at=at, flow=flow)
    assert set(result.drops["cause"]) == {"filtered"}
    sent = result.packet_table("left")
    assert len(sent) == len(result.drops) > 0
    assert first_packet_s(result) == at


def test_traffic_begins_at_its_instant_however_much_its_commands_do() -> None:
    alone = ran()
    beside = ran(Command("left", BUSY), Command("right", BUSY))
    assert beside.commands["end_s"].tolist() == [0, 0]
    sent, sent_alone = (result.packet_table("left").drop(columns=DRAWN) for result in (beside, alone))
    assert sent.equals(sent_alone)
    assert beside.flows.equals(alone.flows)


def test_a_long_command_ends_before_traffic_begins() -> None:
    """By some microseconds it begins later then, whatever is measured."""
    commands = [Command("right", f"{SETUP}; {FIREWALL}"), Command("left", "python3 -c 'import json'")]
    result, without = (ran(*commands, probes=probes) for probes in (["drops"], NOTHING))
    assert set(result.drops["cause"]) == {"filtered"}
    assert result.commands["end_s"].max() <= first_packet_s(result) < 1e-3
    assert without.packet_table("left").equals(result.packet_table("left"))


def test_commands_that_wait_hold_up_nothing() -> None:
    result = ran(Command("left", "sleep 2; echo awake"), Command("right", "cat /dev/zero | sleep 1"))
    assert first_packet_s(result) == pytest.approx(NS, abs=NS / 10)
    assert result.output(0) == "awake\n"


def test_a_command_that_never_sleeps_does_not_either() -> None:
    result = ran(Command("left", "while :; do cat /nowhere; done 2>/dev/null", check=False), duration="20ms")
    assert first_packet_s(result) == pytest.approx(10e-3, rel=0.01)


def test_changes_of_an_instant_come_before_its_commands() -> None:
    change = SysctlChange("1s", "left", "net.ipv4.tcp_sack", 0)
    read = Command("left", "cat /proc/sys/net/ipv4/tcp_sack", at="1s")
    result = ran(read, at=1, changes=[change])
    assert result.output(0) == "0\n"


def test_commands_elsewhere_in_time_change_nothing() -> None:
    alone = ran()
    result = ran(Command("left", BUSY, at="1ns"), Command("right", BUSY, at="2s"))
    assert result.commands["end_s"].iloc[1] > 2
    assert first_packet_s(result) == first_packet_s(alone) == 0


def test_a_run_repeats_and_probes_change_nothing() -> None:
    commands = [Command("right", BUSY), Command("left", "tc qdisc replace dev eth0 root fq_codel")]
    one, two = (ran(*commands, capture=[], probes=probes) for probes in (NOTHING, ["drops", "tcp_probe"]))
    again = ran(*commands, capture=[], probes=NOTHING)
    assert one.digest() == again.digest()
    assert one.flows.equals(two.flows)
    assert one.commands["end_s"].equals(two.commands["end_s"])
