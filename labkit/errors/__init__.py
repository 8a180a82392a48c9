"""What can go wrong, by name. Every message says what, where, and what would be right."""

from __future__ import annotations

from labkit.errors.strangers_text import escaped


class LabkitError(Exception):
    """Base of every error that labkit raises on purpose. Whatever of somebody else's text a message takes in,
    a terminal shows it and does not obey it."""

    def __init__(self, *said: object) -> None:
        super().__init__(*(escaped(one, lines=True) if isinstance(one, str) else one for one in said))


class SpecError(LabkitError, ValueError):
    """An experiment's description is wrong; nothing has been started."""


class SetupError(LabkitError):
    """This machine lacks something (compiler, kernel source, space); names the command that helps."""


class UnsupportedError(LabkitError):
    """The chosen place cannot do what the experiment asks for; names what is missing."""


class AgentError(LabkitError):
    """The agent, or the kernel under it, refused a step of the lab program; names the step."""


class LabKernelError(LabkitError):
    """The lab kernel died (panic, crash, no memory); carries the last console lines."""


class LimitReached(LabkitError):
    """A run met its limit of virtual or wall time. `result` holds what was measured so far."""

    def __init__(self, message: str, result: object | None = None) -> None:
        super().__init__(message)
        self.result = result


class CommandWarning(UserWarning):
    """A command of an experiment failed, so that the network may be another one than is written. Of a command
    with check=False nobody is warned."""


class CellError(LabkitError):
    """A congestion control written in a cell (%%cc) does not compile or goes wrong; shows the cell's line.
    `line` is its number, None if there is none to name."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
