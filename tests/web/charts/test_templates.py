"""What a page makes of a template and of a figure's data is what labkit.charts draws of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from typing import Any

import altair as alt
import pytest

from labkit.charts import queue_length, rates, round_trips, sequence, windows
from scripts.chart_templates import template
from tests.web.charts.test_arithmetic import Call, unlike
from tests.web.decode.decoded import needs_node

AT, START = "r1 → r2", 2.5


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


def asked(name: str, given: dict[str, Any] | None = None, **data: list[dict[str, Any]]) -> Call:
    return "chart", "chartOf", [name, data, given or {}]


def rows(field: str, values: Iterable[str]) -> list[dict[str, str]]:
    """Two of each."""
    return [{field: value} for value in values for _ in range(2)]


def of_series(names: list[str]) -> Iterator[tuple[Call, alt.LayerChart]]:
    """The figures with a curve for each."""
    mine = rows("series", names)
    yield asked("rtt", rtt=mine), round_trips.draw(names)
    yield asked("goodput", {"start": START}, goodput=mine), rates.draw_goodput(names, START)
    yield asked("delay", {"at": AT, "start": START}, delay=mine), queue_length.draw_delay(names, AT, START)
    yield asked("queue", {"at": AT}, queue=mine, drops=mine[-1:]), queue_length.draw_queue(names, AT)
    yield asked("cwnd", cwnd=rows("line", names), losses=[]), windows.draw(names, [])


def choices(whole: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """All of its parts, from none to all."""
    kinds = tuple(whole)
    return chain.from_iterable(combinations(kinds, n) for n in range(len(kinds) + 1))


def of_kinds() -> Iterator[tuple[Call, alt.LayerChart]]:
    """The figures whose marks are of kinds."""
    for some in choices(windows.LOOKS):
        losses = rows("event", reversed(some))
        drawn = windows.draw(["cwnd"], some, START)
        yield asked("cwnd", {"start": START}, cwnd=rows("line", ["cwnd"]), losses=losses), drawn
    for some in choices({**sequence.SPANS, **sequence.LINES}):
        segments = rows("kind", [kind for kind in reversed(some) if kind in sequence.SPANS])
        lines = rows("kind", [kind for kind in some if kind in sequence.LINES])
        drawn = sequence.draw("a-b", some)
        yield asked("time_sequence", {"flow": "a-b"}, segments=segments, lines=lines), drawn


def test_a_template_with_data_is_the_figure_of_these_data() -> None:
    series = chain.from_iterable(of_series([f"flow {i}" for i in range(n)]) for n in (1, 2, 5, 6, 8, 36))
    calls, drawn = zip(*series, *of_kinds(), strict=True)
    assert not unlike(list(calls), [template(chart) for chart in drawn])
