"""How many processors are ours, and where we are. Who gets which is in turns.py."""

from __future__ import annotations

import math
import os
from pathlib import Path

from labkit.execute.machine.cgroups import SELF, cpu_quota

_PROCESSOR = 36  # place among the fields of /proc/PID/stat behind the name, which may hold blanks: proc(5)


def number(proc: Path = SELF) -> int:
    """So many guests at once make sense: the processors that we may be on, or fewer where a cgroup's quota
    is worth less; one at least."""
    quota = cpu_quota(proc)
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return mine if quota is None else max(1, min(mine, math.ceil(quota)))


def here() -> int:
    """The processor that this thread is on. Who is about to wait for a guest leaves it free, and of all those
    that the system could choose from when it put us there, it was the least busy. -1: unknown."""
    try:
        stat = Path("/proc/thread-self/stat").read_text()
    except OSError:
        return -1
    return int(stat.rpartition(")")[2].split()[_PROCESSOR])
