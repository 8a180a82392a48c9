"""How long a sandbox has been at work, whatever else the machine does meanwhile."""

from __future__ import annotations

import contextlib
import time

import psutil

_READY = (psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP)


class CpuTime:
    """seconds: the processor time of all processes under one, and the time in which none of them wanted a
    processor. What they wait for one is the machine's affair and not counted, so that a notebook is not
    stopped on a busy machine that runs to its end on an idle one."""

    def __init__(self, pid: int) -> None:
        self.seconds = 0.0
        self._pid, self._cpu_s, self._at = pid, 0.0, time.monotonic()

    def look(self) -> float:
        """Count what was since the last look, and return the seconds. Look a few times a second."""
        now, cpu_s, ready = time.monotonic(), 0.0, False
        for one in _all(self._pid):
            with contextlib.suppress(psutil.NoSuchProcess), one.oneshot():
                times = one.cpu_times()  # with those of children that ended and were waited for
                cpu_s += times.user + times.system + times.children_user + times.children_system
                ready = ready or one.status() in _READY
        worked = max(cpu_s - self._cpu_s, 0.0)
        self.seconds += worked if ready else max(now - self._at, worked)
        self._cpu_s, self._at = max(cpu_s, self._cpu_s), now
        return self.seconds


def _all(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
