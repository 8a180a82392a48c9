"""Memory, processes and time of a sandbox as a whole, by cgroups, where this machine lets us make them."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from labkit.course.sandbox import temporary_folders

_ROOT = Path("/sys/fs/cgroup")
_PATIENCE_S = 5.0
_WEIGHT = 32
"""Of a sandbox, where one can be given, as a multiple of an ordinary group's: whatever else the machine does,
it gets most of its processor, and its limit comes when it would on an idle machine."""


@dataclass(frozen=True)
class Groups:
    """procs: the files that take in a process; limited: what is limited, "memory" and "processes"; used:
    seconds that all who were ever in it have had of processors, None where they are not counted."""

    procs: tuple[Path, ...]
    limited: frozenset[str]
    used: Callable[[], float] | None


@contextlib.contextmanager
def groups(memory: int, processes: int) -> Iterator[Groups]:
    """A fresh group with limits in bytes and processes, and its end: whoever is still in it is killed and
    it is removed. Where there is none to be had its `limited` is empty."""
    made: list[Path] = []
    limited: set[str] = set()
    counting: list[Callable[[], float]] = []
    with contextlib.ExitStack() as undo:
        for parent, files, what in _places(memory, processes):
            with contextlib.suppress(OSError):
                folder = undo.enter_context(temporary_folders.folder(parent, _end))
                for name, value, optional in files:
                    with contextlib.suppress(*([OSError] if optional else [])):
                        (folder / name).write_text(str(value))
                made.append(folder)
                limited |= what
                counting += [clock] if (clock := _clock(folder)) else []
        procs = tuple(folder / "cgroup.procs" for folder in made)
        yield Groups(procs, frozenset(limited), counting[0] if counting else None)


def _clock(folder: Path) -> Callable[[], float] | None:
    """What reads how long a group has worked, if it is one that counts."""
    ns, us = folder / "cpuacct.usage", folder / "cpu.stat"
    if ns.exists():
        return lambda: int(ns.read_text()) / 1e9
    if us.exists() and us.read_text().startswith("usage_usec "):
        return lambda: int(us.read_text().split()[1]) / 1e6
    return None


def sweep() -> list[Path]:
    """Kill and remove what killed graders left."""
    parents = sorted({parent for parent, _, _ in _places(0, 0)})
    return [path for parent in parents for path in temporary_folders.sweep(parent, _end)]


Files = tuple[tuple[str, int, bool], ...]  # name, value, whether it may be missing


def _places(memory: int, processes: int) -> list[tuple[Path, Files, set[str]]]:
    """Where groups can be made, and which files limit what there: version 2, or the trees of version 1, or
    some of both."""
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    of_version_1: dict[str, tuple[Files, set[str]]] = {
        "memory": (
            (("memory.limit_in_bytes", memory, False), ("memory.memsw.limit_in_bytes", memory, True)),
            {"memory"},
        ),
        "pids": ((("pids.max", processes, False),), {"processes"}),
        "cpuacct": ((), set()),
        "cpu": ((("cpu.shares", 1024 * _WEIGHT, True),), set()),
    }
    found: list[tuple[Path, Files, set[str]]] = []
    trees: set[Path] = set()
    for number, controllers, path in lines:
        if number == "0" and not controllers:
            found += _version_2(path, memory, processes)
        for name in controllers.split(","):
            root = _ROOT / name / path.lstrip("/")
            if name in of_version_1 and os.access(root, os.W_OK):
                files, what = of_version_1[name]
                if root.resolve() in trees:  # cpu and cpuacct are one tree on most machines
                    found = [
                        (at, (*old, *files), had) if at.samefile(root) else (at, old, had)
                        for at, old, had in found
                    ]
                else:
                    found.append((root, files, what))
                    trees.add(root.resolve())
    return found


def _version_2(path: str, memory: int, processes: int) -> list[tuple[Path, Files, set[str]]]:
    """The nearest group above us whose children can be limited; else one that counts time, as each does."""
    root = _ROOT if (_ROOT / "cgroup.controllers").exists() else _ROOT / "unified"
    here = root / path.lstrip("/")
    above = [one for one in (here, *here.parents) if one == root or root in one.parents]
    able = [one for one in above if os.access(one / "cgroup.procs", os.W_OK)]
    for one in able:
        if {"memory", "pids"} <= set((one / "cgroup.subtree_control").read_text().split()):
            files = (
                *(("memory.max", memory, False), ("memory.swap.max", 0, True)),
                *(("pids.max", processes, False), ("cpu.weight", 100 * _WEIGHT, True)),
            )
            return [(one, files, {"memory", "processes"})]
    return [(able[0], (("cpu.weight", 100 * _WEIGHT, True),), set())] if able else []


def _end(folder: Path) -> None:
    """Kill who is in a group, and remove it as soon as they are gone. Raises OSError when they stay."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        with contextlib.suppress(OSError):
            for pid in (folder / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), 9)
        try:
            folder.rmdir()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
