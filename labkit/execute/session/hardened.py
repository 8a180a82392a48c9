"""The hardened mode, for whoever runs programs of others, as graders do: nothing is privileged."""

from __future__ import annotations

import os
from collections.abc import Iterable

from labkit.errors import UnsupportedError
from labkit.spec import Command


def hardened() -> bool:
    """Whether LABKIT_HARDENED=1 is set."""
    return os.environ.get("LABKIT_HARDENED") == "1"


def refuse_privileged(commands: Iterable[Command]) -> None:
    """Raises UnsupportedError in the hardened mode if one of them asks for the guest's privileges."""
    asking = [command for command in commands if command.privileged]
    if asking and hardened():
        first = asking[0]
        raise UnsupportedError(
            f"command {first.command!r} on {first.host}: privileged=True is refused in the hardened mode "
            "(LABKIT_HARDENED=1): write it without"
        )
