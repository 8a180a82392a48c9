"""Tries to leave what is the kernel's in WebAssembly, by the instructions that it is translated to, and what
is around it, by system calls. The program makes the attempts itself (native/attempts.c, wall_attempts.c), a
process each."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator

from labkit.errors import LabKernelError

_PATIENCE_S = 30
_STOPPED = 1  # the status of a fault, which it names, as it names a wall
_SAID = ("fault: ", "a wall: ")


def tried_in_program(program: str) -> Iterator[tuple[str, str, bool]]:
    """The wall, what was tried, and whether it was stopped. Raises LabKernelError for a program that knows of
    none."""
    with tempfile.TemporaryDirectory(prefix="labkit-attempts-") as folder:
        listed = _run(folder, program, "attempts").stdout.splitlines()
        if not listed:
            raise LabKernelError(f"{program} lists no attempts")
        for wall, what in (line.split("\t") for line in listed):
            done = _run(folder, program, "attempt", what)
            yield wall, what, done.returncode == _STOPPED and done.stderr.startswith(_SAID)


def _run(folder: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Each finds a folder of its own around it, as a run does."""
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
    )
