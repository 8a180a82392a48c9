"""The square-root law: window and rate of an ideal Reno by its loss rate, and whence its constant.

M. Mathis, J. Semke, J. Mahdavi, T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm",
CCR 27(3), 1997. Windows in segments, round trips in s, rates in bit/s; p: the share of packets that are
congestion signals. No timeouts, no limit but the window. Timeouts: `padhye`; other algorithms: `response`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from labkit.models import arguments, response

Loss = Literal["periodic", "random"]


def constant(loss: Loss = "periodic", per_ack: float = 1, left: float = 0.5) -> float:
    """C in C / sqrt(p): 1.22 and 1.31 if each packet is acknowledged, 0.87 and 0.93 with delayed ACKs
    (equation 3, table 1).

    loss: "periodic", each 1/p-th packet, sqrt((1 + left) / (2 (1 - left) per_ack)); or "random", each packet
    with the chance p. per_ack: packets that an ACK acknowledges, where the window grows by ACKs; 1 where it
    grows by packets, as Linux's does. left: what a loss leaves of the window.

    Random: in time counted in packets per_ack w^2 / 2 grows by one a packet and falls to left^2 of itself at
    a loss. The mean window is one over the mean of 1/w, taken per packet, which gives sqrt(2 / (pi per_ack))
    times the product of (1 - left^2j) / (1 - left^(2j-1)) over j = 1, 2, ...: the 1.3098 of T. Ott, J.
    Kemperman, M. Mathis, The Stationary Behavior of Ideal TCP Congestion Avoidance, 1996. Raises SpecError.
    """
    per_ack = arguments.scalar(arguments.positive, "per_ack", per_ack)
    left = arguments.scalar(arguments.share, "left", left, one=False)  # else there is no balance
    if arguments.one_of("loss", loss, ("periodic", "random")) == "periodic":
        return float(response.aimd(1.0, a=1 / per_ack, b=1 - left))
    j = np.arange(1, 2 + math.ceil(40 / -math.log(left)) if left > 0 else 2)  # all that changes a double
    product = float(np.prod((1 - left ** (2.0 * j)) / (1 - left ** (2.0 * j - 1))))
    return math.sqrt(2 / (math.pi * per_ack)) * product


def window(p: Any, c: float | None = None) -> Any:
    """Mean window C / sqrt(p), in segments. p: a number or an array; 0 gives infinity: without losses the law
    has no limit. c: C, `constant()` if None. Raises SpecError."""
    p, c = arguments.share("p", p), _constant(c)
    with np.errstate(divide="ignore"):
        return c / np.sqrt(p)


def rate(p: Any, rtt: Any, mss: Any = 1448, c: float | None = None) -> Any:
    """Bit/s of payload, 8 mss C / (rtt sqrt(p)): equation 3. rtt: s; mss: bytes of payload in a packet; any
    shapes that fit each other. p = 0 gives infinity. Raises SpecError."""
    arguments.together(p=p, rtt=rtt, mss=mss)
    return 8 * arguments.positive("mss", mss) * window(p, c) / arguments.positive("rtt", rtt)


def loss_rate(bit_s: Any, rtt: Any, mss: Any = 1448, c: float | None = None) -> Any:
    """The p at which the law gives this rate (bit/s): equation 3, solved. At most 1. Raises SpecError."""
    arguments.together(bit_s=bit_s, rtt=rtt, mss=mss)
    c = _constant(c)
    w = (
        arguments.positive("bit_s", bit_s)
        * arguments.positive("rtt", rtt)
        / (8 * arguments.positive("mss", mss))
    )
    return np.minimum((c / w) ** 2, 1.0)


def with_recovery(p: Any, c: float | None = None, trips: float = 1) -> Any:
    """The window if after each loss it stands still for so many round trips before it grows again.

    A tooth of 1/p packets takes sqrt(1/p) / C round trips by the law, and `trips` more: 1 / (sqrt(p) / C +
    trips p). p = 0 gives infinity. A fast recovery takes one round trip (RFC 5681, section 3.2). Raises
    SpecError.
    """
    p, c, trips = arguments.share("p", p), _constant(c), arguments.scalar(arguments.from_zero, "trips", trips)
    with np.errstate(divide="ignore"):
        return 1 / (np.sqrt(p) / c + trips * p)


def _constant(c: float | None) -> float:
    return constant() if c is None else arguments.scalar(arguments.positive, "c", c)
