"""Memory and processes of a sandbox as a whole, by a cgroup, where this machine lets us make one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labkit.course.sandbox import temporary_folders

_V1 = Path("/sys/fs/cgroup")
_PATIENCE_S = 5.0


@dataclass(frozen=True)
class Groups:
    """procs: the files that take in a process; limited: what is limited, "memory" and "processes"."""

    procs: tuple[Path, ...]
    limited: frozenset[str]


@contextlib.contextmanager
def groups(memory: int, processes: int) -> Iterator[Groups]:
    """A fresh group with limits in bytes and processes, and its end: whoever is still in it is killed and
    it is removed. Where there is none to be had its `limited` is empty."""
    made: list[Path] = []
    limited: set[str] = set()
    with contextlib.ExitStack() as undo:
        for parent, files, what in _places(memory, processes):
            with contextlib.suppress(OSError):
                folder = undo.enter_context(temporary_folders.folder(parent, _end))
                made.append(folder)
                for name, value, optional in files:
                    with contextlib.suppress(*([OSError] if optional else [])):
                        (folder / name).write_text(str(value))
                limited |= what
        yield Groups(tuple(folder / "cgroup.procs" for folder in made), frozenset(limited))


def sweep() -> list[Path]:
    """Kill and remove what killed graders left."""
    parents = sorted({parent for parent, _, _ in _places(0, 0)})
    return [path for parent in parents for path in temporary_folders.sweep(parent, _end)]


Files = tuple[tuple[str, int, bool], ...]  # name, value, whether it may be missing


def _places(memory: int, processes: int) -> list[tuple[Path, Files, set[str]]]:
    """Where groups can be made, and which files limit what there: version 2, or the two trees of version
    1."""
    lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    found: list[tuple[Path, Files, set[str]]] = []
    for number, controllers, path in lines:
        if number == "0" and not controllers:
            root = _V1 / path.lstrip("/")
            given = root / "cgroup.subtree_control"
            if given.exists() and {"memory", "pids"} <= set(given.read_text().split()):
                files = (
                    ("memory.max", memory, False),
                    ("memory.swap.max", 0, True),
                    ("pids.max", processes, False),
                )
                found.append((root, files, {"memory", "processes"}))
        for name in controllers.split(","):
            root = _V1 / name / path.lstrip("/")
            if name == "memory":
                limit = (
                    ("memory.limit_in_bytes", memory, False),
                    ("memory.memsw.limit_in_bytes", memory, True),
                )
                found.append((root, limit, {"memory"}))
            elif name == "pids":
                found.append((root, (("pids.max", processes, False),), {"processes"}))
    return [place for place in found if os.access(place[0], os.W_OK)]


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
