"""What is derived from pings: throughput by the square-root law, its trend, and its correlations.

PingER's derived quantities: L. Cottrell, W. Matthews, C. Logg, Tutorial on Internet Monitoring and PingER at
SLAC; L. Cottrell, Throughput versus Loss, SLAC, 2000. Loss as a share, round trips in s, rates in bit/s. The
files that PingER publishes, in per cent, ms and kbit/s: `pinger`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from labkit.errors import SpecError
from labkit.models import arguments, cottrell, estimate, square_root
from labkit.models.intervals import t_quantile

MSS = 1460
"""Bytes: what 47 of Cottrell's 48 sites had in 1999."""
_LIKE = "{'CH.EXAMPLE.N2': 'Europe'}"


def throughput(loss: Any, rtt: Any, sent: Any = None, mss: Any = MSS) -> Any:
    """Bit/s by mss / (rtt sqrt(loss)), Cottrell's form of the square-root law, with the constant 1.

    loss, rtt: as the pings saw them; sent: how many pings stand behind a loss, so that where none was lost
    half a packet is taken for lost, 0.5 / sent: 0.5 % for 100. Without it a loss of 0 gives infinity. Any
    shapes that fit each other. Raises SpecError.
    """
    p = arguments.share("loss", loss)
    if sent is not None:
        arguments.together(loss=loss, sent=sent)
        p = np.where(p > 0, p, cottrell.half_a_packet(sent))
    return square_root.rate(p, rtt, mss, 1.0)


def normalised(bit_s: Any, min_rtt: Any, reference_rtt: float) -> Any:
    """Derived throughput as if all sites were as far away as the reference: bit_s min_rtt / reference_rtt.

    What is left of the round trip is how much longer than its least it is on average. PingER normalises by a
    region's least round trip, "to reduce the proximity effects". Raises SpecError.
    """
    arguments.together(bit_s=bit_s, min_rtt=min_rtt)
    return (
        arguments.positive("bit_s", bit_s)
        * arguments.positive("min_rtt", min_rtt)
        / arguments.scalar(arguments.positive, "reference_rtt", reference_rtt)
    )


def gigabytes_per_hour(bit_s: Any) -> Any:
    """Of data at so many bit/s, 10^9 bytes a GB: 1 Mbit/s is 0.45 GB an hour. Raises SpecError."""
    return arguments.from_zero("bit_s", bit_s) * 3600 / 8 / 1e9


def per_month(months: Any, values: Any) -> estimate.Estimate:
    """By what share something grows a month (falls, if below 0), by a line through its logarithms: PingER's
    exponential fit. With the 95 % interval by Student's t of the slope, which takes the deviations from the
    line for independent.

    months: when, on a scale of months (12 times `pinger.year`); values: above 0; a NaN is a month without a
    value, and is left out. Raises SpecError for other shapes and for fewer than three different months.
    """
    x, y = arguments.rows(months=months, values=values)
    there = ~np.isnan(y)
    x, y = arguments.finite("months", x[there]), arguments.positive("values", y[there])
    if len(set(x.tolist())) < 3:
        raise SpecError(f"months: {len(set(x.tolist()))} different ones with a value: a trend takes three")
    log, at = np.log(y), x - x.mean()
    slope = float((at * log).sum() / (at**2).sum())
    off = log - log.mean() - slope * at
    half = t_quantile(len(x) - 2) * float(np.sqrt((off**2).sum() / (len(x) - 2) / (at**2).sum()))
    grows, low, high = (float(np.expm1(s)) for s in (slope, slope - half, slope + half))
    return estimate.Estimate(grows, low, high, len(x), "line through logarithms, Student's t", "months")


def by_group(table: pd.DataFrame, group: Mapping[str, str] | Callable[[str], str | None]) -> pd.DataFrame:
    """Medians of `pinger.table` by group of remote sites and tick, a column per group.

    group: from a remote's name to its group's, a dict or a function; a site without one is left out. The
    ticks keep their order. Raises SpecError if no site has a group.
    """
    arguments.frame("table", table, ("monitor", "remote", "tick", "value"))
    if table.empty:
        raise SpecError("table: no row: nothing to take a median of")
    of: Callable[[str], Any] = group if callable(group) else arguments.mapping("group", group, _LIKE).get
    named = table.assign(group=[of(name) for name in table["remote"]]).dropna(subset=["group"])
    if named.empty:
        raise SpecError(f"group: no group for any remote, as {table['remote'].iloc[0]!r}")
    wide = named.pivot_table(index="tick", columns="group", values="value", aggfunc="median", sort=False)
    return wide.reindex(list(dict.fromkeys(table["tick"])))


def log_r_squared(x: Any, y: Any) -> float:
    """Squared correlation of log y with log x: what a straight line in a log-log chart explains. Values above
    0. Raises SpecError."""
    x, y = arguments.rows(x=x, y=y)
    arguments.positive("x", x)
    arguments.positive("y", y)
    if len(x) < 3:
        raise SpecError(f"x, y: {len(x)} points: must be three points or more")
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(np.log(x), np.log(y))[0, 1] ** 2)
