"""Every explorer that the site runs live shows of a result what labkit's Python shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.charts_js.explored import Question, at, by_javascript, by_python, differences, measured
from tests.decode_js.decoded import needs_node

Values = Mapping[str, Any]

POINTS: dict[tuple[str, str], list[Values]] = {
    ("01", "window"): [
        {},
        {"loss": "0%", "delay": "2.5ms", "cc": "reno"},
        {"loss": "5%", "delay": "40ms"},
        {"loss": "2%", "cc": "reno"},
        {"loss": "0.7%", "delay": "21ms"},
        {"loss": "3.3%", "delay": "4ms", "cc": "reno"},
    ],
}
"""On the grid and off it; knobs that are not named stay where they start."""


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


@pytest.mark.parametrize(("prefix", "widget"), POINTS)
def test_a_live_run_shows_what_labkit_shows(prefix: str, widget: str) -> None:
    points = POINTS[prefix, widget]
    experiments = [at(prefix, widget, values) for values in points]
    experiments.append(experiments[0].replace(seed=experiments[0].seed + 6))
    results = [measured(prefix, widget, exp) for exp in experiments]
    ours = [by_python(prefix, widget, result) for result in results]
    chart = ours[0].spec
    theirs = by_javascript([Question(result, prefix, widget, chart) for result in results])
    found = {
        str(values): differences(a, b)
        for values, a, b in zip([*points, "another seed"], ours, theirs, strict=True)
    }
    assert not {values: texts for values, texts in found.items() if texts}
