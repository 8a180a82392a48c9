"""The agent compiled for 32 bits: the same bytes in and out."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL
from labkit.decode.raw import EPOCH_OUT, Kind, Raw
from labkit.execute.host import host_place as host
from labkit.spec import (
    Background,
    Call,
    Command,
    Experiment,
    Flow,
    Interactive,
    Pings,
    ReedSolomon,
    Requests,
    Server,
    Stream,
    Trains,
    WebObject,
    WebPage,
)
from labkit.traffic.ends import FLOW_OUT
from tests.agent.harness import build as compiled
from tests.agent.harness import execute, routed

NARROW = ["-m32", "-static"]
PAGE = [WebObject("a", 9000), WebObject("b", 9000, after=("a",))]
EXPERIMENT = Experiment(
    routed(),
    servers=[Server("right", 80)],
    flows=[
        Flow("left", "right", cc="reno", size="300kB"),
        Flow("left", "right", size="20kB", port=80, read_rate="8mbit"),
        Flow("left", "right", protocol="udp", rate="2mbit", packet=500, size="50kB", pattern="poisson"),
        Requests("left", "right", request=100, response="5kB", count=5, think="2ms", pattern="exponential"),
        Background("left", "right", rate="2mbit", sizes="5kB", duration="200ms"),
        Pings("left", "right", count=3, every="10ms", start="0.7s"),
        Trains("left", "right", packets=2, count=4, every="10ms", size=100, start="0.75s"),
        WebPage("left", "right", objects=PAGE, tls="1.2", start="0.3s"),
        WebPage("left", "right", objects=PAGE, http="2", service="1ms", start="0.3s"),
        Interactive("left", "right", duration="50ms", every="10ms", start="0.3s"),
        Stream("left", "right", length="400ms", segment="100ms", buffer="200ms", rule="buffer", start="0.3s"),
        Call("left", "right", duration="100ms", transport="tcp", start="0.3s"),
        Call("left", "right", duration="100ms", fec=ReedSolomon(6, 4), start="0.8s"),
    ],
    commands=[Command("left", "echo gone >&2; exit 3")],
    capture=["left"],
    sample_interval="10ms",
)


def _runs(folder: Path) -> bool:
    """Can a program of 32 bits be compiled and started here at all?"""
    (folder / "empty.c").write_text('#include <stdio.h>\nint main(void) { return puts("") < 0; }\n')
    made = subprocess.run(
        ["cc", *NARROW, "empty.c", "-o", "empty"], cwd=folder, capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("the compiler has no C library for 32 bits: apt install gcc-multilib, where apt knows it")
    try:
        return subprocess.run([folder / "empty"], capture_output=True, check=False).returncode == 0
    except OSError:  # a kernel for 64 bits alone
        return False


@pytest.fixture(scope="module")
def narrow() -> Iterator[Path]:
    """The agent, compiled where everybody may run it. Compiling must work wherever a C library is there."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-narrow-"))
    folder.chmod(0o755)
    try:
        runs = _runs(folder)
        agent = compiled(folder, *NARROW, sanitized=())
        if not runs:
            pytest.skip("this kernel starts no programs of 32 bits")
        yield agent
    finally:
        shutil.rmtree(folder)


def _flows(raw: Raw) -> np.ndarray:
    return raw.heads(raw.records(Kind.FLOW), FLOW_OUT)


def test_a_whole_experiment_runs_and_is_told_as_by_64_bits(narrow: Path, user: int | None) -> None:
    lacks = host.missing(host.features(EXPERIMENT))
    if lacks:
        pytest.skip(f"this kernel lacks {', '.join(lacks)}")
    outcome = execute(narrow, compile_experiment(EXPERIMENT, SHARED_KERNEL).program, user)
    assert outcome.said == ""
    assert (outcome.status, outcome.errors, outcome.raw.truncated) == (0, [], False)
    flows = np.sort(_flows(outcome.raw), order="id")
    assert flows["error"].tolist() == [0] * len(flows)
    assert flows["sent"].tolist()[:4] == [300_000, 20_000, 50_000, 25_000]
    assert flows["received"].tolist()[4:] == flows["sent"].tolist()[4:]
    assert flows["sent"].tolist()[5:7] == [3 * 56, 8 * 100]
    assert len(outcome.raw.records(Kind.TRANSFER)) * 5_000 == flows["sent"][4] > 0
    assert len(outcome.raw.records(Kind.TRAIN)) == 3 + 8 + 9
    assert len(outcome.raw.records(Kind.EXCHANGE)) == 2 + 2 + 5 + 5
    assert len(outcome.raw.records(Kind.SEGMENT)) == 4
    assert flows["received"].tolist()[:2] == [300_000, 20_000]
    assert 0 < flows["received"][2] <= 50_000
    assert flows["received"][3] == 25_000
    assert len(outcome.raw.records(Kind.REQUEST)) == 5
    assert (flows["established_ns"] >= 0).all()
    assert (flows["established_ns"] <= flows["first_ns"]).all()
    assert (flows["first_ns"] <= flows["last_ns"]).all()
    assert (flows["last_ns"] < 10**10).all()
    epoch = outcome.raw.heads(outcome.raw.records(Kind.EPOCH), EPOCH_OUT)
    assert epoch["monotonic_ns"][0] > 0
    for kind in (
        Kind.TCP_INFO,
        Kind.NETLINK,
        Kind.FILE,
        Kind.PACKETS,
        Kind.EXEC_OUT,
        Kind.EXEC_END,
        Kind.END,
    ):
        assert len(outcome.raw.records(kind)) > 0, kind


def test_a_damaged_program_is_refused_in_the_same_words(narrow: Path, agent: Path, user: int | None) -> None:
    program = compile_experiment(EXPERIMENT, SHARED_KERNEL).program
    for size in range(0, len(program), len(program) // 16):
        assert execute(narrow, program[:size], user).said == execute(agent, program[:size], user).said
