"""Where a lab program can run: what every place says of itself and does. Which there are: places.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from labkit.compile.target import Target
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.process import Content, Process
from labkit.execute.machine.turns import Processor
from labkit.spec import Experiment

Identity = dict[str, Any]


class Place(Protocol):
    """name: as it is written, and in manifests. virtual_time: idle time is skipped, and the same program
    gives the same bytes again. what: in a few words, for help texts."""

    name: str
    virtual_time: bool
    what: str

    def target(self) -> Target:
        """What compiling has to know of it."""

    def check(self, exp: Experiment) -> None:
        """Raises UnsupportedError with all that it cannot do of what the experiment needs."""

    def ready(self, beat: Callable[[], object] | None = None) -> None:
        """Waits for what somebody is making that it needs: with a bar, or beat is called ten times a second,
        and what it raises ends the wait. Raises SetupError."""

    def identity(self) -> Identity:
        """What decides its results besides the program: the kernel. Raises SetupError."""

    def modules(self, names: Sequence[str]) -> dict[str, bytes]:
        """Kernel modules by name or path, compiled for it: name in the run folder -> bytes. Raises
        SetupError, ModuleBuildError."""

    def start(
        self, files: Mapping[str, Content], needs: Needs, processor: Processor | None = None
    ) -> Process:
        """The agent at work on these files ("program", modules) in a run folder of its own. processor: as of
        a Process. Raises SetupError; SpecError if there is too little memory for what it needs."""

    def end_computing(self, running: Process) -> bool:
        """End a program of the experiment that keeps the agent from its work, if one does. Returns whether.
        Takes a moment."""
