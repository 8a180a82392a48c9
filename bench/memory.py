"""How much memory a guest takes: all of its processes together, at the worst moment.

The guest's memory is one memfd that the lab kernel's process maps, so its pages are in that process's
resident set, and so are those that the guest's own process uses. VmHWM of the kernel's process is
therefore the peak of both; what the other processes (the keeper, the guest's process with its copy of
the page tables' stub) hold for themselves alone is added from smaps_rollup.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

_EVERY_S = 0.002
_FORKED = 0x40
"""PF_FORKNOEXEC of a process's flags (proc(5), stat): a copy of its parent that has executed nothing yet."""


def peak_mb(command: Sequence[str]) -> float:
    """MB of 10^6 bytes that the processes below `command` took, itself left out, as it runs a guest.

    It runs in a process of its own, so that looking at it does not slow it down. Raises RuntimeError.
    """
    whole_kb: dict[int, int] = {}
    own_kb: dict[int, int] = {}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        for pid in _descendants(process.pid):
            whole_kb[pid] = max(whole_kb.get(pid, 0), _field(Path(f"/proc/{pid}/status"), "VmHWM"))
            own_kb[pid] = max(own_kb.get(pid, 0), _private(pid))
        time.sleep(_EVERY_S)
    said = process.stderr.read() if process.stderr else ""
    if process.returncode:
        raise RuntimeError(f"ended with {process.returncode}: {said.strip()}")
    if not whole_kb:
        raise RuntimeError("it ended before its processes were seen")
    largest = max(whole_kb, key=lambda pid: whole_kb[pid])
    own_kb[largest] = whole_kb[largest]
    return sum(own_kb.values()) * 1024 / 1e6


def _private(pid: int) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup")
    return _field(rollup, "Private_Clean") + _field(rollup, "Private_Dirty")


def _field(file: Path, name: str) -> int:
    """A line "NAME:   123 kB" of a file in /proc; 0 if the process has gone."""
    try:
        for line in file.read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def _descendants(root: int) -> set[int]:
    """Processes below this one, without copies of itself that are about to become another program: what such
    a copy holds for some microseconds is its parent's."""
    parent: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text()
        except OSError:
            continue
        fields = stat.rpartition(")")[2].split()
        above, flags = int(fields[1]), int(fields[6])
        if above != root or not flags & _FORKED:
            parent[int(entry)] = above
    found, level = set(), {root}
    while level:
        level = {pid for pid, above in parent.items() if above in level}
        found |= level
    return found
