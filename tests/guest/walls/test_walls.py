"""Walls around the lab kernel's process: nothing tried from within leaves a trace outside its run folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.doctor.security import escape_attempts
from labkit.doctor.security.walls_checked import security
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest import boot, machine_files, walls
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.machine.process import Process
from labkit.lab.laboratory import Lab
from labkit.results.run import run
from labkit.spec import Experiment
from labkit.spec.topologies import pair
from tests.forbidding import forbidding
from tests.guest.conftest import has_program, left

HERE = Path(__file__).parent
NOBODY = 65534
ROOT = os.geteuid() == 0
USERS = [0, NOBODY] if ROOT else [os.getuid()]
EPERM, ENOSYS = 1, 38
LANDLOCK = "444,445,446"
SECCOMP = "317"
# what Docker's default profile forbids a container without capabilities (moby, profiles/seccomp/default.json)
DOCKER = (
    "101,134,135,136,139,153,155,163,164,165,166,167,168,169,172,173,174,175,176,179,180,212,227,237,238,239,246,"
    "248,249,250,272,279,298,304,305,308,310,311,312,313,320,321,323,425,426,427,438"
).removeprefix("101,")  # ptrace it allows on kernels since 4.8
PLACES = {
    "as it is": None,
    "Docker's profile": (EPERM, DOCKER),
    "a kernel without Landlock": (ENOSYS, LANDLOCK),
    "Docker's profile, no Landlock": (EPERM, f"{DOCKER},{LANDLOCK}"),
}
READING = {  # what only Landlock stops
    ("reading", "the secret"),
    ("reading", "a listing of the root"),
    ("reading", "/etc/shadow"),
    ("reading", "another process's environment"),
    ("reading", "another process's memory map"),
    ("reading", "a terminal"),
    ("a kernel module", "/etc/shadow"),
    ("a kernel module", "/root"),
}
OF_A_COMMAND = "a command"  # what it sees of the machine is for the guest's own walls

Out = set[tuple[str, str]]


@pytest.fixture
def caches() -> Iterator[dict[int, Path]]:
    """By user: a cache of the user's own, with the kernel and the programs, and the module made before."""
    folders = {}
    for user in USERS:
        folders[user] = place = Path(tempfile.mkdtemp(prefix="labkit-walls-"))
        built = kernel()
        home = place / "kernel" / built.key
        (home / "tree").mkdir(parents=True)
        for file in (built.linux, built.linux.with_name("complete.json")):
            shutil.copy(file, home / file.name)
        shutil.copy(built.linux.parents[1] / "memo.json", place / "kernel")
        shutil.copytree(binaries().keeper.parent, place / "native" / binaries().key)
        shutil.copy(boot.module_file(str(escape_attempts._HERE / "escape.c")), place / "escape.ko")
        for path in (place, *place.rglob("*")):
            os.chown(path, user, user if user == NOBODY else -1)
    yield folders
    for place in folders.values():
        shutil.rmtree(place)


def escapes(user: int, place: Path, denied: tuple[int, str] | None) -> tuple[Out, Out, list[str]]:
    """What was stopped, what got out, and what has changed outside."""
    program = [sys.executable, "-m", "tests.guest.walls.escapes"]
    command = [*program, str(user), str(place), str(place / "escape.ko")]
    if denied:
        command = [*forbidding(*denied), *command]
    environment = {**os.environ, "LABKIT_CACHE": str(place)} if user == os.getuid() else None
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=HERE.parents[2], check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    found = [escape_attempts.Attempt(**attempt) for attempt in told["attempts"]]
    stopped, out = (
        {(a.wall, a.what) for a in found if a.out is got_out and a.wall != OF_A_COMMAND}
        for got_out in (False, True)
    )
    return stopped, out, told["harmed"]


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("where", PLACES)
def test_nothing_gets_out_and_without_landlock_only_reading(
    caches: dict[int, Path], user: int, where: str
) -> None:
    place = caches[user]
    before = {path.relative_to(place) for path in place.rglob("*")}
    denied = PLACES[where]
    stopped, out, harmed = escapes(user, place, denied)
    without = (denied is not None and LANDLOCK in denied[1]) or not walls.landlock()
    assert out - READING == set()
    assert ("reading", "the secret") in (out if without else stopped)
    assert out == set() or without
    assert len(stopped | out) == 101
    assert harmed == []
    assert left(place) == []
    new = {path.relative_to(place) for path in place.rglob("*")} - before
    assert {path.parts[0] for path in new} <= {"runs", "results", "modules", "native"}
    assert [path for path in new if path.name in ("escaped", "link", "fifo")] == []


def test_the_doctor_finds_every_wall_standing() -> None:
    found = security()
    assert {check.what for check in found} >= {
        "Landlock",
        "writing",
        "reading",
        "a command",
        "a kernel module",
        "outside",
        *(("WebAssembly", "WebAssembly: calls", "WebAssembly: files") if has_program() else ()),
    }
    missing = [] if walls.landlock() else ["reading", "a kernel module"]
    if has_program() and not walls.landlock():
        missing.append("WebAssembly: files")
    assert [check.what for check in found if check.state == "no"] == missing


def test_what_is_shown_can_be_read_and_not_written() -> None:
    with escape_attempts.outside() as target:
        found = escape_attempts.tried(target, [*machine_files.SYSTEM, str(target.folder)])
        assert {(a.wall, a.what) for a in found if a.out} == {("reading", "the secret")}
        assert target.harmed() == []


def test_every_process_of_a_guest_stands_behind_the_walls() -> None:
    with Lab(pair(), seed=1) as lab:
        lab.open()
        lab.run("left", "sleep 1 &")
        keeper = lab._talk._guest.pid
        states = [dict(_status(pid)) for pid in _group(keeper)]
    assert len(states) > 1
    assert {(state["NoNewPrivs"], state["Seccomp"]) for state in states} == {("1", "2")}


def _status(pid: int) -> Iterator[tuple[str, str]]:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":\t")
        yield name, value.strip()


def _group(keeper: int) -> list[int]:
    """The processes of the guest that it keeps."""
    kernel_process = int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0])
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return [pid for pid in pids if os.getpgid(pid) == kernel_process]


def test_a_kernel_without_its_shim_finds_no_root() -> None:
    program = compile_experiment(Experiment(pair(), duration="1ms", probes=())).program
    argv = boot.command_line(kernel(), 128)
    with Process(binaries(), argv, {"program": program}, environment={}, shown=machine_files.SYSTEM) as guest:
        assert guest.wait(30)
        assert "Requested init /agent failed" in guest.console()
        assert not (guest.folder / "raw").exists()


def test_a_raw_file_that_is_a_link_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    with escape_attempts.outside() as target:

        def with_link(*given: Any, **more: Any) -> Process:
            given[2]["raw"] = lambda path: path.symlink_to(target.folder / "secret")
            return Process(*given, **more)

        monkeypatch.setattr(escape_attempts, "Process", with_link)
        with pytest.raises(escape_attempts.SetupError, match="walls: raw: Too many levels of symbolic links"):
            escape_attempts.tried(target)
        assert target.harmed() == []


RUN = """
import sys, warnings
from labkit import Experiment, pair, run
warnings.simplefilter("always")
for seed in (1, 2):
    result = run(Experiment(pair(), duration="1ms", probes=(), seed=seed), cache=False)
    print(result.digest())
"""


def run_where(number: int, calls: str) -> subprocess.CompletedProcess[str]:
    """Two runs where these system calls give this error."""
    command = [*forbidding(number, calls), sys.executable, "-c", RUN]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE.parents[2], check=False)


def test_where_a_filter_is_refused_there_is_no_run() -> None:
    done = run_where(EPERM, SECCOMP)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "labkit.errors.SetupError: no run without walls around the guest, and this machine refuses one "
        "(seccomp: Operation not permitted): SECURITY.md"
    )


def test_a_missing_landlock_is_said_once_and_changes_no_result() -> None:
    done = run_where(ENOSYS, LANDLOCK)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(walls.NO_LANDLOCK) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error" if walls.landlock() else "ignore")
        for seed, digest in enumerate(done.stdout.split(), 1):
            exp = Experiment(pair(), duration="1ms", probes=(), seed=seed)
            assert run(exp, cache=False).digest() == digest
