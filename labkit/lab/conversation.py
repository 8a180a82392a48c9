"""With the guest of an open laboratory: a program goes in, what was measured comes out, time stands still."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from labkit.decode.commands import outputs
from labkit.decode.raw import Raw
from labkit.errors import LimitReached
from labkit.execute.machine.process import Process
from labkit.execute.machine.run_files import open_written, put
from labkit.execute.run import limits
from labkit.execute.run.execution import crash
from labkit.execute.run.faults import raise_agent_error
from labkit.program.builder import Program
from labkit.program.structs import Kind


class Conversation:
    """One guest, from its first program to its end.

    wall_limit: s that a step may take; raw_limit: bytes that all may write; modules: that it has
    loaded. heard: given what each wrote. over: called once the guest has gone, of itself or for its limits.
    time_s: the guest's clock, in virtual seconds.
    """

    def __init__(
        self,
        guest: Process,
        wall_limit: float,
        raw_limit: int,
        *,
        modules: Sequence[str],
        heard: Callable[[Raw], None],
        over: Callable[[], None],
    ) -> None:
        self.time_s = 0.0
        self._guest = guest
        self._wall_limit = wall_limit
        self._raw_limit = raw_limit
        self._modules = modules
        self._heard = heard
        self._over = over
        self._read = 0

    @property
    def folder(self) -> Path:
        """Where the guest's files are: `raw` is all that it has written."""
        return self._guest.folder

    def close(self) -> None:
        """End the guest; nothing of it stays."""
        self._guest.close()

    def step(self, program: Program, *, duration_ns: int, limit_ns: int = 0) -> tuple[Raw, str]:
        """Let it carry out a program; what it wrote meanwhile, and why it stopped. Raises as `wait` does."""
        body = program.end(duration_ns=duration_ns, limit_ns=limit_ns)
        put(self.folder, "program", body)
        self._guest.open_gate()
        return self.wait(program.why)

    def wait(self, why: list[str]) -> tuple[Raw, str]:
        """Until the guest waits at its gate again. why: of each step of its program. Raises LimitReached,
        LabKernelError (it has crashed), AgentError (a step was refused; the guest lives)."""
        self._until_it_waits()
        with open_written(self.folder, "raw") as file:
            file.seek(self._read)
            tail = Raw(file.read())
            self._read = file.tell()
        self._heard(tail)
        ends = tail.records(Kind.END)
        self.time_s = int(ends.at_ns[-1]) // 1000 / 1e6  # a step that only sets something lasts a nanosecond
        raise_agent_error(tail, why)
        return tail, str(tail.end_reason)

    def cut(self, tail: Raw, layout: Mapping[str, Any]) -> LimitReached:
        """What to raise for a step that wrote more than it may, with what its command printed. That has been
        ended, and of a capture or a trace nothing more is kept; beyond raw_limit the guest is ended, too."""
        said, printed = limits.too_much(tail, layout, "Lab"), outputs(tail)
        if "raw_limit" in said:
            self._over()
            said += "; the laboratory is closed"
        return LimitReached(said, printed.get(max(printed, default=-1)))

    def _until_it_waits(self) -> None:
        try:
            waiting = self._wait_at_gate()
        except BaseException:
            self._over()
            raise
        if not waiting:
            error = crash(self._guest, self._modules)
            self._over()
            raise error

    def _wait_at_gate(self) -> bool:
        """Process.wait_at_gate, within wall_limit and raw_limit. Raises LimitReached."""
        deadline = time.monotonic() + self._wall_limit
        while (left_s := deadline - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                return self._guest.wait_at_gate(min(left_s, limits.BEAT_S))
            if said := limits.overrun(self.folder, self._raw_limit):
                raise LimitReached(f"{said}; the laboratory is closed")
        limit = f"{self._wall_limit:g} s of wall time"
        raise LimitReached(f"a step took more than {limit} (wall_limit); the laboratory is closed")
