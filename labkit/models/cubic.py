"""CUBIC's window between two losses: RFC 9438, by its figures' numbers. Windows in segments, times in s.

What Linux does otherwise (fixed point, when it looks at the clock) is measured, not modelled. Bad input
raises SpecError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

C = 0.4
"""Segments per cubic second (RFC 9438, section 5.1)."""
BETA = 0.7
"""What is left of the window after a loss (RFC 9438, section 4.6). Linux has 717/1024."""


def alpha(beta: float = BETA) -> float:
    """Segments that W_est grows per round trip, so that a window cut to `beta` has Reno's mean: 3(1-b)/(1+b)
    (RFC 9438, section 4.3). 0.529 for 0.7; Linux has 8/15 = 0.533. beta: from 0 to below 1."""
    beta = arguments.scalar(arguments.share, "beta", beta, one=False)
    return 3 * (1 - beta) / (1 + beta)


def k(w_max: Any, w_epoch: Any, c: float = C) -> Any:
    """Seconds from the window w_epoch, right after a loss, until W(t) is back at w_max (figure 2): 0 where
    they are alike; w_epoch above w_max is refused."""
    arguments.together(w_max=w_max, w_epoch=w_epoch)
    w_max, w_epoch = arguments.positive("w_max", w_max), arguments.positive("w_epoch", w_epoch)
    arguments.refuse(
        "w_epoch", w_epoch, w_epoch <= w_max, "must be at most w_max: a loss makes no window larger"
    )
    return np.cbrt((w_max - w_epoch) / arguments.scalar(arguments.positive, "c", c))


def w_cubic(t: Any, w_max: float, w_epoch: float, c: float = C) -> Any:
    """W(t) = C (t - K)^3 + W_max (figure 1), t seconds after the epoch began (a number or an array): below 0
    the curve carried back."""
    t = arguments.finite("t", t)
    w_max, w_epoch = (
        arguments.scalar(arguments.positive, *w) for w in (("w_max", w_max), ("w_epoch", w_epoch))
    )
    return c * (t - k(w_max, w_epoch, c)) ** 3 + w_max


def w_est(t: Any, w_epoch: float, rtt: float, beta: float = BETA, w_prior: float | None = None) -> Any:
    """What Reno would have (figure 4), all ACKs counted: w_epoch + alpha t / RTT.

    w_prior: the window before the loss. From there on it grows by one per round trip, says the RFC; None:
    it goes on by alpha, as in Linux.
    """
    w_epoch = arguments.scalar(arguments.positive, "w_epoch", w_epoch)
    trips = arguments.from_zero("t", t) / arguments.scalar(arguments.positive, "rtt", rtt)
    slow = w_epoch + alpha(beta) * trips
    if w_prior is None:
        return slow
    why = "a loss makes no window larger than w_prior"
    w_prior = arguments.scalar(arguments.at_least, "w_prior", w_prior, w_epoch, why)
    back = (w_prior - w_epoch) / alpha(beta)
    return np.where(trips <= back, slow, w_prior + (trips - back))[()]


def window(t: Any, w_max: float, w_epoch: float, rtt: float, w_prior: float | None = None) -> Any:
    """The larger of W(t) and W_est: section 4.3's Reno-friendly region, 4.4 and 4.5."""
    return np.maximum(w_cubic(t, w_max, w_epoch), w_est(t, w_epoch, rtt, w_prior=w_prior))


def next_w_max(w_loss: float, w_max: float, beta: float = BETA) -> float:
    """W_max after a loss at the window w_loss. Fast convergence (section 4.7): if w_loss is below the last
    W_max, somebody else has come, and W_max is w_loss (1 + beta) / 2; else it is w_loss. w_max: 0 if
    there was none before."""
    arguments.scalar(arguments.positive, "w_loss", w_loss)
    arguments.scalar(arguments.from_zero, "w_max", w_max)
    arguments.scalar(arguments.share, "beta", beta, one=False)
    return w_loss * (1 + beta) / 2 if w_loss < w_max else w_loss
