"""Values as a line of a table has them: short, the same each time, without a path of this machine."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any

LONGEST = 160
_FEW = 6
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_PATHS = re.compile(r"/(?:[\w.@+-]+/)+[\w.@+-]*")


def shown(value: Any) -> float | int | str | None:
    """A number, or words; None for what says nothing (a module, a function)."""
    if isinstance(value, ModuleType | type) or callable(value):
        return None
    if isinstance(value, bool) or type(value).__name__ == "bool":  # numpy's as well
        return str(bool(value))
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return float(f"{number:.6g}") if math.isfinite(number) else str(number)
    return _many(value) or words(repr(value))


def words(text: str) -> str:
    """On one line, at most LONGEST characters."""
    plain = _PATHS.sub(lambda path: Path(path[0]).name, _ADDRESS.sub("", " ".join(text.split())))
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 3] + "..."


def _many(value: Any) -> str:
    """An array, a Series or a table of numbers: all of them if they are few, else from where to where."""
    import numpy as np

    if not hasattr(value, "to_numpy") and not isinstance(value, np.ndarray):
        return ""
    array = np.asarray(value).ravel()
    try:
        numbers = array.astype(float)
    except (TypeError, ValueError):
        return f"{len(array)} values: {words(', '.join(map(str, array[:_FEW])))}"
    if len(numbers) <= _FEW:
        return f"[{', '.join(f'{number:.6g}' for number in numbers)}]"
    known = numbers[np.isfinite(numbers)]
    between = f"{known.min():.6g} to {known.max():.6g}" if len(known) else "none finite"
    return f"{len(numbers)} values, {between}"
