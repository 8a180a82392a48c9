"""How long a short transfer takes: N. Cardwell, S. Savage, T. Anderson, "Modeling TCP Latency", INFOCOM 2000.

A handshake, a slow start up to the first loss, the repair of that loss, and what is left at the rate of
`padhye.throughput`. Amounts and windows are in packets (the paper's segments), times in s, p is the loss
rate; numbers or arrays that broadcast. gamma: by what factor slow start grows per round trip, 1 + 1/b: 1.5
where an ACK for two packets counts once, 2 where packets are counted (Linux); above 1. p = 0 and p = 1 give
the limits: no loss, and a transfer that never ends. Bad input raises SpecError as in `padhye`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments, padhye


def handshake(rtt: Any, lost_out: Any, lost_back: Any, timeout: Any = 3.0, linear: int = 0) -> Any:
    """RTT + Ts ((1-Pr)/(1-2Pr) + (1-Pf)/(1-2Pf) - 2), the mean time until data may be sent (equation 4).

    lost_out, lost_back: loss rates for the SYN and for the SYN-ACK; infinite from 1/2 on, for each wait is
    twice the one before. timeout: Ts, the first wait: 3 s in RFC 1122, 1 s in RFC 6298. linear: so many waits
    of the SYN's are not doubled: 4 in Linux since 6.5 (tcp_syn_linear_timeouts), 0 in the paper.
    """
    arguments.together(rtt=rtt, lost_out=lost_out, lost_back=lost_back, timeout=timeout)
    out, back = arguments.share("lost_out", lost_out), arguments.share("lost_back", lost_back)
    linear = arguments.count("linear", linear)
    rtt, timeout = padhye.checked(rtt=rtt, timeout=timeout)
    return rtt + timeout * (_waits(out, linear) + _waits(back, 0))


def _waits(p: Any, linear: int) -> Any:
    """Sum over i of p^i times the i-th wait: 1, ..., 1, 2, 4, 8."""
    with np.errstate(divide="ignore", invalid="ignore"):
        even = np.where(p < 1, p * (1 - p**linear) / (1 - p), linear)
        doubled = np.where(p < 0.5, p ** (linear + 1) / (1 - 2 * p), np.inf)
    return even + doubled


def slow_start_data(d: Any, p: Any) -> Any:
    """E[d_ss], packets of d that are sent in the first slow start, up to and with the first that is lost
    (equation 5): (1 - (1-p)^d) (1-p) / p + 1. No more than d, which the formula exceeds if none is lost."""
    d, p = padhye.checked(d=d, p=p)
    safe = np.clip(p, 1e-12, 1 - 1e-12)
    lost = -np.expm1(d * np.log1p(-safe))
    return np.minimum(d, lost * (1 - safe) / safe + 1)


def slow_start_window(data: Any, first: Any = 10, gamma: Any = 2) -> Any:
    """W_ss, the window after so many packets of slow start (equation 11): data (gamma-1)/gamma + w1/gamma.
    first: w1, the initial window."""
    data, first, gamma = padhye.checked(data=data, first=first, gamma=gamma)
    _limits(first, gamma)
    return data * (gamma - 1) / gamma + first / gamma


def slow_start_time(data: Any, rtt: Any, first: Any = 10, gamma: Any = 2, wmax: Any = np.inf) -> Any:
    """E[T_ss] (equation 15): RTT log_gamma(data (gamma-1) / w1 + 1), as long as the window stays below wmax,
    then a window of wmax per round trip. wmax: first or more."""
    data, rtt, first, gamma, wmax = padhye.checked(data=data, rtt=rtt, first=first, gamma=gamma, wmax=wmax)
    _limits(first, gamma, wmax)
    limited = slow_start_window(data, first, gamma) > wmax
    with np.errstate(invalid="ignore", divide="ignore"):
        free = np.log1p(data * (gamma - 1) / first) / np.log(gamma)
        grown = np.log(wmax / first) / np.log(gamma) + 1
        rest = (data - (gamma * wmax - first) / (gamma - 1)) / wmax
        return rtt * np.where(limited, grown + rest, free)


def loss_time(d: Any, p: Any, rtt: Any, t0: Any, window: Any) -> Any:
    """E[T_loss], what repairing the loss that ends slow start adds (equations 16 to 20): with the chance
    1 - (1-p)^d that there is one, a series of timeouts or, with the chance 1 - Q, a round trip. window: at
    the loss. Infinite at p = 1."""
    d, p, rtt, t0, window = padhye.checked(d=d, p=p, rtt=rtt, t0=t0, window=window)
    q = padhye.timeout_share(p, window)
    return (1 - (1 - p) ** d) * (q * padhye.series_length(p, t0) + (1 - q) * rtt)


def latency(
    d: Any,
    p: Any,
    rtt: Any,
    t0: Any,
    first: Any = 10,
    gamma: Any = 2,
    wmax: Any = np.inf,
    b: Any = 2,
    delayed_ack: Any = 0.0,
) -> Any:
    """Mean time (s) from the first packet of data until d have arrived (equation 25): slow start, its loss,
    the rest at padhye.throughput(b=b) (equations 21 to 24), and delayed_ack s for a single first packet (the
    paper: 0.1 s for a BSD receiver and w1 = 1). Without the handshake; counts the last packet's ACK. wmax:
    first or more."""
    delayed_ack = arguments.from_zero("delayed_ack", delayed_ack)[()]
    arguments.together(
        d=d, p=p, rtt=rtt, t0=t0, first=first, gamma=gamma, wmax=wmax, b=b, delayed_ack=delayed_ack
    )
    _limits(first, gamma, wmax)
    d, p, rtt, t0, first, wmax = padhye.checked(d=d, p=p, rtt=rtt, t0=t0, first=first, wmax=wmax)
    data = slow_start_data(d, p)
    at_loss = np.minimum(slow_start_window(data, first, gamma), wmax)
    left = d - data
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(left > 0, left / padhye.throughput(p, rtt, t0, wmax, b), 0.0)
    start = slow_start_time(data, rtt, first, gamma, wmax)
    return start + loss_time(d, p, rtt, t0, at_loss) + rest + delayed_ack


def _limits(first: Any, gamma: Any, wmax: Any = np.inf) -> None:
    first, gamma, wmax = (
        arguments.positive("first", first),
        arguments.finite("gamma", gamma),
        arguments.window("wmax", wmax),
    )
    arguments.refuse("gamma", gamma, gamma > 1, "must be above 1: by so much slow start grows")
    arguments.refuse(
        "first", first, first <= wmax, "must be at most wmax: a sender keeps to it from the start"
    )
