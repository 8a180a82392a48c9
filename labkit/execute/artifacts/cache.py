"""The user's cache folder: kernels, their modules, compiled programs, running guests, results.

Two halves of it may lie elsewhere: the lab kernel, which a class can share, and the runs, which grow.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from labkit.errors import SetupError

CACHE, KERNEL, RUNS = "LABKIT_CACHE", "LABKIT_KERNEL", "LABKIT_RUNS"
SETTINGS = {
    CACHE: "all that labkit keeps",
    KERNEL: "the lab kernel and the programs that start it",
    RUNS: "results, and guests while they run",
}
"""Environment variables, each the name of a folder, and what lies there. One that is empty is not set."""

_HALVES = {"kernel": KERNEL, "native": KERNEL, "wasm": KERNEL, "results": RUNS, "runs": RUNS}


def root(variable: str = CACHE) -> Path:
    """What the variable names, else LABKIT_CACHE, else what the system has for it (~/.cache/labkit)."""
    named = os.environ.get(variable) or os.environ.get(CACHE)
    return Path(named).expanduser().absolute() if named else platformdirs.user_cache_path("labkit")


def place(name: str) -> Path:
    """Where a folder of the cache is, or would be: below LABKIT_KERNEL, LABKIT_RUNS or LABKIT_CACHE."""
    return root(_HALVES.get(name, CACHE)) / name


def folder(name: str) -> Path:
    """A folder of the cache, made if need be. Raises SetupError when it cannot be."""
    path = place(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(error) from None
    return path


def unusable(error: OSError) -> SetupError:
    """One message for a cache that cannot be written: full, read-only, or somebody else's."""
    reason = (error.strerror or str(error)).lower()
    variable = _setting_of(error)
    return SetupError(
        f"cannot write the cache {root(variable)}: {reason}: make room, or name another: {variable}=DIR"
    )


def _setting_of(error: OSError) -> str:
    """The variable that says where the file of this error lies."""
    named = [
        Path(os.fsdecode(name)) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)
    ]
    for variable in (KERNEL, RUNS):
        half = root(variable)
        if half != root() and any(path.is_relative_to(half) or half.is_relative_to(path) for path in named):
            return variable
    return CACHE
