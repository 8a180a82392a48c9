"""Programs in a guest that hold its clock, as seen from outside: they compute and make no system call.

User-Mode Linux runs each process of the guest in a process of the host, which it traces: it stops at every
system call. One that has not stopped for a while computes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_A_WHILE_S = 0.2


def end_computing(keeper: int) -> bool:
    """Ends the program of the guest below this process (of the host) that computes, if one does: as if it
    had met an illegal instruction, so that the guest's kernel goes on. Returns whether. Takes 0.2 s."""
    before, ended = dict(_running(keeper)), False
    time.sleep(_A_WHILE_S)
    for process, stops in _running(keeper):
        if before.get(process) == stops:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGILL)
                ended = True
    return ended


def _running(keeper: int) -> Iterator[tuple[int, int]]:
    """The guest's processes that are not stopped, and how often each has been."""
    for kernel in _children(keeper):
        for process in _children(kernel):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                facts = dict(
                    line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines()
                )
                if facts["State"].split()[0] == "R":
                    yield process, int(facts["voluntary_ctxt_switches"])


def _children(parent: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                after_name = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(after_name[1]) == parent:
                    yield int(entry.name)
