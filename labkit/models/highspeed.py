"""HighSpeed TCP: RFC 3649 (Floyd 2003). Windows in segments. What Linux does otherwise: `linux_increase`.

A window above LOW_WINDOW grows by a(w) segments per round trip and is cut by the share b(w). The RFC derives
a(w) from the response function that it wants (section 5), and prints both as a table (appendix B), which
Linux has copied. w: a number or an array, above 0. Bad input raises SpecError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

LOW_WINDOW, LOW_P = 38, 1e-3
"""Up to this window HighSpeed TCP is Reno; what Reno has at a loss rate of LOW_P (section 5)."""
HIGH_WINDOW, HIGH_P = 83_000, 1e-7
"""The other point of its line in a log-log picture: 10 Gbit/s, 1500 bytes, 100 ms (section 5)."""
HIGH_DECREASE = 0.1
"""b(HIGH_WINDOW)."""
S = np.log(HIGH_WINDOW / LOW_WINDOW) / np.log(HIGH_P / LOW_P)
"""The line's slope, -0.835 (section 5)."""
# fmt: off
TABLE = np.array([
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177,
    4596, 5036, 5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082, 12834,
    13614, 14424, 15265, 16137, 17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402, 25618, 26881,
    28193, 29557, 30975, 32450, 33986, 35586, 37253, 38992, 40808, 42707, 44694, 46776, 48961, 51258,
    53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401, 79517, 84035, 89053,
])
# fmt: on
"""The n-th is the window up to which HighSpeed TCP grows by n segments per round trip (appendix B)."""


def window(p: Any) -> Any:
    """Mean window at the loss rate p (a number or an array): 0.12 / p^0.835 for p below LOW_P, and Reno's
    1.2 / sqrt(p) above: section 5 and tables 1 and 2. Infinite at p = 0, 1.2 at p = 1."""
    p = arguments.share("p", p)
    with np.errstate(divide="ignore"):
        return np.where(p < LOW_P, 0.12 / p**0.835, 1.2 / np.sqrt(p))[()]


def loss_rate(w: Any) -> Any:
    """p(w) for w from LOW_WINDOW on, 0.078 / w^1.2 (section 5): the line, read from the other axis."""
    w = arguments.at_least("w", w, LOW_WINDOW, "below it HighSpeed TCP is Reno")
    return LOW_P * (w / LOW_WINDOW) ** (1 / S)


def decrease(w: Any) -> Any:
    """b(w): the share that a loss costs. Linear in log w from 0.5 to HIGH_DECREASE (section 5), and on from
    there; from a window of 565,000 on nothing would be left of it: SpecError."""
    w = arguments.positive("w", w)
    along = np.log(np.maximum(w, LOW_WINDOW) / LOW_WINDOW) / np.log(HIGH_WINDOW / LOW_WINDOW)
    b = (HIGH_DECREASE - 0.5) * along + 0.5
    arguments.refuse("w", w, b > 0, "must be below 565,000: there the line of b(w) is at 0")
    return b


def increase(w: Any) -> Any:
    """a(w): segments per round trip, w^2 p(w) 2 b(w) / (2 - b(w)), 1 up to LOW_WINDOW (section 5)."""
    w = np.maximum(arguments.positive("w", w), LOW_WINDOW)
    b = decrease(w)
    return np.maximum(w**2 * loss_rate(w) * 2 * b / (2 - b), 1.0)


def linux_increase(w: Any, per_ack: float = 2) -> Any:
    """What tcp_highspeed.c makes of a(w): TABLE's whole segments, per cwnd *ACKs*.

    per_ack: packets that an ACK acknowledges. Linux counts each ACK once, however many packets it stands
    for, so that delayed ACKs (2) halve the growth.
    """
    return (_row(w) + 1) / arguments.scalar(arguments.positive, "per_ack", per_ack)


def linux_decrease(w: Any) -> Any:
    """b of TABLE's row for w, as tcp_highspeed.c has it (there in 256ths)."""
    return decrease(TABLE[_row(w)])


def _row(w: Any) -> Any:
    return np.minimum(np.searchsorted(TABLE, arguments.positive("w", w)), len(TABLE) - 1)
