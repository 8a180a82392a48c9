"""For nbval: numbers with all digits of a double are compared to ten digits, all others as they are written.

The kernel's numbers are the same bytes on every machine. What numpy makes of them is not: its exp, log and
powers take another way on processors with AVX-512, and differ in the last digits of a double. A number of
fewer than 15 digits (seconds to the nanosecond have 11) has to be what was recorded to its last one.
"""

from __future__ import annotations

import re
from typing import Any

from nbval.plugin import IPyNbCell

FULL, KEPT = 15, 10
_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:[eE][-+]?\d+)?(?!\w)")
_sanitize = IPyNbCell.sanitize


def rounded(value: Any) -> Any:
    """A text, or what JSON holds, with its longest numbers rounded."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    if isinstance(value, float):
        return float(_short(repr(value)))
    return _NUMBER.sub(lambda found: _short(found[0]), value) if isinstance(value, str) else value


def _short(number: str) -> str:
    digits = re.sub(r"[eE].*|\D", "", number).lstrip("0")
    return repr(float(f"{float(number):.{KEPT}g}")) if len(digits) >= FULL else number


def _sanitize_and_round(cell: IPyNbCell, output: Any) -> Any:
    return rounded(_sanitize(cell, output))


IPyNbCell.sanitize = _sanitize_and_round
