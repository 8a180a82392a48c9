"""Directions of connections, numbered as they come: what all packets of one share is kept once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labkit.decode.headers import Headers
from labkit.decode.raw import Ints


class Ends:
    """The directions seen so far: the ends of each, and its number."""

    def __init__(self) -> None:
        self._number: dict[tuple[int, ...], int] = {}

    def numbers(self, headers: Headers) -> Ints:
        """The number of each packet's direction."""
        first = headers.src.astype(np.uint32).astype(np.uint64) << np.uint64(32) | headers.dst.astype(
            np.uint32
        )
        second = (headers.sport + 1) << 26 | (headers.dport + 1) << 9 | headers.protocol + 1
        a, _ = pd.factorize(first)
        b, _ = pd.factorize(second)
        here, pairs = pd.factorize(a.astype(np.int64) << 32 | b)
        where = np.zeros(len(pairs), np.int64)
        where[here[::-1]] = np.arange(len(here))[::-1]
        there = (headers.src, headers.sport, headers.dst, headers.dport, headers.protocol)
        ends = zip(*(column[where].tolist() for column in there), strict=True)
        known = [self._number.setdefault(end, len(self._number)) for end in ends]
        return np.array(known, np.int64)[here]

    def columns(self) -> list[Ints]:
        """src, sport, dst, dport and protocol of each direction."""
        return list(np.array(list(self._number), np.int64).reshape(-1, 5).T)

    def back(self) -> Ints:
        """For each direction that of the one back; -1: none."""
        known = self._number
        found = [known.get((dst, dport, src, sport, what), -1) for src, sport, dst, dport, what in known]
        return np.array(found, np.int64)
