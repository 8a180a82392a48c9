"""Sequence numbers that count from the SYN and go on beyond 2^32, and windows as they are scaled."""

from __future__ import annotations

import numpy as np

from labkit.decode.directions import Directions
from labkit.decode.headers import CUT, NONE
from labkit.decode.kept_headers import Kept
from labkit.decode.raw import Ints

_SYN, _ACK = 2, 16
_WRAP = 1 << 32
_FARTHEST = 1 << 29  # half of the largest window: two neighbours are nearer than that


def _signed(difference: Ints) -> Ints:
    return (difference + _WRAP // 2) % _WRAP - _WRAP // 2


def _unwrapped(values: Ints, base: int) -> Ints:
    """values - base, going on beyond 2^32: each one is near the one before it. A value that is far from both
    its neighbours (a flipped bit) is no such neighbour itself."""
    if not len(values):
        return values
    start = int(_signed(values[:1] - base)[0])  # below 0 if the first one captured is older than the base
    steady = np.arange(len(values))
    while len(steady) > 2:
        far = np.abs(_signed(np.diff(values[steady]))) > _FARTHEST
        strange = np.concatenate(([False], far[:-1] & far[1:], [False]))
        if not strange.any():
            break
        strange[1:] &= ~strange[:-1]  # of two in a row the second may be far from the first alone
        steady = steady[~strange]
    steps = np.concatenate(([0], np.cumsum(_signed(np.diff(values[steady])))))
    if len(steady) == len(values):
        return start + steps
    near = np.searchsorted(steady, np.arange(len(values)), "right") - 1
    return start + steps[near] + _signed(values - values[steady[near]])


def relate(kept: Kept, directions: Directions) -> None:
    """Makes seq, ack and the edges of SACK blocks count from the SYN of their direction; 0: there is none,
    -1: it was cut off. Without a SYN the first packet's sequence number counts as 1."""
    order = np.argsort(kept.number, kind="stable")
    order = order[kept.seq[order] >= 0]
    parts = np.split(order, np.flatnonzero(np.diff(kept.number[order])) + 1) if order.size else []
    kept.seq[kept.seq < 0] -= NONE
    start: dict[int, int] = {}
    for part in parts:
        if directions.start is not None:
            number = int(kept.number[part[0]])
            start[number] = int(directions.start[number])
            kept.seq[part] = _unwrapped(kept.seq[part], start[number])
            continue
        syn = part[(kept.flags[part] & _SYN) != 0]
        first = int(kept.seq[syn[0]]) if syn.size else int(kept.seq[part[0]]) - 1
        start[int(kept.number[part[0]])] = first
        kept.seq[part] = _unwrapped(kept.seq[part], first)
        begun = syn[0] if syn.size else part[0]
        kept.seq[part] -= kept.seq[begun] - (0 if syn.size else 1)
    acking = np.zeros(len(kept.number), bool)
    for part in parts:
        mine = part[(kept.flags[part] & _ACK) != 0]
        acking[mine] = True
        if mine.size:
            other = int(directions.back[kept.number[part[0]]])
            raw = kept.ack[mine]
            ack = _unwrapped(raw, start.get(other, int(raw[0]) - 1))
            kept.ack[mine] = ack
            _relate_edges(kept, mine, ack, raw)
    silent = np.flatnonzero(~acking)
    _relate_edges(kept, silent, 0, kept.ack[silent])
    kept.ack[silent] = np.where(kept.ack[silent] == CUT, CUT - NONE, 0)


def _relate_edges(kept: Kept, rows: Ints, ack: Ints | int, raw: Ints) -> None:
    """Edges near an acknowledgement number that was `raw` and now is `ack`; -1: none."""
    for edge in (*kept.left, *kept.right):
        there = edge[rows] >= 0
        if there.any():
            edge[rows[there]] = (ack + _signed(edge[rows] - raw))[there]


def windows(kept: Kept, directions: Directions) -> Ints:
    """Scaled by the option of the direction's SYN, if the other SYN has one too."""
    back = directions.back
    scale = np.full(len(back), directions.unheard, np.int64)
    syn = np.flatnonzero((kept.flags >= 0) & (kept.flags & _SYN != 0))
    scale[kept.number[syn[::-1]]] = kept.scale[syn[::-1]]  # of several the first
    other = np.where(back >= 0, scale[back], directions.unheard)
    both = (scale >= 0) & (other != NONE)
    shift = np.where(both, np.minimum(scale, 14), 0)[kept.number]
    shift[syn] = 0
    window = kept.window
    shift[window < 0] = 0
    window[window < 0] -= NONE
    window <<= shift
    return window
