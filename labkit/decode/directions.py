"""Directions of connections, numbered as they come: what all packets of one share is kept once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from labkit.decode.headers import IPV6, NONE, Headers
from labkit.decode.raw import Ints


@dataclass(frozen=True)
class Directions:
    """Arrays of one length. back: the direction of the packets back; -1: none. start: the sequence number
    that counts as 0; None: the first SYN's, without one that before the first packet's. unheard: the window
    scale of one whose SYN was not captured; NONE: none, CUT: one, if the direction back has one."""

    src: Ints
    sport: Ints
    dst: Ints
    dport: Ints
    protocol: Ints
    back: Ints
    start: Ints | None = None
    unheard: int = NONE

    @property
    def ends(self) -> list[Ints]:
        """src, sport, dst, dport, protocol."""
        return [self.src, self.sport, self.dst, self.dport, self.protocol]


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
        second |= (headers.src >= IPV6).astype(np.int64) << 44
        a, _ = pd.factorize(first)
        b, _ = pd.factorize(second)
        here, pairs = pd.factorize(a.astype(np.int64) << 32 | b)
        where = np.zeros(len(pairs), np.int64)
        where[here[::-1]] = np.arange(len(here))[::-1]
        there = (headers.src, headers.sport, headers.dst, headers.dport, headers.protocol)
        ends = zip(*(column[where].tolist() for column in there), strict=True)
        known = [self._number.setdefault(end, len(self._number)) for end in ends]
        return np.array(known, np.int64)[here]

    def directions(self) -> Directions:
        """All of them."""
        known = self._number
        back = [known.get((dst, dport, src, sport, what), -1) for src, sport, dst, dport, what in known]
        src, sport, dst, dport, protocol = np.array(list(known), np.int64).reshape(-1, 5).T
        return Directions(src, sport, dst, dport, protocol, np.array(back, np.int64))
