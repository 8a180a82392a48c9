"""Numbers, words and fewer rows: JavaScript makes of them what numpy, pandas and labkit.charts make."""

from __future__ import annotations

import json
import math
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.charts import sampling, words
from labkit.charts.summary_table import nice
from tests import fuzz
from tests.web.decode.decoded import needs_node

SCRIPT = Path(__file__).with_name("calls.mjs")
Call = tuple[str, str, list[Any]]
TIES = (0.125, 0.375, 2.125, 2.135, 14.25, 14.35, 99.95, 99.949999, 100.5, 101.5, 142.5, 0.5, 1.5, 2.5, 1e15)


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


def in_node(calls: list[Call]) -> list[Any]:
    """What each of them gives, by one process for all."""
    given = json.dumps(_given(calls))
    done = subprocess.run(["node", SCRIPT], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout, object_hook=_number)
    return found


def _given(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, list | tuple):
        return [_given(item) for item in value]
    if isinstance(value, dict):
        return {key: _given(item) for key, item in value.items()}
    return value


def _number(value: dict[str, Any]) -> Any:
    return float(value["number"].replace("Infinity", "inf")) if set(value) == {"number"} else value


def unlike(calls: list[Call], ours: list[Any], same: Any = None) -> list[str]:
    """The calls whose answers differ, in words."""
    alike = same or (lambda a, b: a == b)
    return [
        f"{call[1]}{tuple(call[2])!r}: {a!r}, in JavaScript {b!r}"
        for call, a, b in zip(calls, ours, in_node(calls), strict=True)
        if not alike(a, b)
    ]


def values(chance: random.Random) -> Iterator[float]:
    """Of all sizes, short ones and long ones, ties, and what is no number."""
    yield from TIES
    yield from (0.0, -1.5, -142.5, -0.0625, math.inf, -math.inf, math.nan)
    for _ in range(fuzz.examples(2000)):
        size = 10.0 ** chance.uniform(-7, 12)
        value = chance.uniform(-0.1, 1) * size
        yield chance.choice((value, round(value, chance.randrange(6)), round(value * 8) / 8))


def test_numbers_are_written_alike() -> None:
    calls: list[Call] = []
    ours = []
    chance = random.Random(fuzz.seed())
    for value in values(chance):
        digits = chance.randrange(4)
        calls += [("words", "number", [value]), ("words", "fixed", [value, digits])]
        ours += [words.number(value), f"{value:.{digits}f}"]
        calls.append(("words", "general", [value, digits + 1]))
        ours.append(f"{value:.{digits + 1}g}")
    assert not unlike(calls, ours)


def test_counts_and_lists_are_written_alike() -> None:
    counts = (0, 1, 2, 3, 999, 1000, 35595, 1234567)
    lists = [["a", "b", "c", "d"][:length] for length in range(5)]
    calls: list[Call] = [("words", "count", [n, "packet"]) for n in counts]
    ours = [words.count(n, "packet") for n in counts]
    calls += [("words", "count", [n, "series", "series"]) for n in counts]
    ours += [words.count(n, "series", "series") for n in counts]
    calls += [("words", "times", [n]) for n in counts]
    ours += [words.times(n) for n in counts]
    calls += [("words", "listing", [parts]) for parts in lists]
    ours += [words.listing(parts) for parts in lists]
    calls += [("words", "limited", [parts, 2, "series"]) for parts in lists]
    ours += [words.limited(parts, 2, "series") for parts in lists]
    calls += [("words", "capitalized", ["no Segments"])]
    ours += ["no Segments".capitalize()]
    assert not unlike(calls, ours)


def close(a: float, b: float) -> bool:
    """To the last bit, or both no number."""
    return a == b or (math.isnan(a) and math.isnan(b))


def test_arithmetic_is_numpys_to_the_last_bit() -> None:
    calls: list[Call] = []
    ours: list[float] = []
    chance = random.Random(fuzz.seed())
    for number in range(fuzz.examples(150)):
        size = chance.choice((1, 2, 7, 8, 9, 40, 127, 128, 129, 300, 1000, 5000))
        drawn = np.random.default_rng([fuzz.seed(), number]).lognormal(0, 3, size)
        column, q = drawn.tolist(), chance.choice((0.5, 0.99, 0.01, chance.random()))
        calls += [("numpy_arithmetic", name, [column]) for name in ("sum", "mean", "median", "least", "most")]
        ours += [drawn.sum(), drawn.mean(), pd.Series(drawn).median(), drawn.min(), drawn.max()]
        calls.append(("numpy_arithmetic", "quantile", [column, q]))
        ours.append(float(pd.Series(drawn).quantile(q)))
        xs = np.sort(drawn.round(1))
        at = float(chance.choice((*xs.tolist(), chance.uniform(-1, 2 * xs[-1]))))
        calls.append(("numpy_arithmetic", "linear", [at, xs.tolist(), column]))
        ours.append(float(np.interp(at, xs, drawn)))
        calls.append(("goodput", "nice", [column[0]]))
        ours.append(nice(column[0]))
    for value in values(chance):
        if math.isfinite(value):
            digits = chance.randrange(7)
            calls += [("numpy_arithmetic", "rounded", [value, digits]), ("numpy_arithmetic", "rint", [value])]
            ours += [float(np.round(value, digits)) + 0.0, float(np.rint(value))]
    assert not unlike(calls, [float(value) for value in ours], close)


def table(chance: random.Random, *, holes: bool) -> pd.DataFrame:
    """Times in order, some of them equal, and values of several series, some of them missing."""
    rows = chance.choice((1, 2, 10, 100, 900, 3000))
    series = [f"s{i}" for i in range(chance.choice((1, 1, 2, 5)))]
    steps = [chance.choice((0.0, 0.0001, 0.01, chance.random())) for _ in range(rows)]
    known = [chance.choice((chance.randrange(5), chance.random() * 100)) for _ in range(rows)]
    shown = [math.nan if holes and chance.random() < 0.05 else float(value) for value in known]
    frame = pd.DataFrame({"time_s": np.cumsum(steps).round(4), "value": shown})
    return frame.assign(series=[chance.choice(series) for _ in range(rows)])


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]


def test_fewer_rows_are_the_same_rows() -> None:
    calls: list[Call] = []
    ours: list[Any] = []
    chance = random.Random(fuzz.seed())
    for _ in range(fuzz.examples(60)):
        limit = chance.choice((20, 120, 700, 850))
        frame = table(chance, holes=True)
        calls.append(("sampling", "thin", [records(frame), "time_s", "value", "series", limit]))
        ours.append(records(sampling.thin(frame, "time_s", "value", "series", limit)))
        calls.append(("sampling", "firstOfEach", [records(frame), "time_s", "series", limit]))
        ours.append(records(sampling.first_of_each(frame, "time_s", "series", limit)))
        whole = table(chance, holes=False)
        calls.append(("sampling", "steps", [records(whole), "value", "series"]))
        ours.append(records(sampling.steps(whole, "value", "series")))
        times = [chance.uniform(-1, whole["time_s"].max() + 1) for _ in range(5)] + [whole["time_s"].iloc[-1]]
        calls.append(("sampling", "lastBefore", [records(whole), "value", times]))
        ours.append([float(v) for v in sampling.last_before(whole, "value", pd.Series(times))])
    assert not unlike(calls, ours)


def test_joined_spans_are_the_same_spans() -> None:
    calls: list[Call] = []
    ours: list[Any] = []
    chance = random.Random(fuzz.seed())
    for _ in range(fuzz.examples(60)):
        frame = table(chance, holes=False)
        low = pd.Series([chance.randrange(40) for _ in range(len(frame))])
        high = low + pd.Series([chance.randrange(1, 4) for _ in range(len(frame))])
        frame = frame.assign(low=low, high=high).drop(columns="value")
        limit = chance.choice((10, 100, 500))
        calls.append(("sampling", "spans", [records(frame), "time_s", "low", "high", "series", limit]))
        ours.append(records(sampling.spans(frame, "time_s", "low", "high", "series", limit)))
    assert not unlike(calls, ours)
