"""What a flow's round trip does to its share of a bottleneck: exponents and shares. Round trips in s, with
the wait in the queue; any shape. What is fair is in `fairness`. Bad input raises SpecError."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from labkit.errors import SpecError
from labkit.models import arguments


class Response(NamedTuple):
    """A mean window of RTT^a / p^d, times a constant, at a loss rate p."""

    a: float
    d: float


RENO = Response(0.0, 0.5)
"""1.22 / sqrt(p): Mathis and others (1997)."""
CUBIC = Response(0.75, 0.75)
"""1.05 (RTT / p)^(3/4): RFC 9438, section 5.1. In its Reno-friendly region it is RENO."""
HIGHSPEED = Response(0.0, 0.835)
"""0.12 / p^0.835: RFC 3649, section 5."""
SCALABLE = Response(0.0, 1.0)
"""0.08 / p: Kelly (2003)."""


def exponent(response: Response, synchronised: bool) -> float:
    """e, where a flow's rate goes as RTT^e, of flows with one response function at one bottleneck.

    Each packet is lost with the same chance: a - 1. All flows lose at the same moments, once each
    (synchronised): 1/p is then a flow's rate times T, the same for all, and (a - 1) / (1 - d) remains; minus
    infinity for d = 1. Reno: -1 and -2; CUBIC: -1/4 and -1.

    Source: Lakshman and Madhow, IEEE/ACM Trans. Networking 5 (1997), for Reno; Xu, Harfoush, Rhee, INFOCOM
    2004, for any d; with a the same steps. RFC 9438, section 3.3, has Reno's two and CUBIC's.
    """
    a, d = _parts(response)
    if not arguments.flag("synchronised", synchronised):
        return a - 1
    return -np.inf if d >= 1 else (a - 1) / (1 - d)


def ratio(response: Response, near: Any, far: Any, synchronised: bool) -> Any:
    """By what factor the flow with round trip `near` is faster than that with `far`: numbers or arrays.
    Infinite, 1 or 0 if the exponent is."""
    arguments.together(near=near, far=far)
    factor = arguments.positive("near", near) / arguments.positive("far", far)
    with np.errstate(over="ignore"):
        return factor ** exponent(response, synchronised)


def shares(response: Response, rtts: Any, synchronised: bool, axis: int = -1) -> Any:
    """The share of each of some flows of a bottleneck that they fill, by their round trips along the axis."""
    rtts = arguments.positive("rtts", rtts)
    e, axis = exponent(response, synchronised), arguments.axis(axis, "rtts", rtts)
    weight = (rtts / rtts.min(axis=axis, keepdims=True)) ** e
    return weight / weight.sum(axis=axis, keepdims=True)


def by_events(response: Response, rtts: Any, events: Any, axis: int = -1) -> Any:
    """The share of each flow of a bottleneck if it met so many loss events in the same time: 1/p is then
    rate times T / events, and the rate goes as RTT^((a-1)/(1-d)) events^(-d/(1-d)).

    Reno: 1 / (RTT^2 events). With as many events for all it is `shares(..., synchronised=True)`, with events
    in proportion to the rates synchronised=False. Needs d < 1 and an event for each flow.
    """
    a, d = _parts(response)
    arguments.together(rtts=rtts, events=events)
    rtts, n = arguments.positive("rtts", rtts), arguments.from_zero("events", events)
    arguments.refuse("events", n, n > 0, "must be above 0: it takes events of each flow")
    if d >= 1:
        raise SpecError(f"response={response}: its d must be below 1")
    log = (a - 1) / (1 - d) * np.log(rtts) - d / (1 - d) * np.log(n)
    axis = arguments.axis(axis, "rtts", log)
    weight = np.exp(log - log.max(axis=axis, keepdims=True))
    return weight / weight.sum(axis=axis, keepdims=True)


def long_flow(hops: int, alpha: float) -> float:
    """The share of a flow that crosses so many equal links, each with one short flow, under alpha-fair
    sharing: 1 / (1 + hops^(1/alpha)).

    alpha 1 (proportional): 1 / (1 + hops); 2: 1 / (1 + sqrt(hops)); infinite (max-min): 1/2. Source:
    Massoulie and Roberts, INFOCOM 1999.
    """
    hops, alpha = arguments.count("hops", hops, 1), arguments.scalar(arguments.window, "alpha", alpha)
    return float(1 / (1 + hops ** (1 / alpha)))


def _parts(response: Response) -> tuple[float, float]:
    if not isinstance(response, Response):
        raise SpecError(f"response={response!r}: must be a Response(a, d), such as RENO or CUBIC")
    a = arguments.scalar(arguments.finite, "response.a", response.a)
    return a, arguments.scalar(arguments.positive, "response.d", response.d)
