"""What theory says: pure functions of plain numbers and arrays, each with its source. One idea per file."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

_OLD_NAMES: dict[str, tuple[str, str]] = {"given": ("arguments", "0.2")}
"""Old name of a module -> the new one, and the version that has it first, as in labkit/__init__.py."""


def __getattr__(name: str) -> Any:
    if name not in _OLD_NAMES:
        raise AttributeError(f"module 'labkit.models' has no attribute {name!r}")
    new, since = _OLD_NAMES[name]
    path = f"labkit.models.{new}"
    text = f"labkit.models.{name} is {path} since {since}, and goes with the next release: write that"
    warnings.warn(text, DeprecationWarning, stacklevel=2)
    return importlib.import_module(path)
