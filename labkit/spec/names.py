"""Names that hosts and switches can have."""

from __future__ import annotations

import re

from labkit.errors import SpecError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
_TAKEN = {"wires": "where the lab keeps the links", "localhost": "every host's name for itself"}


def node_name(name: str) -> str:
    """The name, if it is one. Raises SpecError."""
    if not _NAME.fullmatch(name):
        raise SpecError("a host's name is 1 to 32 letters, digits, '-' or '_'")
    if name.lower() in _TAKEN:
        raise SpecError(f"is {_TAKEN[name.lower()]}: give the host another name")
    return name
