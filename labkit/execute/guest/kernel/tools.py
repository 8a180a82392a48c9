"""Runs the tools of a build so that nothing of them outlives us, and says in one line why one failed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache

PACKAGES = "sudo apt install gcc libc6-dev make flex bison bc binutils patch tar xz-utils bzip2"
TOOLS = ("gcc", "ld", "strip", "make", "flex", "bison", "bc", "patch", "tar", "xz")

NEEDED_MB = 600

# The kernel's Makefiles take many variables from the environment (CROSS_COMPILE, KCFLAGS, MAKEFLAGS, ...).
_INHERITED = ("PATH", "HOME", "TMPDIR")
# Nothing of this machine goes into the binary.
_CONSTANT = {
    "LC_ALL": "C",
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_USER": "labkit",
    "KBUILD_BUILD_HOST": "lab",
    "KBUILD_BUILD_VERSION": "1",
}

# Standard input is a pipe that only we hold: when we die, however we die, it ends, and the whole process
# group goes with it. (PR_SET_PDEATHSIG reaches make but not make's children.)
_SUPERVISED = """
exec 3<&0 </dev/null
"$@" 3<&- & job=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 & watcher=$!
wait "$job"; status=$?
kill "$watcher"
exit "$status"
"""


class KernelBuildError(SetupError):
    """A tool of the build failed; carries its last lines."""


def require_tools(tools: tuple[str, ...] = TOOLS) -> None:
    """Raises SetupError naming every tool that is not there, and the packages."""
    if lacking := lacking_of(tools):
        raise SetupError(f"the lab kernel cannot be built without {', '.join(lacking)}: {PACKAGES}")


def lacking_of(tools: tuple[str, ...]) -> list[str]:
    """Which of them are not there."""
    return [tool for tool in tools if shutil.which(tool) is None]


def compiler_name(gcc: str) -> str:
    """The first line of `gcc --version`."""
    done = subprocess.run([gcc, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].strip()


def run(
    command: list[str],
    folder: Path,
    *,
    log: Path,
    on_line: Callable[[str], None] = lambda line: None,
    hold: tuple[int, ...] = (),
    patience_s: float = threading.TIMEOUT_MAX,
) -> None:
    """Run a command in a folder, its output into `log` (appended) and line by line to `on_line`.

    hold: file descriptors that the command keeps open until its last process is gone (the build's lock).
    patience_s: how long it may take. Raises KernelBuildError with the last lines, SetupError when the disk
    is full, TimeoutError.
    """
    environment = _CONSTANT | {name: os.environ[name] for name in _INHERITED if name in os.environ}
    last: list[str] = []
    with log.open("a", encoding="utf-8") as kept:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _SUPERVISED, "sh", *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=hold,
        )
        assert process.stdin is not None and process.stdout is not None
        late = threading.Timer(patience_s, os.killpg, (process.pid, signal.SIGKILL))
        late.daemon = True
        late.start()
        try:
            for line in process.stdout:
                kept.write(line)
                last = [*last[-79:], line.rstrip()]
                on_line(line)
            status = process.wait()
        finally:
            in_time = late.is_alive()
            late.cancel()
            with contextlib.suppress(ProcessLookupError):  # what it left in the background
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdin.close()
            process.stdout.close()
    if not in_time:
        raise TimeoutError
    if status:
        raise _failure(command, status, last, folder)


def disk_full(folder: Path) -> SetupError:
    """The one message for it."""
    free = shutil.disk_usage(folder).free >> 20
    return SetupError(
        f"the disk is full ({free} MB free at {folder}): building the lab kernel takes {NEEDED_MB} MB "
        f"for a while: make room, or name another place: {cache.KERNEL}=DIR"
    )


def _failure(command: list[str], status: int, last: list[str], folder: Path) -> SetupError:
    if full := cache.full("\n".join(last), folder, cache.temporary()):
        return full
    errors = [line for line in last if "rror" in line] or last
    lines = "\n".join(f"  {line}" for line in errors[:12])
    return KernelBuildError(f"`{' '.join(command[:4])}` failed ({status}):\n{lines}")
