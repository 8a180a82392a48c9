"""The user's cache folder: kernels, their modules, compiled programs, running guests, results.

Two halves of it may lie elsewhere: the lab kernel, which a class can share, and the runs, which grow.
"""

from __future__ import annotations

import contextlib
import os
import shutil
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

_LITTLE_BYTES = 256 << 10
_FULL = ("No space left on device", "Disk quota exceeded")
"""What tools say of a full disk."""

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


def unusable(error: OSError, at: Path | None = None) -> SetupError:
    """One message for a cache that cannot be written: full, read-only, or somebody else's. at: what was
    written, where the error has no name, as that of a full disk."""
    reason = (error.strerror or str(error)).lower()
    names = [name for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    named = [Path(os.fsdecode(name)) for name in names] or ([] if at is None else [at])
    variable = _setting_of(named)
    where = _disk_of(named[0], root(variable)) if named else root(variable)
    return SetupError(f"cannot write the cache {where}: {reason}: make room, or name another: {variable}=DIR")


def temporary() -> Path:
    """Where compilers put what is between their steps."""
    return Path(os.environ.get("TMPDIR") or "/tmp")


def full(said: str, *places: Path) -> SetupError | None:
    """Why a tool failed, if it was for want of room, as it said or as can be seen: the one of these places
    with the least is named. None: for something else."""
    free, where = min((shutil.disk_usage(place).free, place) for place in places)
    if free > _LITTLE_BYTES and not any(words in said for words in _FULL):
        return None
    variable = _setting_of([where])
    if where.is_relative_to(root(variable)):
        where = _disk_of(where, root(variable))
    else:
        variable = "TMPDIR"
    text = f"the disk is full ({free >> 20} MB free at {where})"
    return SetupError(f"{text}: make room, or name another place: {variable}=DIR")


def _disk_of(path: Path, cache: Path) -> Path:
    """The folder of the cache that this lies in, if that has a disk of its own; else the cache."""
    here = next((folder for folder in (path, *path.parents) if folder.is_dir()), cache)
    with contextlib.suppress(OSError):
        if here.is_relative_to(cache) and here.stat().st_dev != cache.stat().st_dev:
            return here
    return cache


def _setting_of(named: list[Path]) -> str:
    """The variable that says where these files lie."""
    for variable in (KERNEL, RUNS):
        half = root(variable)
        if half != root() and any(path.is_relative_to(half) or half.is_relative_to(path) for path in named):
            return variable
    return CACHE
