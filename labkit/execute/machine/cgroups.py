"""What the control groups that we are in allow: a hub's or a container's limits of processors and memory.

Both versions, each found by /proc/self/cgroup and where it is mounted. A limit of a group above ours
holds for us, too, as far up as can be seen from here: cgroups(7).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

SELF = Path("/proc/self")
_UNLIMITED = 1 << 62
"""Version 1 has no word for "no limit" of memory, but the largest number of whole pages."""


def cpu_quota(proc: Path = SELF) -> float | None:
    """Processors' worth of time that we may use, e.g. 1.5; None: no quota."""
    found = []
    for folder in _folders("cpu", proc):
        with contextlib.suppress(OSError, ValueError):
            found.append(_quota(folder))
    return min((quota for quota in found if quota is not None), default=None)


def memory_limit(proc: Path = SELF) -> int | None:
    """Bytes that all of our group may hold; None: no limit."""
    found = []
    for folder in _folders("memory", proc):
        for name in ("memory.max", "memory.limit_in_bytes"):
            with contextlib.suppress(OSError, ValueError):  # "max" is no number
                found.append(int((folder / name).read_text()))
    return min((limit for limit in found if limit < _UNLIMITED), default=None)


def _quota(folder: Path) -> float | None:
    if (new := folder / "cpu.max").exists():
        most, period = new.read_text().split()
        return None if most == "max" else int(most) / int(period)
    quota = int((folder / "cpu.cfs_quota_us").read_text())
    return None if quota < 0 else quota / int((folder / "cpu.cfs_period_us").read_text())


def _folders(controller: str, proc: Path) -> Iterator[Path]:
    """Ours and those above it, of either version."""
    try:
        ours = [line.split(":", 2) for line in (proc / "cgroup").read_text().splitlines()]
        mounts = [line.split() for line in (proc / "mountinfo").read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in ours:
        if controllers and controller not in controllers.split(","):
            continue
        for fields in mounts:
            kind, _, options = fields[fields.index("-") + 1 :][:3]
            wanted = (
                kind == "cgroup" and controller in options.split(",") if controllers else kind == "cgroup2"
            )
            if wanted:
                yield from _upwards(Path(path), Path(_plain(fields[3])), Path(_plain(fields[4])))
                break


def _upwards(path: Path, shown: Path, mounted: Path) -> Iterator[Path]:
    """shown: the group that is seen at `mounted`; in a container often ours, whatever its path outside."""
    below = path.relative_to(shown) if path.is_relative_to(shown) else Path()
    for part in (below, *below.parents) if below.parts else (below,):
        yield mounted / part


def _plain(field: str) -> str:
    """Of mountinfo, which writes a blank as \\040."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), field)
