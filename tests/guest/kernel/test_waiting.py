"""A program that waits without sleeping moves the clock, by a rule that only programs have a part in."""

from __future__ import annotations

import base64
import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from labkit.errors import LimitReached
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import ALL_PROBES, Command, Experiment, Flow
from labkit.spec.topologies import dumbbell, pair

KINDS = (
    "coarse",
    "times",
    "clock",
    "thread",
    "getrusage",
    "sched_yield",
    "getppid",
    "select",
    "poll",
    "epoll",
)
KINDS = (*KINDS, "recv")
WAIT_NS, TICK_NS = 20_000_000, 10_000_000


@pytest.fixture(scope="module")
def waits(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A shell's line that makes /tmp/waits of waits.c: the guest need not see any folder of ours."""
    compiler = shutil.which("gcc") or pytest.skip("no gcc on this machine")
    program = tmp_path_factory.mktemp("waits") / "waits"
    source = Path(__file__).with_name("waits.c")
    flags = ["-O1", "-s", "-Wall", "-Wextra", "-Werror", "-pthread"]
    subprocess.run([compiler, *flags, "-o", str(program), str(source)], check=True)
    packed = base64.b64encode(gzip.compress(program.read_bytes(), mtime=0)).decode()
    return f"echo {packed} | base64 -d | gunzip > /tmp/waits && chmod +x /tmp/waits && /tmp/waits"


def waiting(waits: str, *kinds: str, wall_limit: str = "120s") -> Experiment:
    """They wait one after the other, while a flow goes on."""
    commands = [Command("left", f"{waits} {kind}", at=f"{0.1 * i}s") for i, kind in enumerate(kinds, 1)]
    return Experiment(
        dumbbell(rate="10mbit", delay="3ms"),
        flows=[Flow("left", "right", duration="1.5s")],
        commands=commands,
        wall_limit=wall_limit,
        probes=frozenset(),
    )


@pytest.fixture(scope="module")
def waited(waits: str) -> Result:
    return run(waiting(waits, *KINDS), cache=False)


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_waits_without_sleeping_waits_as_long_as_it_means_to(
    waited: Result, kind: str
) -> None:
    moved = int(waited.output(KINDS.index(kind)))
    assert WAIT_NS - TICK_NS <= moved < WAIT_NS + TICK_NS


def test_waiting_gives_the_same_each_time(waits: str, waited: Result) -> None:
    assert run(waiting(waits, *KINDS), cache=False).digest() == waited.digest()


def test_looking_changes_nothing_for_who_waits(waits: str, waited: Result) -> None:
    watched = waiting(waits, *KINDS).replace(
        probes=ALL_PROBES, sample_interval="1ms", capture=["left", "right"]
    )
    other = run(watched, cache=False)
    assert other.commands["stdout"].tolist() == waited.commands["stdout"].tolist()
    assert other.flows["received_bytes"].tolist() == waited.flows["received_bytes"].tolist()


def test_a_second_of_the_coarsest_clock_passes(waits: str) -> None:
    alone = Experiment(pair(), commands=[Command("left", f"{waits} time", at="0.9s")], wall_limit="120s")
    assert 0 < int(run(alone, cache=False).output(0)) <= 1_000_000_000


def test_a_program_that_makes_no_call_ends_with_the_wall_limit() -> None:
    # nothing tells that it waits: what would interrupt it after as many of its steps, each time the same?
    computing = Experiment(pair(), commands=[Command("left", "while :; do :; done")], wall_limit="2s")
    with pytest.raises(LimitReached, match="wall_limit"):
        run(computing, cache=False)


def test_programs_that_come_to_rest_are_not_charged() -> None:
    # more calls than are free at one instant, but never so many without a rest
    calls = "for i in $(seq 8); do for j in $(seq 500); do read x < /dev/null; done; sleep 0.01; done"
    busy = Experiment(pair(), commands=[Command("left", f"{calls}; cat /proc/uptime")], probes=frozenset())
    assert run(busy, cache=False).virtual_s == pytest.approx(0.08, abs=0.03)


def test_iperf3_paces_its_first_datagrams() -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("no iperf3 on this machine")
    commands = [
        Command("right", "iperf3 -s -1"),
        Command("left", "iperf3 -u -b 1M -l 1200 -t 1 -c right", at="0.1s"),
    ]
    network = dumbbell(rate="100mbit", delay="5ms", queue="1000p")
    seen = run(
        Experiment(network, commands=commands, capture=["left"], time_limit="10s"), cache=False
    ).packets("left")
    times = [float(packet.time) for packet in seen if packet.haslayer("UDP") and len(packet) > 1200]
    assert sum(time < times[0] + 0.001 for time in times) < 10  # 285 before; a millisecond's worth is 0.1
    assert len(times) == pytest.approx(104, abs=10)


def test_dig_asks_and_is_answered() -> None:
    if shutil.which("dig") is None:
        pytest.skip("no dig on this machine (Debian: bind9-dnsutils)")
    asked = Experiment(
        pair(delay="5ms"), commands=[Command("left", "dig +tries=1 +time=1 @right example.org")]
    )
    said = run(asked.replace(wall_limit="60s"), cache=False).output(0)
    assert re.search("connection refused|no servers could be reached|timed out", said)
