"""The place "tab": what a browser runs, run by node.

The same kernel source, agent and lab program as in the guest, for 32 bits, under an emulator. What it cannot
do is refused by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from labkit.compile.target import Target
from labkit.errors import SpecError, UnsupportedError
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.process import Content, Process
from labkit.execute.machine.turns import Processor
from labkit.execute.place import Identity
from labkit.execute.tab.kernel.recipe import BUILT_IN
from labkit.execute.tab.pieces import pieces, run_command
from labkit.execute.tab.unsupported import MEMORY_MB as MEMORY_MB
from labkit.execute.tab.unsupported import lacks, too_large, unknown
from labkit.spec import Experiment

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
        if missing := list(lacks(exp, BUILT_IN)):
            raise UnsupportedError(f'place="tab": a browser tab cannot give: {"; ".join(missing)}: {_OFFER}')

    def ready(self, beat: Callable[[], object] | None = None) -> None:
        """Nobody makes its pieces unasked."""

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
        if missing := list(unknown(names, BUILT_IN)):
            raise UnsupportedError(f'place="tab": a browser tab cannot give: {"; ".join(missing)}: {_OFFER}')
        return {f"module{i}.ko": b"" for i in range(len(names))}

    def start(
        self, files: Mapping[str, Content], needs: Needs, processor: Processor | None = None
    ) -> Process:
        """Its memory is what it is. Raises SpecError if that does not hold the network and the buffers of
        traces and captures."""
        if said := too_large(needs):
            raise SpecError(f'place="tab": {said}: {_OFFER}')
        return Process(binaries(), run_command(pieces()), files, environment={}, processor=processor)

    def end_computing(self, running: Process) -> bool:
        """None does: no programs are started. Takes 0.1 s."""
        time.sleep(0.1)
        return False
