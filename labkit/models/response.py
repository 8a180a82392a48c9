"""Response functions: the mean window that a congestion control has if one packet in 1/p gets lost.

Losses are evenly spaced, nothing else limits the window. p: a loss rate, a number or an array: 0 gives
infinity, 1 what the formula gives. Windows in segments, times in s. Bad input raises SpecError. What follows
a rule without memory (so much more per round trip, such a share less per loss) is `periodic`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments
from labkit.models import cubic as law
from labkit.models import highspeed as hs

Rule = Callable[[Any], Any]
"""From a window (an array) to segments per round trip, or to the share of it that a loss costs."""
_LIKE = "such as those that aimd_rules() gives"
BIC_LOW = 14
"""Up to this window BIC is Reno (low_window of its paper and of Linux)."""
BIC_HIGH = 1e6
"""Up to this window `bic` follows teeth."""


def reno(p: Any, per_ack: float = 1) -> Any:
    """sqrt(3 / (2 b p)): 1.22 / sqrt(p) if every packet counts, 0.87 / sqrt(p) if the window grows by an ACK
    and an ACK stands for per_ack = 2 packets: Mathis et al., CCR 27(3), 1997, equation 3 and table 1. Linux
    counts packets (per_ack=1) whether ACKs are delayed or not."""
    p, per_ack = arguments.share("p", p), arguments.scalar(arguments.positive, "per_ack", per_ack)
    with np.errstate(divide="ignore"):
        return np.sqrt(1.5 / per_ack / p)


def aimd(p: Any, a: float = 1, b: float = 0.5) -> Any:
    """Of a window that grows by a segments per round trip and loses the share b: sqrt(a (2 - b) / (2 b p)).
    S. Floyd, M. Handley, J. Padhye, A Comparison of Equation-Based and AIMD Congestion Control, 2000,
    section 2."""
    p, a, b = arguments.share("p", p), arguments.scalar(arguments.positive, "a", a), _cut(b)
    with np.errstate(divide="ignore"):
        return np.sqrt(a * (2 - b) / (2 * b * p))


def highspeed(p: Any) -> Any:
    """HighSpeed TCP, 0.12 / p^0.835 for p below 0.001: RFC 3649, section 5."""
    return hs.window(p)


def scalable(p: Any, a: float = 0.01, b: float = 0.125) -> Any:
    """(a / b) / p, 0.08 / p: T. Kelly, Scalable TCP, CCR 33(2), 2003, section 3. That is the window at the
    loss; the mean over the tooth is 6 % lower: `periodic` with `mimd_rules`."""
    p, a, b = arguments.share("p", p), arguments.scalar(arguments.positive, "a", a), _cut(b)
    with np.errstate(divide="ignore"):
        return a / b / p


def cubic(p: Any, rtt: Any, c: float = law.C, beta: float = law.BETA) -> Any:
    """The larger of CUBIC's (C (3 + b) / (4 (1 - b)))^(1/4) (RTT / p)^(3/4) and Reno's 1.2 / sqrt(p), which
    its Reno-friendly region keeps up: RFC 9438, section 5, equation 5 and tables 1 and 2."""
    arguments.together(p=p, rtt=rtt)
    p, rtt, c = (
        arguments.share("p", p),
        arguments.positive("rtt", rtt),
        arguments.scalar(arguments.positive, "c", c),
    )
    beta = arguments.scalar(arguments.share, "beta", beta, one=False)
    with np.errstate(divide="ignore"):
        own = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / p) ** 0.75
        return np.maximum(own, 1.2 / np.sqrt(p))


def bic(p: Any, s_max: float = 32, s_min: float = 0.01, b: float = 0.125, divide: float = 2) -> Any:
    """BIC: each round trip w grows by (W_max - w) / divide, but by s_max at most and s_min at least; a loss
    costs the share b; up to a window of 14 it is Reno.

    L. Xu, K. Harfoush, I. Rhee, INFOCOM 2004, sections III and IV, with its parameters. Found by following
    one tooth, from (1 - b) W_max to W_max, for many W_max up to BIC_HIGH: evenly spaced losses never let it
    search beyond. Raises SpecError for p above 0 with a larger tooth, and s_min above s_max.
    """
    p, b = arguments.share("p", p), arguments.scalar(arguments.share, "b", b, zero=False, one=False)
    s_max, s_min = (
        arguments.scalar(arguments.positive, "s_max", s_max),
        arguments.scalar(arguments.positive, "s_min", s_min),
    )
    divide = arguments.scalar(
        arguments.at_least, "divide", divide, 1, "it grows by no more than what is missing"
    )
    if s_min > s_max:
        raise SpecError(f"s_min={s_min:g}, s_max={s_max:g}: must be at most s_max")
    tops = np.geomspace(BIC_LOW, BIC_HIGH, 400)
    sent, mean = np.array([_bic_tooth(top, s_max, s_min, b, divide) for top in tops]).T
    with np.errstate(divide="ignore"):
        n = 1 / p
    return np.where(n < sent[0], reno(p), _by_tooth(p, np.log(n), sent, mean))[()]


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


def linux_bic(p: Any, counted: float = 2, least: float = 0.2) -> Any:
    """tcp_bic.c of today, without fast convergence, for windows of some 20 to 100,000.

    It divides whole numbers: a quarter of what is missing, rounded down and 16 at most; where that is one or
    none (the last seven segments) it is `least` (4 / smooth_part: 0.2). A loss costs the share 0.2.
    counted: how often an acknowledged segment makes the window grow: its estimate of segments per ACK, 2 with
    delayed ACKs. Raises SpecError for p above 0 with a window beyond these.
    """
    p, counted = arguments.share("p", p), arguments.scalar(arguments.positive, "counted", counted)
    least = arguments.scalar(arguments.positive, "least", least)
    top = np.arange(20, 100_001)
    cut = top - top * 819 // 1024
    missing = np.arange(1, cut[-1] + 1)
    step = counted * np.where(missing // 4 <= 1, least, np.minimum(missing // 4, 16))
    trips, short = np.cumsum(1 / step)[cut - 1], np.cumsum(missing / step)[cut - 1]
    sent = top * trips - short  # a step at each window top - missing
    _followed(p, sent, 1 / sent[0])
    with np.errstate(divide="ignore"):
        return np.where(p == 0, np.inf, np.interp(1 / p, sent, sent / trips))[()]


def aimd_rules(a: float = 1, b: float = 0.5) -> tuple[Rule, Rule]:
    """Growth and cut of additive increase, multiplicative decrease, for `periodic`, `recovery_time`."""
    a, b = arguments.scalar(arguments.positive, "a", a), _cut(b)
    return (lambda w: np.full_like(w, a, float)), (lambda w: np.full_like(w, b, float))


def mimd_rules(a: float = 0.01, b: float = 0.125) -> tuple[Rule, Rule]:
    """Growth and cut of multiplicative increase, a segment per 1/a packets: Scalable TCP, unless given."""
    a, b = arguments.scalar(arguments.positive, "a", a), _cut(b)
    return (lambda w: a * np.asarray(w, float)), (lambda w: np.full_like(w, b, float))


def linux_scalable_rules() -> tuple[Rule, Rule]:
    """tcp_scalable.c: a segment per min(cwnd, 100) packets. Below a window of 100 it grows as Reno does, and
    is still cut by an eighth only (Kelly's is Reno below 16)."""
    return (lambda w: np.maximum(0.01 * np.asarray(w, float), 1)), (lambda w: np.full_like(w, 0.125, float))


def highspeed_rules(per_ack: float = 1) -> tuple[Rule, Rule]:
    """HighSpeed TCP's a(w) as in the RFC's table, with an ACK for per_ack packets counted once, and b(w)."""
    per_ack = arguments.scalar(arguments.positive, "per_ack", per_ack)
    return (lambda w: hs.linux_increase(w, per_ack)), hs.linux_decrease


def periodic(p: Any, increase: Rule, decrease: Rule, least: float = 2, most: float = 1e6) -> Any:
    """Mean window under one loss per 1/p packets, by any rule without memory.

    increase: segments per round trip at a window; decrease: share that a loss costs. The tooth that carries
    1/p packets is found: from (1 - b(W)) W to W the packets are the integral of w / a(w), the round trips
    that of 1 / a(w), and the mean is their ratio. least, most: the windows among which the tooth is looked
    for. Raises SpecError for p above 0 whose tooth is not among them, and for what is no rule.
    """
    p, least = arguments.share("p", p), arguments.scalar(arguments.positive, "least", least)
    most = arguments.scalar(arguments.positive, "most", most)
    w = np.geomspace(least, most, 20_001)
    a, cut = _growth(increase, w), _share(decrease, w)
    packets, trips = _integral(w / a, w), _integral(1 / a, w)
    low = (1 - cut) * w
    whole = low >= least  # the lower end of a tooth, too, lies on the grid
    if not whole.any():
        raise SpecError(f"least={least:g}, most={most:g}: no tooth lies between them: must be further apart")
    sent = (packets - np.interp(low, w, packets))[whole]
    mean = sent / (trips - np.interp(low, w, trips))[whole]
    with np.errstate(divide="ignore"):
        return _by_tooth(p, -np.log(p), sent, mean, 1 / sent[0])


def recovery_time(w: Any, rtt: Any, increase: Rule, decrease: Rule) -> Any:
    """Seconds from right after a loss at the window w until it is w again: the round trip times the integral
    of 1 / a from (1 - b) w to w. w, rtt (s): numbers or arrays that fit each other. Raises SpecError."""
    arguments.together(w=w, rtt=rtt)
    w, rtt = arguments.positive("w", w), arguments.positive("rtt", rtt)
    share = np.linspace(0, 1, 2001).reshape((-1,) + (1,) * w.ndim)
    low = (1 - _share(decrease, w)) * w
    at = low + share * (w - low)
    inverse = 1 / _growth(increase, at)
    middle = (inverse[1:] + inverse[:-1]) / 2
    return rtt * (middle * np.diff(at, axis=0)).sum(axis=0)


def rate(w: Any, rtt: Any, payload: int = 1448) -> Any:
    """Bit/s of data that a window w carries: payload bytes in each segment, one window per round trip (s).
    Raises SpecError."""
    arguments.together(w=w, rtt=rtt)
    payload = arguments.count("payload", payload, 1)
    return 8 * payload * arguments.from_zero("w", w) / arguments.positive("rtt", rtt)


def _cut(b: float) -> float:
    """What a loss costs."""
    return arguments.scalar(arguments.share, "b", b, zero=False)


def _growth(increase: Rule, w: Any) -> Any:
    return arguments.positive("increase(w)", arguments.function("increase", increase, _LIKE)(w))


def _share(decrease: Rule, w: Any) -> Any:
    return arguments.share("decrease(w)", arguments.function("decrease", decrease, _LIKE)(w), zero=False)


def _by_tooth(p: Any, log_n: Any, sent: Any, mean: Any, most: float = 1.0) -> Any:
    """Mean windows by log_n, the logarithm of 1/p, from teeth of so many packets, ascending, and their mean
    windows. Infinite at p = 0; another p below 1/sent[-1] or above `most` is refused."""
    _followed(p, sent, most)
    return np.where(p == 0, np.inf, np.exp(np.interp(log_n, np.log(sent), np.log(mean))))[()]


def _followed(p: Any, sent: Any, most: float) -> None:
    """Refuses a p above 0 whose tooth is longer than the last of these, or which is above `most`."""
    least = 1 / sent[-1]
    right = f"must be 0, or from {least:.3g} to {most:.3g}: no tooth that was followed has 1/p packets"
    arguments.refuse("p", p, (p == 0) | ((p >= least) & (p <= most)), right)


def _integral(y: Any, x: Any) -> Any:
    """Of y over x from x[0] on, at every x (trapezoids)."""
    return np.concatenate(([0.0], np.cumsum((y[1:] + y[:-1]) / 2 * np.diff(x))))
