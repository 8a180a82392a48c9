"""Columns of numbers and texts as short strings: a notebook gives each item of a list a line of its own.

A packed column is {"is": one value for all}, {"n": numbers}, {"d": differences, the first one from zero}, or
{"of": texts, "at": their numbers}. Numbers are in base 36 with spaces between, "-" for none; "1*14" is forty
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import Any

import numpy as np

Json = dict[str, Any]
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(value: int) -> str:
    """As JavaScript's toString(36) writes it."""
    if value < 0:
        return "-" + base36(-value)
    text = ""
    while True:
        value, digit = divmod(value, 36)
        text = _DIGITS[digit] + text
        if not value:
            return text


def numbers(values: Iterable[int | None]) -> Json:
    """Whole numbers as they are."""
    listed = list(values)
    if listed and all(value == listed[0] for value in listed):
        return {"is": listed[0]}
    return {"n": _text(listed)}


def differences(values: Sequence[int] | np.ndarray[Any, Any]) -> Json:
    """Whole numbers that change little from one to the next."""
    listed = [int(value) for value in values]
    if listed and all(value == listed[0] for value in listed):
        return {"is": listed[0]}
    return {"d": _text([b - a for a, b in zip([0, *listed], listed, strict=False)])}


def texts(values: Iterable[str]) -> Json:
    """Texts, each written once."""
    listed = list(values)
    known = list(dict.fromkeys(listed))
    if len(known) == 1:
        return {"is": known[0]}
    place = {text: number for number, text in enumerate(known)}
    return {"of": known, "at": _text([place[text] for text in listed])}


def _text(values: Iterable[int | None]) -> str:
    parts = []
    for value, same in groupby(values):
        count = sum(1 for _ in same)
        written = "-" if value is None else base36(value)
        parts.append(written if count == 1 else f"{written}*{base36(count)}")
    return " ".join(parts)


def unpacked(packed: Json, count: int) -> list[Any]:
    """What was packed, `count` items: as the script reads it."""
    if "is" in packed:
        return [packed["is"]] * count
    key = next(key for key in ("n", "d", "at") if key in packed)
    found: list[int | None] = []
    for part in str(packed[key]).split():
        written, _, again = part.partition("*")
        found += [None if written == "-" else int(written, 36)] * (int(again, 36) if again else 1)
    if "at" in packed:
        return [packed["of"][number] for number in found]
    return list(accumulate(found)) if key == "d" else found  # differences are whole
