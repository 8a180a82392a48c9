"""Real programs in tests: what this machine has not got skips them, and says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest

from scripts import programs
from scripts.programs import PROGRAMS, PYTHON

__all__ = ["PROGRAMS", "PYTHON", "or_skip", "site"]
P = ParamSpec("P")
T = TypeVar("T")


def or_skip(ask: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    try:
        return ask(*arguments, **more)
    except programs.Missing as missing:
        pytest.skip(str(missing))


def site(folder: Path, objects: dict[str, int]) -> Path:
    """What nginx shows as /site: its settings, a certificate for "left", pages of so many bytes."""
    or_skip(programs.certificate, folder, "left")
    shutil.copy(PROGRAMS / "nginx.conf", folder)
    (folder / "www").mkdir()
    for name, size in objects.items():
        (folder / "www" / name).write_bytes(bytes(size))
    return folder
