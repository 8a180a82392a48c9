"""H-TCP's window between two losses: draft-leith-tcp-htcp-06 (Leith and Shorten). Segments and seconds.

What Linux does otherwise (whole numbers, one ACK more per step): `linux_alpha`. Numbers or arrays that fit
each other, unless said otherwise; beta: from 0 to below 1. Bad input raises SpecError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments

DELTA_L = 1.0
"""Seconds after a loss for which H-TCP grows as Reno does."""
BETA_MIN, BETA_MAX = 0.5, 0.8
"""The least and the most that is left of the window after a loss."""
RTT_REFERENCE = 0.1
"""The round trip (s) at which scaling changes nothing (Linux; the draft leaves the constant open)."""


def alpha(delta: Any, beta: float = BETA_MIN, rtt: Any = None) -> Any:
    """Segments that the window grows per round trip, delta seconds after the last loss (number or array).

    2 (1 - beta) f with f = 1 up to DELTA_L and then 1 + 10 x + (x / 2)^2, x = delta - DELTA_L. rtt: multiply
    f by it, in units of RTT_REFERENCE (from a tenth of it to twice it), but not below 1; None: no scaling.
    """
    x = np.maximum(arguments.from_zero("delta", delta) - DELTA_L, 0)
    beta = arguments.scalar(arguments.share, "beta", beta, one=False)
    f = 1 + 10 * x + (x / 2) ** 2
    if rtt is not None:
        arguments.together(delta=delta, rtt=rtt)
        rtt = arguments.positive("rtt", rtt)
        f = np.maximum(f * np.clip(rtt / RTT_REFERENCE, 0.1, 2), 1)
    return 2 * (1 - beta) * f


def beta(rtt_min: float, rtt_max: float) -> float:
    """What is left of the window: RTT_min / RTT_max, between BETA_MIN and BETA_MAX. So much empties the queue
    and no more. H-TCP uses it while the rates before two losses in a row differ by less than a fifth, else
    BETA_MIN. rtt_max: rtt_min or more, both one number."""
    rtt_min = arguments.scalar(arguments.positive, "rtt_min", rtt_min)
    rtt_max = arguments.scalar(
        arguments.at_least, "rtt_max", rtt_max, rtt_min, "none is shorter than rtt_min"
    )
    return float(np.clip(rtt_min / rtt_max, BETA_MIN, BETA_MAX))


def window(t: Any, w_epoch: float, rtt: float, beta: float = BETA_MIN, scaled: bool = True) -> Any:
    """The window t seconds after a loss (an array, ascending from 0): alpha / RTT, added up over time. One
    w_epoch, one rtt."""
    times = arguments.row("t", t)
    arguments.from_zero("t", times)
    if not len(times) or times[0] != 0 or (np.diff(times) < 0).any():
        raise SpecError("t: must begin at 0, the moment of the loss, and ascend")
    w_epoch, rtt = (
        arguments.scalar(arguments.positive, "w_epoch", w_epoch),
        arguments.scalar(arguments.positive, "rtt", rtt),
    )
    scaled = arguments.flag("scaled", scaled)
    rate = alpha(times, beta, rtt if scaled else None) / rtt
    grown = np.concatenate(([0.0], np.cumsum(np.diff(times) * (rate[1:] + rate[:-1]) / 2)))
    return w_epoch + grown


def linux_alpha(delta: Any, w: Any, rtt: Any, beta: float = BETA_MIN, per_ack: int = 2) -> Any:
    """What tcp_htcp.c makes of `alpha` at a window w, with an ACK for each per_ack packets.

    f and its scaled value are whole numbers; f is divided by 100 ms over the round trip, which is in eighths,
    rounded down, of a round trip in ms, rounded up. And the ACK on which the window grows does not count for
    the next step: a step takes one ACK more than w / alpha packets need.
    """
    arguments.together(delta=delta, w=w, rtt=rtt)
    w, rtt, per_ack = (
        arguments.positive("w", w),
        arguments.positive("rtt", rtt),
        arguments.count("per_ack", per_ack, 1),
    )
    beta = arguments.scalar(arguments.share, "beta", beta, one=False)
    x = np.maximum(arguments.from_zero("delta", delta) - DELTA_L, 0)
    f = np.floor(1 + 10 * x + (x / 2) ** 2)
    ticks = np.ceil(np.round(1000 * rtt, 3))
    eighths = np.clip(np.floor(8000 * RTT_REFERENCE / ticks), 4, 80)
    scaled = np.maximum(np.floor(8 * f / eighths), 1)
    acks = np.ceil(w / (2 * (1 - beta) * scaled * per_ack)) + 1
    return w / (acks * per_ack)
