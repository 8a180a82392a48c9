"""The TCP-friendly rate: S. Floyd, M. Handley, J. Padhye, J. Widmer, RFC 5348 (2008). Only its equation, not
how a receiver measures the loss event rate."""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

FAIR = 2.0
""""Reasonably fair": within this factor of a TCP flow under the same conditions (section 1)."""


def rate(p: Any, rtt: Any, size: Any = 1448, t_rto: Any = None, per_ack: float = 1) -> Any:
    """Bit/s of payload, section 3.1: 8 size / (rtt sqrt(2bp/3) + t_RTO 3 sqrt(3bp/8) p (1 + 32 p^2)).

    p: loss events per packet, a number or an array; 0 gives infinity (a sender then keeps to its other
    rules). rtt, t_rto: s; t_rto: 4 rtt if None, as there. size: bytes of payload in a packet. per_ack: b, 1
    as recommended. Any shapes that fit each other. Raises SpecError.
    """
    arguments.together(p=p, rtt=rtt, size=size, **({} if t_rto is None else {"t_rto": t_rto}))
    p, rtt, b = (
        arguments.share("p", p),
        arguments.positive("rtt", rtt),
        arguments.scalar(arguments.positive, "per_ack", per_ack),
    )
    wait = 4 * rtt if t_rto is None else arguments.positive("t_rto", t_rto)
    seconds = rtt * np.sqrt(2 * b * p / 3) + wait * 3 * np.sqrt(3 * b * p / 8) * p * (1 + 32 * p**2)
    with np.errstate(divide="ignore"):
        return 8 * arguments.positive("size", size) / seconds


def fair(measured: Any, friendly: Any) -> Any:
    """Which rates are within a factor of FAIR of the friendly one: numbers or arrays. Raises SpecError."""
    arguments.together(measured=measured, friendly=friendly)
    ratio = arguments.positive("measured", measured) / arguments.positive("friendly", friendly)
    return (ratio <= FAIR) & (ratio >= 1 / FAIR)
