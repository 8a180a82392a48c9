"""Samples, what they amount to, and the machine they are of. Knows nothing of labkit's parts."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One measurement. value: in the case's unit; cpu_s: user + system time of all processes;
    virtual_s: the network's time that it covered."""

    value: float
    cpu_s: float | None = None
    virtual_s: float | None = None

    def __truediv__(self, parts: int) -> Sample:
        """The share of one of several equal parts."""

        def share(number: float | None) -> float | None:
            return None if number is None else number / parts

        return Sample(self.value / parts, share(self.cpu_s), share(self.virtual_s))


class Stopwatch:
    """Wall time, and the processor time of this process and of children that have ended."""

    def __enter__(self) -> Stopwatch:
        self._cpu = _cpu_s()
        self._wall = time.perf_counter()
        return self

    def __exit__(self, *exc: object) -> None:
        self.wall_s = time.perf_counter() - self._wall
        self.cpu_s = _cpu_s() - self._cpu

    def sample(self, virtual_s: float | None = None) -> Sample:
        return Sample(self.wall_s, self.cpu_s, virtual_s)


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def summary(samples: list[Sample]) -> dict[str, Any]:
    """Median, spread and the values themselves; ratio: network time per wall time."""
    values = sorted(sample.value for sample in samples)
    cpu = [sample.cpu_s for sample in samples if sample.cpu_s is not None]
    virtual = [sample.virtual_s for sample in samples if sample.virtual_s is not None]
    median = statistics.median(values)
    return {
        "median": median,
        "min": values[0],
        "max": values[-1],
        "values": [round(sample.value, 6) for sample in samples],
        "cpu_s": statistics.median(cpu) if cpu else None,
        "virtual_s": statistics.median(virtual) if virtual else None,
        "ratio": statistics.median(virtual) / median if virtual and median else None,
    }


def machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names the machine."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_mb": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()
