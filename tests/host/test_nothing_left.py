"""A run on the machine's own kernel leaves nothing there, whoever is killed; and needs no privileges."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import labkit
from labkit.execute.artifacts import working
from labkit.execute.artifacts.binaries import binaries
from tests.agent.harness import namespaces_for

ROOT = Path(labkit.__file__).parents[1]
PATIENCE_S = 10.0

LONG_RUN = """
import sys, time
from labkit.compile.compiler import compile_experiment
from labkit.compile.target import SHARED_KERNEL
from labkit.execute.host import host_place as host
from labkit.spec import Command, Experiment, Flow
from tests.agent.harness import routed
stay = Command("left", "sleep 300 & setsid sleep 300 & (setsid setsid sleep 300 &) & wait")
exp = Experiment(routed(None), flows=[Flow("left", "right", duration="300s")], commands=[stay])
with host.start({"program": compile_experiment(exp, SHARED_KERNEL).program}) as g:
    print(g.pid, g.folder, flush=True)
    g.wait()
    print("status", g.status, flush=True)
"""

SHORT_RUN = """
from labkit.results.run import run
from labkit.spec import Experiment, Flow
from tests.agent.harness import routed
result = run(Experiment(routed(None), flows=[Flow("left", "right", cc="reno", size="1MB")]), place="host")
print(result.end_reason)
"""

CHECK = """
from labkit.errors import UnsupportedError
from labkit.execute.host import host_place as host
from labkit.spec import Experiment, Flow
from tests.agent.harness import routed
try:
    host.check(Experiment(routed(None), flows=[Flow("left", "right", size="1MB")], modules=["teaching"]))
except UnsupportedError as error:
    print(error)
"""


@pytest.fixture(scope="module", autouse=True)
def _here() -> None:
    if not namespaces_for(None):
        pytest.skip("this machine lets us make no namespaces (root, or user namespaces, are needed)")


@pytest.fixture
def cache() -> Iterator[Path]:
    """An empty cache with the native programs in it, for everybody."""
    folder = Path(tempfile.mkdtemp(prefix="labkit-host-"))
    native = binaries()
    shutil.copytree(native.keeper.parent, folder / "native" / native.key)
    (folder / "runs").mkdir()
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def start_python(code: str, cache: Path, *prefix: str) -> subprocess.Popen[str]:
    """A fresh interpreter on these lines."""
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", code],
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "LABKIT_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def descendants(pid: int) -> list[int]:
    """Of a process, itself first."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    try:
        below = [int(child) for child in children.read_text().split()]
    except OSError:
        return []
    return [pid, *(found for child in below for found in descendants(child))]


def links(pids: list[int] | None = None) -> set[str]:
    """The network namespaces that processes are in or hold: all processes' but for those given."""
    everybody = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    found = set()
    for pid in everybody if pids is None else pids:
        for folder in ("ns", "fd"):
            try:
                for entry in os.scandir(f"/proc/{pid}/{folder}"):
                    target = os.readlink(entry.path)
                    if target.startswith("net:["):
                        found.add(target)
            except OSError:
                continue
    return found


def until(condition: Callable[[], bool]) -> bool:
    """Does it come true in time?"""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("victim", ["python", "keeper", "agent", "agent's child"])
def test_nothing_is_left_when_killed(victim: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interfaces, own = os.listdir("/sys/class/net"), os.readlink("/proc/self/ns/net")
    with start_python(LONG_RUN, cache) as process:
        try:
            assert process.stdout is not None
            keeper_text, folder = process.stdout.readline().split()
            keeper = int(keeper_text)
            assert until(lambda: len(descendants(keeper)) >= 6), "keeper, agents, shell and its sleeps"
            tree = descendants(keeper)
            held = links(tree) - {own}
            assert len(held) >= 5, "four hosts and their wires"
            victims = {"python": process.pid, "keeper": keeper, "agent": tree[1], "agent's child": tree[2]}
            os.kill(victims[victim], signal.SIGKILL)
            assert until(lambda: not any(Path(f"/proc/{pid}/cwd").exists() for pid in tree[1:]))
            assert until(lambda: not held & links())
            if victim.startswith("agent"):
                assert process.stdout.readline() == "status 137\n"
        finally:
            process.kill()
    assert sorted(os.listdir("/sys/class/net")) == sorted(interfaces)
    if victim == "keeper":  # nobody was left to remove it: the next run does, after a while
        monkeypatch.setattr(working, "_GRACE_S", 0)
        time.sleep(0.1)
        working.sweep(cache / "runs")
    assert until(lambda: not Path(folder).exists())


@pytest.fixture
def bare() -> list[str]:
    """The prefix of a command that runs it without privileges. Root keeps CAP_SETFCAP alone: without it
    the kernel lets no root be mapped into a user namespace."""
    prefix = []
    if os.geteuid() == 0:
        prefix = ["setpriv", "--bounding-set=-all,+setfcap", "--inh-caps=-all"]
    probe = [*prefix, "unshare", "--user", "--map-root-user", "--net", "true"]
    if shutil.which("setpriv") is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("user namespaces are not for everybody here")
    return prefix


def test_a_user_without_privileges_runs_experiments(cache: Path, bare: list[str]) -> None:
    with start_python(SHORT_RUN, cache, *bare) as process:
        assert process.communicate(timeout=60) == ("complete\n", "")
    assert [entry.name for entry in (cache / "runs").iterdir() if entry.is_dir()] == []


FORBID = """
echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"
"""


def test_where_no_namespaces_can_be_made_one_message_says_why(cache: Path, bare: list[str]) -> None:
    prefix = [*bare, "unshare", "--user", "--map-root-user", "sh", "-c", FORBID, "sh"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("cannot forbid namespaces here")
    with start_python(CHECK, cache, *prefix) as process:
        said, complaints = process.communicate(timeout=60)
    assert complaints == ""
    words = ["network namespaces", "user.max_user_namespaces=0", "sudo sysctl", "module teaching"]
    assert [word for word in words if word not in said] == []
    assert len(said.splitlines()) == 1
