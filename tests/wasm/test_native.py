"""The kernel in WebAssembly as a program of this machine: the same bytes as in node, and its limits."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pandas as pd
import pytest

from labkit import Flow, Lab, dumbbell, run
from labkit.compile.compiler import compile_experiment
from labkit.execute.wasm.engine import MACHINE
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.translated import translated
from labkit.execute.wasm.wasm_place import WasmPlace
from tests.wasm.experiments import EXPERIMENTS

NET = dumbbell(rate="10mbit", delay="10ms", queue="100p")
SAME = (
    "CUBIC, 1 % loss, all probes",
    "these packets",
    "CAKE",
    "thirty flows",
    "UDP, jitter, reordering",
    "requests and background",  # draws logarithms
    "pings and trains",
    "the teaching NIC",
    "changes on the way",
)

MISSING = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "geteuid", "getuid", "pipe2"),
    *("posix_spawn", "sched_getaffinity"),
)
InNode = Callable[[], AbstractContextManager[None]]


@pytest.mark.parametrize("name", SAME)
def test_the_same_bytes_as_in_node(native: Path, in_node: InNode, name: str) -> None:
    there = run(EXPERIMENTS[name], place="wasm", cache=False)
    with in_node():
        assert run(EXPERIMENTS[name], place="wasm", cache=False).digest() == there.digest()


def test_an_open_laboratory_goes_on_where_it_was(native: Path, in_node: InNode) -> None:
    def two_flows() -> pd.DataFrame:
        with Lab(NET, place="wasm") as lab:
            for size in ("200kB", "50kB"):
                lab.start(Flow("left", "right", cc="reno", size=size, name=f"of {size}"))
                lab.advance("2s")
            return lab.result().flows

    flows = two_flows()
    assert flows["received_bytes"].to_dict() == {"of 200kB": 200_000, "of 50kB": 50_000}
    with in_node():
        assert flows.equals(two_flows())


def test_a_damaged_lab_program_ends_it_as_in_node(for_node: Path, native: Path, tmp_path: Path) -> None:
    whole = compile_experiment(EXPERIMENTS["these packets"], WasmPlace().target()).program
    node = [shutil.which("node"), MACHINE / "wasm_node.mjs", for_node, "64", "10", "11"]
    for content in (b"", b"no lab program", whole[: len(whole) // 2], whole[:-1]):
        said = []
        for number, machine in enumerate(([native, "64", "10", "11"], node)):
            folder = tmp_path / f"{len(content)}-{number}"
            folder.mkdir()
            (folder / "program").write_bytes(content)
            done = subprocess.run(machine, cwd=folder, capture_output=True, check=False)
            said.append((done.returncode, done.stderr, (folder / "raw").read_bytes()))
        assert said[0] == said[1]
        assert said[0][1]  # what is wrong with it


def test_a_program_that_is_not_whole_is_not_run(wasm: Linked, native: Path) -> None:
    content = native.read_bytes()
    try:
        native.unlink()
        native.write_bytes(content[:-1])
        assert translated(wasm) is None
    finally:
        native.write_bytes(content)
        native.chmod(0o755)


def test_the_same_bytes_without_a_keeper_and_without_unix(native: Path) -> None:
    """As on Windows, where these modules and these of os are missing, and no open file can be moved."""
    code = f"""
import os, pathlib, platform, sys
import altair, multiprocessing, platformdirs, subprocess, tempfile  # theirs is to ask for the system
from tests.unit.test_anywhere import UNIX_ONLY
sys.modules.update(dict.fromkeys(UNIX_ONLY))
for name in {MISSING!r}:
    delattr(os, name)
platform.system, platform.machine = lambda: "Windows", lambda: "AMD64"
move = pathlib.Path.rename
def unless_open(path, target):
    assert str(path) not in pathlib.Path("/proc/self/maps").read_text(), f"{{path}} is open"
    return move(path, target)
pathlib.Path.rename = unless_open
from labkit import run
from labkit.execute.wasm import engine, wasm_place
from labkit.spec import Experiment
found = engine.Engine(({str(native)!r},), {{"kernel": {{}}, "module": {{}}, "agent": {{"key": "0"}}}}, False)
wasm_place.engine = lambda: found
print(run(Experiment.from_json(sys.argv[1]), place="wasm", cache=False).digest())
"""
    exp = EXPERIMENTS["CUBIC, 1 % loss, all probes"]
    done = subprocess.run(
        [sys.executable, "-c", code, exp.to_json()], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == run(exp, place="wasm", cache=False).digest(), done.stderr
