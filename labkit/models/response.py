"""Response functions: the mean window that a congestion control has if one packet in 1/p gets lost.

Losses are evenly spaced, nothing else limits the window. p: a number or an array; windows in segments, times
in s. What follows a rule without memory (so much more per round trip, such a share less per loss) is
`periodic`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from labkit.models import cubic as law
from labkit.models import highspeed as hs

Rule = Callable[[Any], Any]
"""From a window (an array) to segments per round trip, or to the share of it that a loss costs."""
BIC_LOW = 14
"""Up to this window BIC is Reno (low_window of its paper and of Linux)."""


def reno(p: Any, per_ack: float = 1) -> Any:
    """sqrt(3 / (2 b p)): 1.22 / sqrt(p) if every packet counts, 0.87 / sqrt(p) if the window grows by an ACK
    and an ACK stands for per_ack = 2 packets: Mathis et al., CCR 27(3), 1997, equation 3 and table 1. Linux
    counts packets (per_ack=1) whether ACKs are delayed or not."""
    return np.sqrt(1.5 / per_ack / np.asarray(p, float))


def aimd(p: Any, a: float = 1, b: float = 0.5) -> Any:
    """Of a window that grows by a segments per round trip and loses the share b: sqrt(a (2 - b) / (2 b p)).
    S. Floyd, M. Handley, J. Padhye, A Comparison of Equation-Based and AIMD Congestion Control, 2000,
    section 2."""
    return np.sqrt(a * (2 - b) / (2 * b * np.asarray(p, float)))


def highspeed(p: Any) -> Any:
    """HighSpeed TCP, 0.12 / p^0.835 for p below 0.001: RFC 3649, section 5."""
    return hs.window(p)


def scalable(p: Any, a: float = 0.01, b: float = 0.125) -> Any:
    """(a / b) / p, 0.08 / p: T. Kelly, Scalable TCP, CCR 33(2), 2003, section 3. That is the window at the
    loss; the mean over the tooth is 6 % lower: `periodic` with `mimd_rules`."""
    return a / b / np.asarray(p, float)


def cubic(p: Any, rtt: float, c: float = law.C, beta: float = law.BETA) -> Any:
    """The larger of CUBIC's (C (3 + b) / (4 (1 - b)))^(1/4) (RTT / p)^(3/4) and Reno's 1.2 / sqrt(p), which
    its Reno-friendly region keeps up: RFC 9438, section 5, equation 5 and tables 1 and 2."""
    p = np.asarray(p, float)
    own = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75
    return np.maximum(own, 1.2 / np.sqrt(p))


def bic(p: Any, s_max: float = 32, s_min: float = 0.01, b: float = 0.125, divide: float = 2) -> Any:
    """BIC: each round trip w grows by (W_max - w) / divide, but by s_max at most and s_min at least; a loss
    costs the share b; up to a window of 14 it is Reno.

    L. Xu, K. Harfoush, I. Rhee, INFOCOM 2004, sections III and IV, with its parameters. Found by following
    one tooth, from (1 - b) W_max to W_max, for many W_max: evenly spaced losses never let it search beyond.
    """
    tops = np.geomspace(BIC_LOW, 1e6, 400)
    sent, mean = np.array([_bic_tooth(top, s_max, s_min, b, divide) for top in tops]).T
    n = 1 / np.asarray(p, float)
    return np.where(n < sent[0], reno(p), np.exp(np.interp(np.log(n), np.log(sent), np.log(mean))))


def _bic_tooth(top: float, s_max: float, s_min: float, b: float, divide: float) -> tuple[float, float]:
    """Packets of one tooth up to the window `top`, and its mean window."""
    w = (1 - b) * top
    sent = trips = 0.0
    if top - w > s_max * divide:  # all of the straight stretch at once: its windows are an arithmetic series
        trips = math.ceil((top - w) / s_max - divide)
        sent, w = trips * w + s_max * trips * (trips - 1) / 2, w + s_max * trips
    while top - w > 1e-9:
        step = max(min((top - w) / divide, s_max), s_min)
        share = min((top - w) / step, 1)  # of the last round trip
        sent, trips, w = sent + share * w, trips + share, w + share * step
    return sent, sent / trips


def aimd_rules(a: float = 1, b: float = 0.5) -> tuple[Rule, Rule]:
    """Growth and cut of additive increase, multiplicative decrease, for `periodic`, `recovery_time`."""
    return (lambda w: np.full_like(w, a, float)), (lambda w: np.full_like(w, b, float))


def mimd_rules(a: float = 0.01, b: float = 0.125) -> tuple[Rule, Rule]:
    """Growth and cut of multiplicative increase, a segment per 1/a packets: Scalable TCP, unless given."""
    return (lambda w: a * np.asarray(w, float)), (lambda w: np.full_like(w, b, float))


def linux_scalable_rules() -> tuple[Rule, Rule]:
    """tcp_scalable.c: a segment per min(cwnd, 100) packets. Below a window of 100 it grows as Reno does, and
    is still cut by an eighth only (Kelly's is Reno below 16)."""
    return (lambda w: np.maximum(0.01 * np.asarray(w, float), 1)), (lambda w: np.full_like(w, 0.125, float))


def highspeed_rules(per_ack: float = 1) -> tuple[Rule, Rule]:
    """HighSpeed TCP's a(w) as in the RFC's table, with an ACK for per_ack packets counted once, and b(w)."""
    return (lambda w: hs.linux_increase(w, per_ack)), hs.linux_decrease


def periodic(p: Any, increase: Rule, decrease: Rule, least: float = 2, most: float = 1e6) -> Any:
    """Mean window under one loss per 1/p packets, by any rule without memory.

    increase: segments per round trip at a window; decrease: share that a loss costs. The tooth that carries
    1/p packets is found: from (1 - b(W)) W to W the packets are the integral of w / a(w), the round trips
    that of 1 / a(w), and the mean is their ratio. least, most: the windows among which the tooth is looked
    for.
    """
    w = np.geomspace(least, most, 20_001)
    a = increase(w)
    packets, trips = _integral(w / a, w), _integral(1 / a, w)
    low = (1 - decrease(w)) * w
    whole = low >= least  # the lower end of a tooth, too, lies on the grid
    sent = (packets - np.interp(low, w, packets))[whole]
    mean = sent / (trips - np.interp(low, w, trips))[whole]
    return np.exp(np.interp(-np.log(np.asarray(p, float)), np.log(sent), np.log(mean)))


def recovery_time(w: Any, rtt: Any, increase: Rule, decrease: Rule) -> Any:
    """Seconds from right after a loss at the window w until it is w again: the round trip times the integral
    of 1 / a from (1 - b) w to w. w: a number or an array; rtt: of a round trip, in s."""
    w = np.asarray(w, float)
    share = np.linspace(0, 1, 2001).reshape((-1,) + (1,) * w.ndim)
    low = (1 - decrease(w)) * w
    at = low + share * (w - low)
    inverse = 1 / increase(at)
    middle = (inverse[1:] + inverse[:-1]) / 2
    return rtt * (middle * np.diff(at, axis=0)).sum(axis=0)


def rate(w: Any, rtt: Any, payload: int = 1448) -> Any:
    """Bit/s of data that a window w carries: payload bytes in each segment, one window per round trip (s)."""
    return 8 * payload * np.asarray(w, float) / rtt


def _integral(y: Any, x: Any) -> Any:
    """Of y over x from x[0] on, at every x (trapezoids)."""
    return np.concatenate(([0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))))
