"""One run folder and the process in it, kept by the keeper: it dies when we do, and takes the folder along.

Knows processes, pipes and locks; nothing of kernels or experiments.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import signal
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from labkit.errors import LabKernelError
from labkit.execute.artifacts import cache, working
from labkit.execute.artifacts.binaries import Binaries
from labkit.execute.machine import processors, shortage
from labkit.execute.machine.run_files import open_written
from labkit.execute.machine.turns import Processor, unheld

ROOT_FD, FROM_OWNER, TO_OWNER, LIFELINE, STATUS, PROCESSOR = 9, 10, 11, 12, 13, 14
CONSOLE = "console"
_MEANT_FOR_OWNER = (
    (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM) if os.name == "posix" else ()
)

Content = bytes | Callable[[Path], object]
"""Of a file in a run folder; or what makes it, a whole folder perhaps, at a path."""


started: weakref.WeakSet[Process] = weakref.WeakSet()
"""By this process."""


class Process:
    """A running program in a run folder of its own. Close it, or let the process end: nothing stays.

    A child that is forked from this process has no part in it: neither what it does nor how long it lives
    matters."""

    _left = False

    def __init__(
        self,
        binaries: Binaries,
        argv: Sequence[str],
        files: Mapping[str, Content],
        *,
        environment: Mapping[str, str],
        terminal: bool = False,
        shown: Sequence[str] | None = None,
        processor: Processor | None = None,
    ) -> None:
        """argv: absolute path first; files: laid into the folder before the start. shown: there are walls
        around it, through which it can read these folders and files; None: no walls. processor: the one
        that is its, until it has ended; None: it shares the one that we are on. Raises SetupError."""
        self.status: int | None = None
        self.program = Path(argv[0])
        told = shortage.explained(binaries.keeper)
        with told, contextlib.ExitStack() as undo, contextlib.ExitStack() as handed_on:
            runs = cache.folder("runs")
            working.sweep(runs)
            self.folder = runs / secrets.token_hex(8)
            self._fds = _Pipes()
            undo.callback(self._fds.close)
            handed_on.callback(self._fds.close_far_ends)
            if processor is None:
                processor = handed_on.enter_context(unheld(processors.here()))
            fds = {
                ROOT_FD: _opened(handed_on, binaries.root, os.O_PATH),
                FROM_OWNER: self._fds.guest_reads,
                TO_OWNER: self._fds.guest_writes,
                LIFELINE: self._fds.keeper_reads,
                STATUS: self._fds.keeper_writes,
                PROCESSOR: processor.fd,
            }
            console = [] if terminal else ["-c"]
            walls = [] if shown is None else ["-w", *shown]
            keeper = [str(binaries.keeper), str(self.folder), str(processor.cpu), *console, *walls]
            self.pid = _spawn([*keeper, "--", *argv], fds, environment, terminal=terminal)
            undo.callback(self.close)  # the keeper is there before the folder, and removes it if we end now
            self.folder.mkdir(mode=0o700)
            (self.folder / "u").mkdir()
            for name, content in files.items():
                path = self.folder / name
                content(path) if callable(content) else path.write_bytes(content)
            with contextlib.suppress(BrokenPipeError):
                os.write(self._fds.lifeline, b"f")
            undo.pop_all()
        started.add(self)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Until the program has ended; False when it still runs after timeout_s."""
        if self.status is None and self._ready(self._fds.status, timeout_s):
            words = os.read(self._fds.status, 64).split()
            self.status = int(words[1]) if len(words) == 2 else -1
        return self.status is not None

    def wait_at_gate(self, timeout_s: float | None = None) -> bool:
        """Until the program waits at the gate (True) or has ended (False). Raises TimeoutError."""
        self._ours()
        ready, _, _ = select.select([self._fds.gate, self._fds.status], [], [], timeout_s)
        if not ready:
            raise TimeoutError
        if self._fds.gate in ready and os.read(self._fds.gate, 1):
            return True
        self.wait()
        return False

    def open_gate(self) -> None:
        """Let the waiting program go on."""
        self._ours()
        os.write(self._fds.go, b"g")

    def kill(self) -> None:
        """End the program now; its folder stays until `close`."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._fds.lifeline, b"k")
        self.wait()

    def close(self) -> None:
        """End the program if it still runs, and remove its folder."""
        if self.pid:
            self._fds.close()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)
            self.pid = 0
            shutil.rmtree(self.folder, ignore_errors=True)  # of a keeper that was killed

    def leave(self) -> None:
        """It stays with the process that this one was forked from: its pipes are closed here, which it would
        wait for when its owner has ended."""
        self._fds.close()
        self.pid, self._left = 0, True

    def _ours(self) -> None:
        if self._left:
            raise LabKernelError("this run is of the process that this one was forked from: start one here")

    def console(self, lines: int = 20) -> str:
        """The last lines that the program printed, led by the one with "panic" if a stack trace hides it."""
        with contextlib.suppress(OSError):
            with open_written(self.folder, CONSOLE) as file:
                text = file.read().decode(errors="replace")
            said = [line for line in text.splitlines() if line.strip()]
            cause = [line for line in said[:-lines] if "panic" in line]
            return "\n".join(cause[:1] + said[-lines:])
        return ""

    def _ready(self, fd: int, timeout_s: float | None) -> bool:
        return bool(select.select([fd], [], [], timeout_s)[0])

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "pid", 0):
            self.close()


def _leave_all() -> None:
    for process in list(started):
        if process.pid:
            process.leave()
    started.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_leave_all)


class _Pipes:
    """The four pipes between us, the keeper and the program; all or none."""

    def __init__(self) -> None:
        with contextlib.ExitStack() as near, contextlib.ExitStack() as far:
            self.guest_reads, self.go = _pipe(far, near)
            self.gate, self.guest_writes = _pipe(near, far)
            self.keeper_reads, self.lifeline = _pipe(far, near)
            self.status, self.keeper_writes = _pipe(near, far)
            self.close, self.close_far_ends = near.pop_all().close, far.pop_all().close


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """Each end is closed with the stack of whoever has it."""
    read, write = os.pipe2(os.O_CLOEXEC)
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def _opened(owner: contextlib.ExitStack, path: Path, flags: int) -> int:
    fd = os.open(path, flags | os.O_CLOEXEC)
    owner.callback(os.close, fd)
    return fd


def _spawn(command: list[str], fds: dict[int, int], environment: Mapping[str, str], *, terminal: bool) -> int:
    """posix_spawn gives exact descriptor numbers, without a fork of our threads. The keeper starts with the
    signals blocked that it is to ignore."""
    from fcntl import F_DUPFD_CLOEXEC, fcntl  # there is none on Windows

    actions: list[tuple[object, ...]] = []
    with contextlib.ExitStack() as copies:
        for target, fd in fds.items():
            high = fcntl(fd, F_DUPFD_CLOEXEC, max(fds) + 1)  # no target of another is in the way
            copies.callback(os.close, high)
            actions.append((os.POSIX_SPAWN_DUP2, high, target))
        if not terminal:
            actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
            actions.extend((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2))
        return os.posix_spawn(
            command[0], command, dict(environment), file_actions=actions, setsigmask=_MEANT_FOR_OWNER
        )
