"""How long a sandbox has been at work, whatever else the machine does meanwhile.

All time counts but that in which a process inside was ready to run and others had its processor: a sandbox
has one, and cannot leave it (native/sandbox.c). So nothing that runs inside can hide its time, as in children
whom nobody waits for: what is subtracted is seen at others. Where there is a cgroup, theirs is the time for
which the processor was busy without the time that the group had; else that of all processes outside of
sandboxes that are seen on it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

_PROC = Path("/proc")
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)  # of a processor's line in /proc/stat: idle, iowait
_STEAL = 7  # the last one: guests' time, behind it, is user's already
_STATE, _UTIME, _STIME, _PROCESSOR = 0, 11, 12, 36  # of /proc/PID/stat behind the name: proc(5)


class CountedTime:
    """seconds: counted, of `elapsed` by the wall's clock, of which `others` are not. pid: all under it are
    the sandbox; used: seconds of the sandbox's cgroup, None where there is none."""

    def __init__(self, pid: int, processor: int, used: Callable[[], float] | None) -> None:
        self.elapsed = self.others = 0.0
        self._pid, self._processor, self._used = pid, processor, used
        self._began = time.monotonic()
        self._theirs = _busy(processor) - used() if used else 0.0
        self._seen: dict[int, float] = {} if used else dict(_outside(processor))

    @property
    def seconds(self) -> float:
        """Counted so far."""
        return self.elapsed - self.others

    def look(self) -> float:
        """Count what was since the last look, and return the seconds. Look a few times a second."""
        since, self.elapsed = self.elapsed, time.monotonic() - self._began
        theirs = self._had_by_others()
        if _ready(self._pid):
            self.others += min(max(theirs, 0.0), self.elapsed - since)
        return self.seconds

    def _had_by_others(self) -> float:
        """Seconds of the processor since the last look."""
        if self._used:
            before, self._theirs = self._theirs, _busy(self._processor) - self._used()
            return self._theirs - before
        seen = dict(_outside(self._processor))
        found = sum(cpu_s - self._seen.get(pid, cpu_s) for pid, cpu_s in seen.items())
        self._seen |= seen
        return found


def _ready(pid: int) -> bool:
    """Whether a thread of a process, or of one under it, runs or waits for a processor."""
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        return any(
            fields[_STATE] == "R"
            for one in (root, *root.children(recursive=True))
            for _, fields in _stats(_PROC / str(one.pid) / "task")
        )
    return False


def _busy(processor: int) -> float:
    """Seconds for which a processor was not idle, those that a hypervisor took included."""
    name = f"cpu{processor} "
    for line in (_PROC / "stat").read_text().splitlines():
        if line.startswith(name):
            ticks = [int(word) for word in line.split()[1 : _STEAL + 2]]
            return _TICK_S * (sum(ticks) - sum(ticks[i] for i in _IDLE))
    raise OSError(f"/proc/stat has no {name.strip()}")


def _outside(processor: int) -> Iterator[tuple[int, float]]:
    """The processor time of each process outside of sandboxes that was last on this processor. Who is in a
    namespace of processes below ours is in a sandbox, or in a container."""
    for pid, fields in _stats(_PROC):
        if int(fields[_PROCESSOR]) == processor and not _nested(pid):
            yield pid, _TICK_S * (int(fields[_UTIME]) + int(fields[_STIME]))


def _stats(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """The number of each process or thread of a folder, and what its stat says behind the name; those that
    end meanwhile are left out."""
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir(folder)):
            with contextlib.suppress(OSError):
                yield int(name), (folder / name / "stat").read_text().rpartition(")")[2].split()


def _nested(pid: int) -> bool:
    with contextlib.suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return len(line.split()) > 2
    return True
