"""The table behind a figure over time: some dozen rows in place of thousands of points."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from labkit.charts.figure import TABLE_ROWS


def over_time(table: pd.DataFrame, time: str, value: str, series: str, what: str) -> pd.DataFrame:
    """Smallest and largest value per series in equal pieces of time, at most 60 rows in all.

    what: the value's name with its unit, such as "cwnd (packets)".
    """
    names = [str(name) for name in table[series].unique()]
    first, last = float(table[time].min()), float(table[time].max())
    width = nice((last - first) / max(TABLE_ROWS // max(len(names), 1) - 1, 1))
    piece = np.floor((table[time] / width).round(6)).astype("int64")  # 0.6 / 0.2 is a little less than 3
    groups = table.groupby([piece.rename("piece"), table[series].astype("str")], sort=True)[value]
    found = groups.agg(["min", "max"]).reset_index()
    return pd.DataFrame(
        {
            "From (s)": (found["piece"] * width).round(6),
            "To (s)": ((found["piece"] + 1) * width).round(6),
            "Series": found[series],
            f"Least {what}": found["min"],
            f"Most {what}": found["max"],
        }
    )


def nice(least: float) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that is not below `least`."""
    if not least > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    factor = next(f for f in (1, 2, 5, 10) if f * power >= least * (1 - 1e-9))
    return float(f"{factor * power:.6g}")
