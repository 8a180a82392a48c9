"""Real control groups, made for a test: what they allow is seen, a run in them gives the same bytes, and one
that they end says why. Made by root; files of either version, as this machine mounts them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.execute.machine import cgroups
from labkit.results.run import run
from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import dumbbell

ROOT = Path("/sys/fs/cgroup")
EXP = Experiment(
    dumbbell(rate="10mbit", delay="10ms", loss="1%"), flows=[Flow("left", "right", size="2MB")], seed=3
)
RUN = """
import sys
from labkit import Experiment, run
from labkit.errors import LabkitError
from labkit.execute.machine import cgroups, processors
try:
    said = run(Experiment.from_json(sys.argv[1]), cache=False).digest()
except LabkitError as error:
    said = f"{type(error).__name__}: {error}"
print(processors.number(), cgroups.cpu_quota(), cgroups.memory_limit(), said)
"""


@contextlib.contextmanager
def group(controller: str, **limits: str) -> Iterator[Path]:
    """A group of this controller with these files written; skipped where none can be made."""
    one = ROOT / controller if (ROOT / controller).is_dir() else ROOT
    folder = one / f"labkit-test-{os.getpid()}"
    try:
        if one is ROOT:
            (ROOT / "cgroup.subtree_control").write_text(f"+{controller}")
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"this machine lets us make no group of {controller}: {error}")
    try:
        for name, value in limits.items():
            if (folder / name.replace("__", ".")).exists():
                (folder / name.replace("__", ".")).write_text(value)
        yield folder
    finally:
        for _ in range(100):
            with contextlib.suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.05)


def inside(folder: Path, experiment: Experiment) -> list[str]:
    """What RUN prints in that group."""
    command = ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$0" "$@"']
    done = subprocess.run(
        [*command, sys.executable, "-c", RUN, experiment.to_json()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().split(" ", 3)


@pytest.mark.parametrize(("quota", "processors"), [(0.5, 1), (1.5, 2)])
def test_a_quota_limits_how_many_run_at_once_and_changes_no_byte(quota: float, processors: int) -> None:
    most = str(int(quota * 100_000))
    expected = min(processors, len(os.sched_getaffinity(0)))
    limits = {"cpu__max": f"{most} 100000", "cpu__cfs_quota_us": most}
    with group("cpu", **limits) as folder:
        number, seen, _, digest = inside(folder, EXP)
    assert (int(number), float(seen)) == (expected, quota)
    assert digest == run(EXP, cache=False).digest()


def test_a_run_that_a_limit_of_memory_has_killed_says_so() -> None:
    """Its memory is a file of the guest's; Python, which is smaller, stays to tell."""
    limit = 320 << 20
    hungry = EXP.replace(memory="2GiB", commands=[Command("left", "head -c 900000000 /dev/zero > /tmp/much")])
    with group("memory", memory__max=str(limit), memory__limit_in_bytes=str(limit)) as folder:
        *_, seen, modest = inside(folder, EXP)
        assert int(seen) == limit
        assert modest == run(EXP, cache=False).digest()
        *_, said = inside(folder, hungry)
    assert said.startswith("LabKernelError: the guest was killed, most likely for memory")
    assert "320 MiB (a cgroup's limit)" in said


def test_nothing_of_these_groups_is_left() -> None:
    assert not list(ROOT.glob(f"**/labkit-test-{os.getpid()}"))
    assert cgroups.memory_limit() != 192 << 20
