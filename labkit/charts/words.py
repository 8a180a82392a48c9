"""Numbers and lists as a sentence has them: what a figure's description is written with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

_NAN = re.compile(r"\bnan\b( ?%)?")  # as a format writes it


def number(value: float) -> str:
    """Three digits that count, no exponent: "0.0123", "9.56", "142", "35,595"."""
    if value != value:
        return "unknown"
    if value == 0:
        return "0"
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    return np.format_float_positional(float(f"{value:.3g}"), trim="-")


def as_text(value: Any) -> str:
    """A value of a summary: a number as `number` says it, a text with "unknown" for each NaN in it."""
    if isinstance(value, float) or hasattr(value, "item"):
        return number(float(value))
    return _NAN.sub("unknown", str(value))


def count(n: int, one: str, many: str | None = None) -> str:
    """ "1 packet", "no packets", "147 packets"."""
    if n == 1:
        return f"1 {one}"
    return f"{n:,}".replace("0", "no", 1 if n == 0 else 0) + f" {many or one + 's'}"


def times(n: int) -> str:
    """ "never", "once", "twice", "5 times"."""
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n:,} times")


def listing(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def limited(parts: Sequence[str], most: int, what: str) -> str:
    """The sentences of the first few, and how many more there are."""
    more = len(parts) - most
    return " ".join(parts[:most]) + (f" And {more} more {what}." if more > 0 else "")
