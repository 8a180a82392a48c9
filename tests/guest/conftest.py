"""Every test here works in a cache of its own and must leave neither process nor folder behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.default_place import SETTING
from labkit.execute.guest.kernel.build import kernel
from labkit.execute.wasm.engine import engine
from scripts.caches import fresh_cache, settings

_PATIENCE_S = 10.0


@pytest.fixture(scope="session", autouse=True)
def own_cache() -> Iterator[Path]:
    """A cache with the user's kernel and programs."""
    kernel()  # before anything is moved: say so if it is not built
    for name in ("native", "modules"):
        cache.folder(name)
    folder = fresh_cache(Path(tempfile.mkdtemp(prefix="labkit-test-")))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings(folder).items():
            patch.setenv(name, value)
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def in_guest(own_cache: Path) -> Iterator[None]:
    """Not for the session: tests of other rooms run in this worker, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, "guest")
        yield


@pytest.fixture(scope="module", params=["guest", "wasm"])
def each_kernel(request: pytest.FixtureRequest, in_guest: None) -> Iterator[str]:
    """Experiments that name no place run there."""
    if request.param == "wasm" and not has_program():
        pytest.skip("no kernel in WebAssembly here: labkit kernel build")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SETTING, request.param)
        yield request.param


@pytest.fixture(autouse=True)
def not_in_the_kernel_of_others(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of one kernel stand between those of each, in one module."""
    if "each_kernel" not in request.fixturenames:
        monkeypatch.setenv(SETTING, "guest")


def has_program() -> bool:
    """Is the kernel in WebAssembly here, as a program of this machine?"""
    try:
        return engine().as_program
    except SetupError:
        return False


def processes_of(folder: Path) -> list[str]:
    """Keepers and guests of the runs in a cache: "pid command"."""
    runs, found = str(folder / "runs"), []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            place = os.readlink(entry / "cwd")
        except OSError:
            continue
        if place.startswith(runs) or (runs in command and "keeper" in command):
            found.append(f"{entry.name} {command[:80]}")
    return found


def guests(cache: Path) -> list[int]:
    """The process ids of all in run folders that are no keepers: the lab kernel, then its processes."""
    return sorted(int(line.split()[0]) for line in processes_of(cache) if "keeper" not in line)


def keepers(cache: Path) -> list[int]:
    return [int(line.split()[0]) for line in processes_of(cache) if "keeper" in line]


def folders_of(folder: Path) -> list[str]:
    """Run folders in a cache."""
    return [entry.name for entry in (folder / "runs").iterdir() if entry.is_dir()]


def left(folder: Path) -> list[str]:
    """What is left of the runs in a cache, after giving it time to go."""
    deadline = time.monotonic() + _PATIENCE_S
    while (rest := processes_of(folder) + folders_of(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return rest


@pytest.fixture(autouse=True)
def nothing_left(own_cache: Path) -> Iterator[None]:
    """Compares after each test: no process, no run folder."""
    yield
    assert left(own_cache) == []
