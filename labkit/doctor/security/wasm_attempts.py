"""Tries to leave what is the kernel's in WebAssembly, by the instructions that it is translated to. The
program makes the attempts itself (native/attempts.c), a process each."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

from labkit.errors import LabKernelError

_PATIENCE_S = 30
_STOPPED = 1  # the status of a fault, which it names


def tried_in_program(program: str) -> Iterator[tuple[str, bool]]:
    """What was tried, and whether it was stopped. Raises LabKernelError for a program that knows of none."""
    listed = _run(program, "attempts").stdout.splitlines()
    if not listed:
        raise LabKernelError(f"{program} lists no attempts")
    for what in listed:
        done = _run(program, "attempt", what)
        yield what, done.returncode == _STOPPED and done.stderr.startswith("fault: ")


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
