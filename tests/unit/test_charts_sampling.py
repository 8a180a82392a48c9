"""Claims about fewer rows that look the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.charts.sampling import first_of_each, last_before, spans, steps, thin
from labkit.charts.summary_table import nice, over_time

VALUES = st.lists(st.integers(-50, 50), min_size=1, max_size=400)


def noise(rows: int, series: int = 1, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = [
        pd.DataFrame({"t": np.sort(rng.uniform(0, 10, rows)), "v": rng.normal(size=rows), "s": f"s{i}"})
        for i in range(series)
    ]
    return pd.concat(parts, ignore_index=True)


@given(VALUES, VALUES, st.integers(10, 60))
def test_every_extreme_survives(a: list[int], b: list[int], rows: int) -> None:
    table = pd.concat(
        [pd.DataFrame({"t": np.arange(len(v)) / len(v), "v": v, "s": s}) for s, v in (("a", a), ("b", b))],
        ignore_index=True,
    )
    kept = thin(table, "t", "v", "s", rows)
    for name, mine in table.groupby("s"):
        left = kept[kept["s"] == name]
        assert (left["v"].min(), left["v"].max()) == (mine["v"].min(), mine["v"].max())
        assert left.iloc[0].equals(mine.iloc[0])
        assert left.iloc[-1].equals(mine.iloc[-1])


@pytest.mark.parametrize("rows", [50, 200, 1000])
def test_no_value_sticks_out_of_what_is_kept_near_it(rows: int) -> None:
    """Near: within a bucket's width, of which there are rows / 4 at least."""
    table = noise(20_000)
    kept = thin(table, "t", "v", "s", rows)
    assert len(kept) <= rows
    width = 4 * (table["t"].max() - table["t"].min()) / rows
    times, values = kept["t"].to_numpy(), kept["v"].to_numpy()
    low, high = (np.searchsorted(times, table["t"] + shift) for shift in (-width, width))
    for value, first, last in zip(table["v"], low, high, strict=True):
        assert values[first:last].min() <= value <= values[first:last].max()


def test_a_spike_of_one_row_in_a_million_survives_at_its_time() -> None:
    table = pd.DataFrame({"t": np.arange(1_000_000) / 1e5, "v": 0.0, "s": "a"})
    table.loc[[123_456, 777_777], "v"] = [9.0, -9.0]
    kept = thin(table, "t", "v", "s", 500)
    assert len(kept) <= 500
    spikes = kept[kept["v"] != 0]
    assert list(spikes["t"]) == [1.23456, 7.77777]
    assert list(spikes["v"]) == [9, -9]


def test_what_is_few_enough_stays_as_it_is() -> None:
    table = noise(100)
    pd.testing.assert_frame_equal(thin(table, "t", "v", "s", 100), table)


def test_every_series_keeps_its_extremes_among_many() -> None:
    table = noise(1000, series=30)
    kept = thin(table, "t", "v", "s", 850)
    assert len(kept) <= 850
    ends = ["min", "max"]
    pd.testing.assert_frame_equal(kept.groupby("s")["v"].agg(ends), table.groupby("s")["v"].agg(ends))


@given(VALUES)
def test_a_step_function_is_kept_whole(values: list[int]) -> None:
    table = pd.DataFrame({"time_s": np.arange(len(values)) + 0.0, "v": values, "s": "a"})
    kept = steps(table, "v", "s")
    assert list(last_before(kept, "v", table["time_s"])) == values
    assert (kept["v"].diff().iloc[1:-1] != 0).all()


def test_before_its_beginning_a_step_function_has_its_first_value() -> None:
    table = pd.DataFrame({"time_s": [1.0, 2.0], "v": [10, 20]})
    assert list(last_before(table, "v", pd.Series([0.5, 1.0, 1.9, 2.0, 9.0]))) == [10, 10, 10, 20, 20]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=60), st.integers(1, 20)
)
def test_joined_spans_cover_the_same_bytes(parts: list[tuple[int, int]], rows: int) -> None:
    low, length = (np.array(column) for column in zip(*parts, strict=True))
    table = pd.DataFrame({"t": np.arange(len(parts)) + 0.0, "k": "data", "low": low, "high": low + length})
    joined = spans(table, "t", "low", "high", "k", rows)
    assert covered(joined) == covered(table)
    assert len(joined) <= len(table)
    assert set(joined["t"]) <= set(table["t"])


def covered(table: pd.DataFrame) -> set[int]:
    return {byte for low, high in zip(table["low"], table["high"], strict=True) for byte in range(low, high)}


def test_spans_with_a_gap_between_them_stay_apart() -> None:
    table = pd.DataFrame({"t": [0.0, 0.1, 0.2], "k": "SACK", "low": [0, 20, 10], "high": [10, 30, 12]})
    joined = spans(table, "t", "low", "high", "k", 2)
    assert joined[["low", "high"]].to_numpy().tolist() == [[0, 12], [20, 30]]


def test_of_events_each_piece_of_time_keeps_its_first() -> None:
    table = pd.DataFrame({"t": np.arange(1000) / 100, "s": "a"})
    kept = first_of_each(table, "t", "s", 10)
    assert list(kept["t"].round(0)) == list(range(10))


def test_the_table_has_least_and_most_of_every_piece() -> None:
    table = pd.DataFrame({"time_s": np.arange(1000) / 100, "v": np.arange(1000) % 37, "s": "a"})
    shown = over_time(table, "time_s", "v", "s", "v (packets)")
    assert len(shown) <= 60
    for row in shown.to_dict("records"):
        mine = table[(table["time_s"] >= row["From (s)"]) & (table["time_s"] < row["To (s)"])]["v"]
        assert (mine.min(), mine.max()) == (row["Least v (packets)"], row["Most v (packets)"])


@pytest.mark.parametrize(
    ("least", "found"), [(0.3, 0.5), (0.5, 0.5), (1.2, 2), (7, 10), (0.0001, 0.0001), (0, 1)]
)
def test_a_round_number_is_the_next_one(least: float, found: float) -> None:
    assert nice(least) == found
