"""What timeouts cost a Reno: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Throughput", SIGCOMM
1998 (enlarged: IEEE/ACM Transactions on Networking 8(2), 2000). Its terms, its rates, and a misprint of them.

p: the chance that a packet is the first of its round trip to get lost; all behind it in that round trip are
lost with it. p = 0 and p = 1 give the limits. Windows are in packets, times in s, rates in packets per
second; numbers or arrays that broadcast. b: packets that one ACK stands for. p outside 0 to 1, a time or a
window that is not positive, NaN, and shapes that do not fit raise SpecError. Equations have the numbers by
which Les Cottrell's page cites them from SIGCOMM (13, 28, 31), otherwise their section.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

NO_LIMIT = np.inf
"""A receive window that limits nothing."""


def window(p: Any, b: Any = 2) -> Any:
    """w(p), the mean window at the end of a tooth (equation 13):
    (2 + b) / 3b + sqrt(8 (1 - p) / 3bp + ((2 + b) / 3b)^2). Infinite at p = 0."""
    p, b = checked(p=p, b=b)
    start = (2 + b) / (3 * b)
    with np.errstate(divide="ignore"):
        return start + np.sqrt(8 * (1 - p) / (3 * b * p) + start**2)


def timeout_share(p: Any, w: Any) -> Any:
    """Q: the chance that a loss in a window of w packets ends in a timeout (section 2.2):
    min(1, (1 - q^3) (1 + q^3 (1 - q^(w-3))) / (1 - q^w)) with q = 1 - p. At p = 0 the limit, min(1, 3/w)."""
    p, w = checked(p=p, w=w)
    safe = np.clip(p, 1e-12, 1)  # below, the limit is exact to a part in 10^9
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        log = np.log1p(-safe)
        lost = -np.expm1(3 * log)
        share = lost * (1 + (1 - lost) * -np.expm1((w - 3) * log)) / -np.expm1(w * log)
    return np.where(w <= 3, 1.0, np.minimum(share, 1.0))[()]


def timeout_share_approx(w: Any) -> Any:
    """min(1, 3/w): what Q comes to if losses are rare (section 2.2)."""
    return np.minimum(1.0, 3 / checked(w=w)[0])


def backoff(p: Any) -> Any:
    """f(p), G on Cottrell's page (28 there): 1 + p + 2p^2 + 4p^3 + 8p^4 + 16p^5 + 32p^6. A series of timeouts
    lasts T0 f(p) / (1 - p) in the mean if each takes twice the one before, up to 64 T0."""
    (p,) = checked(p=p)
    return np.polyval([32, 16, 8, 4, 2, 1, 1], p)


def series_length(p: Any, t0: Any) -> Any:
    """T0 f(p) / (1 - p), the mean duration (s) of a series of timeouts. Infinite at p = 1."""
    p, t0 = checked(p=p, t0=t0)
    with np.errstate(divide="ignore"):
        return t0 * backoff(p) / (1 - p)


def rate_without_timeouts(p: Any, rtt: Any, b: Any = 2) -> Any:
    """The rate if every loss is found by three duplicate ACKs (section 2.1): ((1 - p)/p + w) / (RTT (b/2 w +
    1)). Goes to sqrt(3 / 2bp) / RTT, Mathis's law, as p goes to 0. Infinite at p = 0."""
    p, rtt, b = checked(p=p, rtt=rtt, b=b)
    w = window(p, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ((1 - p) / p + w) / (rtt * (b / 2 * w + 1))
    return np.where(p == 0, np.inf, found)[()]


def send_rate(p: Any, rtt: Any, t0: Any, wmax: Any = NO_LIMIT, b: Any = 2) -> Any:
    """B(p): packets sent per second, retransmissions included: the full model (section 2.3, equation 31).

    t0: length of the first timeout of a series; wmax: the receive window. If w(p) < wmax
    ((1-p)/p + w + Q/(1-p)) / (RTT (b/2 w + 1) + Q T0 f/(1-p)), otherwise
    ((1-p)/p + wmax + Q/(1-p)) / (RTT (b/8 wmax + (1-p)/(p wmax) + 2) + Q T0 f/(1-p)), with Q of w or wmax.
    p = 0: wmax / RTT. p = 1: a packet in 64 T0.
    """
    return _rate(p, rtt, t0, wmax, b, received=False)


def throughput(p: Any, rtt: Any, t0: Any, wmax: Any = NO_LIMIT, b: Any = 2) -> Any:
    """T(p): packets that arrive per second (the paper of 2000, section V): as send_rate, but with w/2 or
    wmax/2 in place of w or wmax, and Q in place of Q/(1 - p), above the line. p = 1: none."""
    return _rate(p, rtt, t0, wmax, b, received=True)


def approximate_rate(p: Any, rtt: Any, t0: Any, wmax: Any = NO_LIMIT, b: Any = 2) -> Any:
    """The approximate model (section 2.3): min(wmax / RTT, 1 / (RTT sqrt(2bp/3) + T0 min(1, 3 sqrt(3bp/8)) p
    (1 + 32 p^2))). RFC 5348, section 3.1, has it without both minima, for b = 1 and T0 = 4 RTT."""
    p, rtt, t0, wmax, b = checked(p=p, rtt=rtt, t0=t0, wmax=wmax, b=b)
    share = np.minimum(1, 3 * np.sqrt(3 * b * p / 8))
    with np.errstate(divide="ignore"):
        free = 1 / (rtt * np.sqrt(2 * b * p / 3) + t0 * share * p * (1 + 32 * p**2))
    return np.minimum(wmax / rtt, free)


def as_printed(p: Any, rtt: Any, t0: Any = 3.0, wmax: Any = NO_LIMIT) -> Any:
    """The rate as Les Cottrell's "Throughput versus loss" (SLAC, 2000) prints it, over MSS: packets/s.

    It takes b = 2, which makes its w(p), its RTT (w + 1) and its wmax / 4 equations 13 and 31. Its Q is
    `timeout_share_as_printed`. For comparison only; p = 0 and 1 as in send_rate.
    """
    return _rate(p, rtt, t0, wmax, 2, received=False, share=timeout_share_as_printed)


def timeout_share_as_printed(p: Any, w: Any) -> Any:
    """Q as Cottrell's page has it: min(1, (1 - q^3) (1 + q^3) (1 - q^(w-3)) / (1 - q^w)): a bracket closes
    too early. No chance at all: 0 at w = 3, negative below, and 0 in place of 3/w as p goes to 0."""
    p, w = checked(p=p, w=w)
    safe = np.clip(p, 1e-12, 1 - 1e-12)
    log = np.log1p(-safe)
    found = -np.expm1(6 * log) * -np.expm1((w - 3) * log) / -np.expm1(w * log)
    return np.minimum(1, found)


def _rate(p: Any, rtt: Any, t0: Any, wmax: Any, b: Any, received: bool, share: Any = timeout_share) -> Any:
    p, rtt, t0, wmax, b = checked(p=p, rtt=rtt, t0=t0, wmax=wmax, b=b)
    w = window(p, b)
    free = w < wmax
    top = np.where(free, w, wmax)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = share(p, np.where(np.isfinite(top), top, 1.0))
        rounds = np.where(free, b / 2 * w + 1, b / 8 * wmax + (1 - p) / (p * wmax) + 2)
        whole = top / 2 + q if received else top + q / (1 - p)
        # both lines times 1 - p, which is in their denominators
        above = (1 - p) * ((1 - p) / p + whole) if received else (1 - p) * ((1 - p) / p + top) + q
        found = above / (rtt * rounds * (1 - p) + q * t0 * backoff(p))
    return np.where(p == 0, wmax / rtt, found)[()]


def checked(**values: Any) -> list[Any]:
    """The arguments by name, as float arrays of one shape: p is a share, all others are positive, windows (w,
    wmax) may be infinite. Raises SpecError."""
    arguments.together(**values)
    arrays = []
    for name, value in values.items():
        if name == "p":
            arrays.append(arguments.share(name, value))
        elif name in ("w", "wmax"):
            arrays.append(arguments.window(name, value))
        else:
            arrays.append(arguments.positive(name, value))
    return [array[()] for array in np.broadcast_arrays(*arrays)]
