"""What tables are made of: names that repeat a million times, kept once; names of errors; units."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd


class Units(dict[str, str]):
    """Column -> unit. pandas copies a table's attrs at every step: these are never changed, so shared."""

    def __deepcopy__(self, memo: object) -> Units:
        return self


def categorical(codes: npt.ArrayLike, names: Sequence[str]) -> pd.Categorical[Any]:
    """names[code] for each code; -1: missing."""
    return pd.Categorical.from_codes(np.asarray(codes, np.int64), pd.Index(list(names), dtype="str"))


def each(values: npt.NDArray[Any], read: Callable[[Any], str | None]) -> pd.Categorical[Any]:
    """read(value), called once for each different value; None: missing."""
    distinct, codes = np.unique(values, return_inverse=True)
    texts = [read(value) for value in distinct.tolist()]
    names = sorted({text for text in texts if text is not None})
    place: dict[str | None, int] = {name: i for i, name in enumerate(names)}
    return categorical(np.array([place.get(text, -1) for text in texts], np.int64)[codes], names)


def errno_name(number: int) -> str:
    """ "ECONNREFUSED" for 111, "" for 0."""
    return errno.errorcode.get(number, f"errno {number}") if number else ""
