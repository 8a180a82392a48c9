"""A Process where there is no keeper (macOS, Windows, ARM): an ordinary child of ours. It ends with us,
because its gate does; a folder that was left goes when the next one is made."""

from __future__ import annotations

import contextlib
import queue
import secrets
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from labkit.execute.artifacts import cache, working
from labkit.execute.machine import shortage
from labkit.execute.machine.process import CONSOLE, Content, Process, started

STANDARD_INPUT, STANDARD_OUTPUT = 0, 1


class PlainProcess(Process):
    """A program that takes the gate from its standard input and output, and looks itself whether its owner is
    gone."""

    def __init__(self, argv: Sequence[str], files: Mapping[str, Content]) -> None:
        """argv: absolute path first; files: laid into the folder before the start. Raises SetupError."""
        self.status: int | None = None
        self.program = Path(argv[0])
        with shortage.explained(self.program), contextlib.ExitStack() as undo:
            runs = cache.folder("runs")
            working.sweep(runs)
            self.folder = runs / secrets.token_hex(8)
            self.folder.mkdir(mode=0o700)
            undo.callback(shutil.rmtree, self.folder, ignore_errors=True)
            undo.enter_context(working.held(self.folder))
            for name, content in files.items():
                path = self.folder / name
                content(path) if callable(content) else path.write_bytes(content)
            with (self.folder / CONSOLE).open("wb") as console:
                self._child = subprocess.Popen(
                    argv,
                    cwd=self.folder,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=console,
                )
            self._undo = undo.pop_all()
        self.pid = self._child.pid
        self._waits: queue.SimpleQueue[bool] = queue.SimpleQueue()  # at the gate; False: it has ended
        self._ended = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        started.add(self)

    def _listen(self) -> None:
        """What it writes at the gate, then its end: there is no call on all systems that waits for either."""
        assert self._child.stdout is not None
        while self._child.stdout.read(1):
            self._waits.put(True)
        self._child.wait()
        self._ended.set()
        self._waits.put(False)

    def wait(self, timeout_s: float | None = None) -> bool:
        """As Process has it."""
        self._ours()
        if self._ended.wait(timeout_s):
            self.status = self._child.returncode
        return self.status is not None

    def wait_at_gate(self, timeout_s: float | None = None) -> bool:
        """As Process has it."""
        self._ours()
        try:
            waits = self._waits.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if not waits:
            self._waits.put(False)  # whoever asks again
            self.wait()
        return waits

    def open_gate(self) -> None:
        """As Process has it."""
        self._ours()
        assert self._child.stdin is not None
        self._child.stdin.write(b"g")

    def kill(self) -> None:
        """As Process has it."""
        self._child.kill()
        self.wait()

    def close(self) -> None:
        """As Process has it."""
        if self.pid:
            self.pid = 0
            assert self._child.stdin is not None and self._child.stdout is not None
            self.kill()
            with contextlib.suppress(BrokenPipeError):
                self._child.stdin.close()
            self._child.stdout.close()
            self._undo.close()

    def leave(self) -> None:
        """As Process has it."""
        assert self._child.stdin is not None and self._child.stdout is not None
        self._child.stdin.close()
        self._child.stdout.close()
        self._undo.pop_all()
        self.pid, self._left = 0, True
