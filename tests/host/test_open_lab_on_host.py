"""An open laboratory on the machine's own kernel: the same calls, in real time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from labkit import Flow, Lab, UnsupportedError, pair
from labkit.compile.target import SHARED_KERNEL, Target
from labkit.execute.host.host_place import HostPlace
from labkit.results.replay import ProbeMissingError
from tests.agent.harness import namespaces_for


class WithoutNetem(HostPlace):
    """The host on a kernel that has neither netem nor mirred."""

    def target(self) -> Target:
        return replace(SHARED_KERNEL, wires=False)


@pytest.fixture(scope="module", autouse=True)
def _here() -> None:
    if os.geteuid() != 0 and not namespaces_for(None):
        pytest.skip("no namespaces can be made here")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab(pair(), place="host") as opened:
        yield opened


def test_a_command_runs_on_its_host(lab: Lab) -> None:
    done = lab.run("left", "ping -c 1 -W 2 right")
    assert done.status == 0
    assert "1 received" in done.stdout


def test_a_flow_runs_while_time_passes(lab: Lab) -> None:
    name = lab.start(Flow("left", "right", size="1MB", cc="reno"))
    before = lab.time_s
    assert lab.advance("300ms") >= before + 0.3
    flows = lab.result().flows
    assert flows.loc[name, "received_bytes"] == 1_000_000
    assert flows.loc[name, "complete"]


def test_a_sysctl_is_set_on_one_host_only(lab: Lab) -> None:
    lab.sysctl("left", "net.ipv4.tcp_sack", 0)
    said = [str(lab.run(host, "cat /proc/sys/net/ipv4/tcp_sack")).strip() for host in ("left", "right")]
    assert said == ["0", "1"]


def test_what_was_not_recorded_cannot_be_had_again(lab: Lab) -> None:
    with pytest.raises(ProbeMissingError, match="not recorded by the open laboratory"):
        lab.result().also(probes={"queue"})


def test_a_wire_that_the_kernel_cannot_make_is_refused_and_the_lab_goes_on() -> None:
    """As on a kernel without netem, whatever this one has."""
    with Lab(pair(), place=WithoutNetem()) as lab:
        with pytest.raises(UnsupportedError, match=r'built without a wire.*place="guest"'):
            lab.link("left", "right").set(delay="10ms")
        assert lab.run("left", "true").status == 0
