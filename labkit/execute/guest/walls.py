"""What is said where a wall around a guest cannot stand. The walls themselves are C (native/walls.h)."""

from __future__ import annotations

import functools
import warnings

NO_LANDLOCK = (
    "this machine's kernel has no Landlock (Linux 5.13 or newer, switched on): a kernel module that an "
    "experiment names could read what you can read, and its source, being compiled, do what you can do; all "
    "else is shut: SECURITY.md, `labkit doctor --security`"
)
_CREATE_RULESET, _VERSION = 444, 1


def landlock() -> int:
    """The version of Landlock that the machine's kernel offers this process; 0: none."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    version: int = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    return max(0, version)


@functools.cache
def warn_of_gaps() -> None:
    """Say once in a process which wall is missing here."""
    if not landlock():
        warnings.warn(NO_LANDLOCK, RuntimeWarning, stacklevel=2)
