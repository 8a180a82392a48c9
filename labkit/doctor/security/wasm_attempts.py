"""Tries to leave what is the kernel's in WebAssembly, by the instructions that it is translated to, and to
get through the walls around it, by system calls. The program makes the attempts itself (native/attempts.c,
wall_attempts.c), a process each."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator

from labkit.errors import LabKernelError

_PATIENCE_S = 30
_STOPPED = 1  # the status of a fault, which it names, as it names a wall
_SAID = ("fault: ", "a wall: ")


def tried_in_program(*program: str) -> Iterator[tuple[str, str, bool]]:
    """The wall, what was tried, and whether it was stopped. program: a command. Raises LabKernelError for
    one that knows of none."""
    listed = _run(*program, "attempts").stdout.splitlines()
    if not listed:
        raise LabKernelError(f"{program[-1]} lists no attempts")
    for wall, what in (line.split("\t") for line in listed):
        done = _run(*program, "attempt", what)
        yield wall, what, done.returncode == _STOPPED and done.stderr.startswith(_SAID)


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    """In a folder of its own, as a run is: what one leaves is in no other's way."""
    with tempfile.TemporaryDirectory(prefix="labkit-attempt-") as folder:
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
