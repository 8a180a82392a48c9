"""The place "tab": what a browser runs, run by node.

The same kernel source, agent and lab program as in the guest, for 32 bits, under an emulator. What it cannot
do is refused by name.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from labkit.compile.compiler import needed_modules
from labkit.compile.target import Target
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.binaries import binaries
from labkit.execute.place import Identity
from labkit.execute.process import Content, Process
from labkit.execute.tab.kernel.recipe import BUILT_IN
from labkit.execute.tab.pieces import pieces, run_command
from labkit.spec import Experiment

MEMORY_MB = 128
"""Of the machine: machine/boot.mjs."""

_LEAST_MB = 40  # of kernel and agent
_OFFER = 'use place="guest", which needs none of it'


class TabPlace:
    """A Linux kernel of its own in virtual time, under an emulator, as in a browser tab."""

    name = "tab"
    virtual_time = True
    what = "the lab kernel as a browser tab runs it, in virtual time; slower than the guest"

    def target(self) -> Target:
        """All of the kernel is the experiment's: programs are those of the guest."""
        return Target()

    def check(self, exp: Experiment) -> None:
        """Raises UnsupportedError with all that it cannot do of what the experiment needs."""
        if lacks := list(_lacks(exp)):
            raise UnsupportedError(f'place="tab": a browser tab cannot give: {"; ".join(lacks)}: {_OFFER}')

    def identity(self) -> Identity:
        """Kernel, agent, emulator, and the state that was made of them."""
        found = pieces()
        return {
            "kernel": {"release": found.kernel.release, "key": found.kernel.key},
            "agent": {"key": found.agent},
            "emulator": {"key": found.emulator, "state": found.key},
        }

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """Empty files: those that it has are part of its kernel. Raises UnsupportedError for others."""
        if lacks := list(_unknown(names)):
            raise UnsupportedError(f'place="tab": a browser tab cannot give: {"; ".join(lacks)}: {_OFFER}')
        return {f"module{i}.ko": b"" for i in range(len(names))}

    def start(
        self, files: Mapping[str, Content], *, flows: int, buffers_kb: int, hosts: int, memory: int | None
    ) -> Process:
        """Its memory is what it is. Raises SpecError if that does not hold the network and the buffers of
        traces and captures."""
        least = _LEAST_MB + (hosts >> 1) + (buffers_kb >> 10)
        if least > MEMORY_MB:
            need = f"{hosts} hosts and {buffers_kb >> 10} MiB of buffers for traces and captures"
            raise SpecError(f'place="tab": {MEMORY_MB} MiB of memory are too little for {need}: {_OFFER}')
        return Process(binaries(), run_command(pieces()), files, environment={})

    def end_computing(self, running: Process) -> bool:
        """None does: no programs are started. Takes 0.1 s."""
        time.sleep(0.1)
        return False


def _lacks(exp: Experiment) -> Iterator[str]:
    for command in exp.commands:
        yield f"the command {command.command!r} on {command.host} (it has no programs)"
    for place in exp.files:
        yield f"files {place} (there are no programs to see them)"
    if exp.memory is not None:
        yield f"memory={exp.memory} (it has {MEMORY_MB} MiB)"
    yield from _unknown(needed_modules(exp))


def _unknown(modules: Sequence[str]) -> Iterator[str]:
    for name in modules:
        if name.removeprefix("lp_") not in BUILT_IN:
            yield f"module {name} (its kernel loads none; it has {', '.join(BUILT_IN)})"
