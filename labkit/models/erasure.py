"""Forward error correction against losses by chance: what stays lost, from the binomial distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments

_MOST = 1000
"""Datagrams of a block: the binomial coefficients of longer ones are beyond a double."""


def residual_loss(p: Any, n: int, k: int) -> Any:
    """Share of packets that stay lost, where any k of n datagrams restore a block and each is lost by itself.

    p: share of datagrams lost; a number or an array; n datagrams carry k packets, k of which are the packets
    themselves; n copies of one packet are k = 1. A packet stays lost if it is lost and fewer than k of the
    other n - 1 arrive: p * P(B(n - 1, 1 - p) < k) (Rizzo, 1997, section 2.2, has the probability of the whole
    block). 0 at p = 0, 1 at p = 1; n: up to 1000. Raises SpecError.
    """
    loss = arguments.share("p", p)
    if not arguments.is_whole(n) or not arguments.is_whole(k) or not 1 <= k <= n <= _MOST:
        raise SpecError(
            f"n={n!r}, k={k!r}: must be whole numbers, k at least 1, n at least k, and {_MOST} at most"
        )
    n, k = int(n), int(k)
    came = [
        math.comb(n - 1, i) * (1 - loss) ** i * loss ** (n - 1 - i)
        for i in range(k)  # of the others
    ]
    return loss * np.sum(came, axis=0)


def overhead(n: int, k: int) -> float:
    """Datagrams that are sent beside each packet: (n - k) / k. Raises SpecError."""
    residual_loss(0.0, n, k)
    return (n - k) / k
