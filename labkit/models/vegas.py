"""Vegas's window: L. S. Brakmo and L. L. Peterson, "TCP Vegas", IEEE JSAC 13(8), 1995. Packets and seconds.

A path "holds" so many packets while its queue is empty. What Linux does otherwise (it divides by the base
RTT, in whole numbers): `linux_extra`, `linux_step`. Bad input raises SpecError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments

ALPHA, BETA, GAMMA = 2, 4, 1
"""The least and the most packets that shall wait, and how many end slow start: as Linux has them."""
LEAST = 2
"""The smallest window (Linux)."""


def extra(window: Any, base: Any, rtt: Any) -> Any:
    """How many of its packets wait in queues: (expected - actual rate) base = window (1 - base / rtt).

    expected is window / base, actual window / rtt; base and rtt in one unit. The paper's Diff, in packets.
    Below 0 where rtt is shorter than base. Numbers or arrays that fit each other.
    """
    window, base, rtt = _measured(window, base, rtt)
    return window * (1 - base / rtt)


def linux_extra(window: Any, base: Any, rtt: Any) -> Any:
    """What tcp_vegas.c has for it: window (rtt - base) / base, rounded down: larger by rtt / base."""
    window, base, rtt = _measured(window, base, rtt)
    return np.floor(window * (rtt - base) / base)


def step(window: float, base: float, rtt: float, alpha: float = ALPHA, beta: float = BETA) -> float:
    """The next round trip's window in congestion avoidance: one more below alpha, one fewer above beta."""
    _one_each(arguments.positive, window=window, base=base, rtt=rtt)
    _bounds(alpha, beta)
    found = float(extra(window, base, rtt))
    return window + (found < alpha) - (found > beta)


def linux_step(window: int, base: float, rtt: float, alpha: int = ALPHA, beta: int = BETA) -> int:
    """The same by tcp_vegas.c, never below LEAST."""
    window = arguments.count("window", window, 1)
    _one_each(arguments.positive, base=base, rtt=rtt)
    _bounds(alpha, beta)
    return _linux_next(window, base, rtt, alpha, beta)


def _linux_next(window: int, base: float, rtt: float, alpha: float, beta: float) -> int:
    found = math.floor(window * (rtt - base) / base)
    return max(window + (found < alpha) - (found > beta), LEAST)


def rests(holds: float, alpha: float = ALPHA, beta: float = BETA) -> tuple[float, float]:
    """From which window to which a flow alone on a path stands still: holds + alpha to holds + beta."""
    _one_each(arguments.positive, holds=holds)
    _bounds(alpha, beta)
    return holds + alpha, holds + beta


def linux_rests(holds: float, alpha: int = ALPHA, beta: int = BETA) -> tuple[float, float]:
    """The same for Linux. A window w makes a round trip of w / holds bases, so w (w - holds) / holds packets
    are taken to wait: from alpha up to, but not including, beta + 1."""
    _one_each(arguments.positive, holds=holds)
    _bounds(alpha, beta)
    low, high = ((holds + math.sqrt(holds**2 + 4 * holds * n)) / 2 for n in (alpha, beta + 1))
    return low, high


def linux_misled(base: float, rtt: float, alpha: int = ALPHA, beta: int = BETA) -> tuple[float, float]:
    """From which window to which it stands still if nothing waits, but the round trip is longer than base:
    alpha to beta + 1 times base / (rtt - base), and LEAST at least. rtt must be above base."""
    _one_each(arguments.positive, base=base, rtt=rtt)
    _bounds(alpha, beta)
    if not rtt > base:
        raise SpecError(f"base={base}, rtt={rtt}: nobody is misled unless the round trip is the longer one")
    low, high = (max(n * base / (rtt - base), float(LEAST)) for n in (alpha, beta + 1))
    return low, high


def drains(window: Any, rest: Any, packet_s: Any) -> Any:
    """Seconds until a window that fills the line has come down to rest, by one packet per round trip.

    A round trip lasts as long as the window's packets take on the wire (packet_s each): the sum of them.
    Numbers or arrays that fit each other, none of them resting above the window.
    """
    arguments.together(window=window, rest=rest, packet_s=packet_s)
    window, rest = arguments.positive("window", window), arguments.from_zero("rest", rest)
    arguments.refuse("rest", rest, rest <= window, "must be at most the window: it comes down")
    return arguments.positive("packet_s", packet_s) * (window - rest) * (window + rest + 1) / 2


def together(
    holds: float, arrivals: Sequence[int], rounds: int, alpha: int = ALPHA, beta: int = BETA
) -> list[tuple[int, float]]:
    """Window and base RTT (in packets' times on the line) of several flows after some rounds: `linux_step`.

    arrivals: the round in which each one comes, with LEAST packets; it takes the shortest round trip that it
    has seen for its base. Nothing gets lost; there is no slow start, and all flows' rounds are of one length.
    """
    _one_each(arguments.positive, holds=holds)
    _bounds(alpha, beta)
    arguments.row("arrivals", arrivals)
    arrivals = [arguments.count("arrivals", come) for come in arrivals]
    windows, bases = [0] * len(arrivals), [np.inf] * len(arrivals)
    for now in range(arguments.count("rounds", rounds)):
        windows = [window or LEAST * (now >= come) for window, come in zip(windows, arrivals, strict=True)]
        rtt = max(holds, float(sum(windows)))
        bases = [min(base, rtt) if window else base for base, window in zip(bases, windows, strict=True)]
        windows = [
            _linux_next(window, base, rtt, alpha, beta) if window else 0
            for window, base in zip(windows, bases, strict=True)
        ]
    return list(zip(windows, bases, strict=True))


def _measured(window: Any, base: Any, rtt: Any) -> tuple[Any, Any, Any]:
    arguments.together(window=window, base=base, rtt=rtt)
    return (
        arguments.positive("window", window),
        arguments.positive("base", base),
        arguments.positive("rtt", rtt),
    )


def _one_each(check: Callable[..., Any], **values: float) -> None:
    for name, value in values.items():
        arguments.scalar(check, name, value)


def _bounds(alpha: float, beta: float) -> None:
    arguments.scalar(arguments.from_zero, "alpha", alpha)
    arguments.scalar(arguments.at_least, "beta", beta, alpha, "beta is not below alpha")
