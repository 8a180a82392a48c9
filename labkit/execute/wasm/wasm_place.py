"""The place "wasm": the lab kernel in WebAssembly, as a program of this machine or in node (engine.py).

The same kernel source, agent and lab program as in the guest. What it cannot do is refused by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from labkit.compile.target import Target
from labkit.errors import SetupError, SpecError, UnsupportedError
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.machine import system
from labkit.execute.machine.memory import Needs, memory_mb
from labkit.execute.machine.plain_process import STANDARD_INPUT, STANDARD_OUTPUT, PlainProcess
from labkit.execute.machine.process import FROM_OWNER, TO_OWNER, Content, Process
from labkit.execute.machine.system import GUEST_ELSEWHERE, has_keeper
from labkit.execute.machine.turns import Processor
from labkit.execute.place import Identity
from labkit.execute.wasm.engine import Engine, engine
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.execute.wasm.unsupported import LARGEST_MB, lacks, too_large, unknown
from labkit.spec import Experiment

_ADDRESSES = 9 << 30
"""Bytes: 8 GiB around its memory, at most of which there is nothing (native/memory.c), and the rest of it."""


def too_few_addresses() -> str | None:
    """Whether this process, and so a kernel in WebAssembly, may have fewer than it sets aside."""
    if (most := system.addresses()) >= _ADDRESSES:
        return None
    return (
        f"only {most / (1 << 30):.2g} GiB of addresses (RLIMIT_AS), of which it sets {_ADDRESSES >> 30} aside"
    )


class WasmPlace:
    """A Linux kernel of its own in virtual time, as WebAssembly. Its memory is as the guest's.

    by: what runs it, if somebody has looked; else it is looked for whenever its identity is asked for, which
    comes before a start, and so once in a run.
    """

    name = "wasm"
    virtual_time = True
    what = "the lab kernel as WebAssembly, in virtual time"

    def __init__(self, by: Engine | None = None) -> None:
        self._found, self._by = by, by

    def target(self) -> Target:
        """All of the kernel is the experiment's."""
        return Target()

    def check(self, exp: Experiment) -> None:
        """Raises UnsupportedError with all that it cannot do of what the experiment needs."""
        _refuse(lacks(exp, BUILT_IN))

    def ready(self, beat: Callable[[], object] | None = None) -> None:
        """Nobody makes the module unasked."""

    def identity(self) -> Identity:
        """The kernel, and the module that was linked of it and the agent: what runs that decides nothing."""
        self._by = self._found or engine()
        return self._by.identity

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """Empty files: those that it has are part of its kernel. Raises UnsupportedError for others."""
        _refuse(unknown(names, BUILT_IN))
        return {f"module{i}.ko": b"" for i in range(len(names))}

    def start(
        self, files: Mapping[str, Content], needs: Needs, processor: Processor | None = None
    ) -> Process:
        """With memory for so much unless some was asked for. Raises SpecError if it cannot have so much,
        SetupError."""
        if said := too_large(needs, LARGEST_MB):
            raise SpecError(f'place="wasm": {said}: {_offer()}')
        if few := too_few_addresses():
            raise SetupError(f'place="wasm": {few}: raise the limit: ulimit -v unlimited; or {_offer()}')
        by = self._by or engine()
        command = [*by.command, str(memory_mb(needs))]
        if not by.kept:
            return PlainProcess([*command, str(STANDARD_INPUT), str(STANDARD_OUTPUT)], files)
        argv = [*command, str(FROM_OWNER), str(TO_OWNER)]
        return Process(binaries(), argv, files, environment={}, processor=processor)

    def end_computing(self, running: Process) -> bool:
        """None does: no programs are started. Takes 0.1 s."""
        time.sleep(0.1)
        return False


def _refuse(lacking: Iterator[str]) -> None:
    if missing := list(lacking):
        raise UnsupportedError(
            f'place="wasm": the kernel in WebAssembly cannot give: {"; ".join(missing)}: {_offer()}'
        )


def _offer() -> str:
    return 'use place="guest", which needs none of it' if has_keeper() else GUEST_ELSEWHERE
