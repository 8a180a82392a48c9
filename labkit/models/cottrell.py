"""Throughput from pings: L. Cottrell, Throughput versus Loss, SLAC, 2000. Distances in km, round trips in s.

His law is `square_root.rate` with the constant 1. What he measured and fitted stands in other models.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

LIGHT_KM_S = 299_792.458
"""In a vacuum."""
KM_PER_MS = 100.0
"""Distance for each ms of round trip, there and back at 200,000 km/s, two thirds of LIGHT_KM_S."""
ALPHA = 0.4
"""Of a usual path: the distance as the crow flies over the length of fibre that would take as long."""
BANDS = {"good": 0.01, "acceptable": 0.025, "poor": 0.05, "very poor": 0.12, "bad": 1.0}
"""PingER's names for loss, each with its upper end: L. Cottrell, W. Matthews, C. Logg, Tutorial on Internet
Monitoring and PingER at SLAC."""
PINGS_A_YEAR = 10 * 48 * 365
"""Ten each half hour."""


def rtt(km: Any, alpha: float = ALPHA) -> Any:
    """Round trip (s) of a distance: km / (alpha 100) ms. alpha: 1 for a straight fibre. Raises SpecError."""
    return (
        1e-3
        * arguments.from_zero("km", km)
        / (arguments.scalar(arguments.positive, "alpha", alpha) * KM_PER_MS)
    )


def alpha(km: Any, rtt: Any) -> Any:
    """How straight a path is: km over what light in fibre covers in half a round trip (s); the shortest of
    many round trips, so that no queue counts. Raises SpecError."""
    arguments.together(km=km, rtt=rtt)
    return arguments.from_zero("km", km) / (1e3 * arguments.positive("rtt", rtt) * KM_PER_MS)


def band(p: Any) -> Any:
    """The name that PingER has for a loss rate, of BANDS: a text, or an array of texts. Raises SpecError."""
    ends = list(BANDS.values())
    names = np.array(list(BANDS))[np.searchsorted(ends, arguments.share("p", p))]
    return str(names) if names.ndim == 0 else names


def half_a_packet(sent: Any = PINGS_A_YEAR) -> Any:
    """The loss rate to take where none of so many, 1 or more, was lost: half a packet. Raises SpecError."""
    return 0.5 / arguments.at_least("sent", sent, 1, "of none sent none can be lost")


def window_rate(wmax: Any, rtt: Any) -> Any:
    """Bit/s of a flow that only a window of so many bytes limits, wmax / rtt. Raises SpecError."""
    arguments.together(wmax=wmax, rtt=rtt)
    return 8 * arguments.positive("wmax", wmax) / arguments.positive("rtt", rtt)


def improved(p: Any, monthly: Any, months: Any) -> Any:
    """The loss rate after so many months in each of which it falls by the share `monthly`: p (1 - monthly)^
    months. Shapes must fit each other. Raises SpecError."""
    arguments.together(p=p, monthly=monthly, months=months)
    return arguments.share("p", p) * (1 - arguments.share("monthly", monthly)) ** arguments.from_zero(
        "months", months
    )


def months_until(factor: Any, monthly: Any) -> Any:
    """Months until the square-root law gives so many times the rate: 2 ln(factor) / -ln(1 - monthly).

    Infinity for monthly = 0 and a factor above 1; 0 for monthly = 1. Raises SpecError for a factor below 1.
    """
    arguments.together(factor=factor, monthly=monthly)
    f = arguments.at_least("factor", factor, 1, "loss that falls makes nothing slower")
    i = arguments.share("monthly", monthly)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(f == 1, 0.0, 2 * np.log(f) / -np.log1p(-i))[()]
