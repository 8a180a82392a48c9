"""Fewer rows that look the same: what a picture of some hundred pixels cannot show is left out.

No extreme is: every bucket of time keeps its smallest and its largest value where they were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

MAX_ROWS = 850  # of one figure, some 50 bytes each as JSON: three figures make 150 kB


def steps(table: pd.DataFrame, value: str, by: str) -> pd.DataFrame:
    """Of a step function, the rows where it changes, and each series' last. Loses nothing."""
    groups = table.groupby(by, observed=True, sort=False)[value]
    changed = table[value] != groups.shift()
    last = ~table[by].astype("str").duplicated(keep="last")
    return table[changed | last].reset_index(drop=True)


def thin(table: pd.DataFrame, x: str, value: str, by: str, rows: int = MAX_ROWS) -> pd.DataFrame:
    """At most about `rows` rows: per series and bucket of x the smallest and the largest value.

    Each keeps its own x; of equal ones the first is kept. The first and the last row of each series
    stay as well. Rows without a value go.
    """
    table = table[table[value].notna()].reset_index(drop=True)
    group = table.groupby(by, observed=True, sort=False).ngroup()
    ends = [np.flatnonzero(~group.duplicated()), np.flatnonzero(~group.duplicated(keep="last"))]
    kept, buckets = table.index.to_numpy(), rows
    while len(kept) > rows and buckets >= 1:
        values = table[value].groupby(group * buckets + _bucket(table[x], buckets))
        kept = np.unique(np.concatenate([values.idxmin(), values.idxmax(), *ends]))
        buckets = buckets * 3 // 4
    return table.iloc[kept].reset_index(drop=True)


def last_before(table: pd.DataFrame, value: str, times: pd.Series[float]) -> npt.NDArray[Any]:
    """The value of a step function (columns time_s, in order, and `value`) at each of these times.

    Before its first row it has the value of that.
    """
    place = np.searchsorted(table["time_s"].to_numpy(), times.to_numpy(), side="right") - 1
    return table[value].to_numpy()[np.maximum(place, 0)]


def first_of_each(table: pd.DataFrame, x: str, by: str, rows: int) -> pd.DataFrame:
    """At most about `rows` events that all look alike: per series and bucket of x the first one."""
    if len(table) <= rows:
        return table.reset_index(drop=True)
    group = table.groupby(by, observed=True, sort=False).ngroup()
    buckets = max(1, rows // (int(group.max()) + 1))
    key = group * buckets + _bucket(table[x], buckets)
    return table[~key.duplicated()].reset_index(drop=True)


def spans(table: pd.DataFrame, x: str, low: str, high: str, by: str, rows: int = MAX_ROWS) -> pd.DataFrame:
    """Vertical spans, joined where they touch within one bucket of x: what is covered stays covered.

    Buckets are made wider until there are at most about `rows` spans. A joined span stands at the x
    of its first part. Columns: x, by, low, high.
    """
    table = table[[x, by, low, high]].sort_values(x, kind="stable", ignore_index=True)
    buckets, joined = rows, table
    while len(joined) > rows and buckets >= 1:
        joined = _joined(table, _bucket(table[x], buckets), x, low, high, by)
        buckets //= 2
    return joined


def _joined(
    table: pd.DataFrame, bucket: pd.Series[int], x: str, low: str, high: str, by: str
) -> pd.DataFrame:
    table = table.assign(_bucket=bucket).sort_values([by, "_bucket", low], kind="stable")
    groups = table.groupby([by, "_bucket"], observed=True, sort=False)
    reached = groups[high].cummax().groupby([table[by], table["_bucket"]], observed=True).shift()
    number = (reached.isna() | (table[low] > reached)).cumsum()
    joined = table.groupby(number, sort=False).agg({x: "min", by: "first", low: "min", high: "max"})
    return joined.sort_values(x, kind="stable", ignore_index=True)


def _bucket(x: pd.Series[float], buckets: int) -> pd.Series[int]:
    """The number of the bucket, of equal ones from the smallest x to the largest."""
    width = float(x.max() - x.min())
    place = (x - x.min()) / (width or 1.0) * buckets
    return place.astype("int64").clip(upper=buckets - 1)
