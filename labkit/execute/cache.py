"""The user's cache folder: kernels, their modules, compiled programs, running guests, results."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from labkit.errors import SetupError


def root() -> Path:
    """LABKIT_CACHE, or what the system has for it (~/.cache/labkit)."""
    named = os.environ.get("LABKIT_CACHE")
    return Path(named).expanduser().absolute() if named else platformdirs.user_cache_path("labkit")


def folder(name: str) -> Path:
    """A folder of the cache, made if need be. Raises SetupError when it cannot be."""
    path = root() / name
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(error) from None
    return path


def unusable(error: OSError) -> SetupError:
    """One message for a cache that cannot be written: full, read-only, or somebody else's."""
    reason = (error.strerror or str(error)).lower()
    return SetupError(
        f"cannot write the cache {root()}: {reason}: make room, or name another: LABKIT_CACHE=DIR"
    )
