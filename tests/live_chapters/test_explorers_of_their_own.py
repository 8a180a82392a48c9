"""Explorers whose chapters draw charts of their own show of a live run what labkit's Python shows of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec.parametrization import variant
from tests.charts_js.explored import FRAME, Question, Shown, by_javascript, differences
from tests.decode_js.decoded import needs_node
from tests.live import recorded
from tests.live_chapters.slicing import recording, stem, widget

Values = Mapping[str, Any]
SEED = "seed"

POINTS: dict[tuple[str, str], list[Values]] = {
    ("02", "disease"): [
        {},
        {"kind": "bits flip", "amount": "much"},
        {"kind": "all three"},
        {"kind": "queue is small", "amount": "little"},
        {"kind": "all three", SEED: 7},
    ],
    ("04", "explore-ring"): [{}, {"packets": 300, "rx_ring": 100, "cost": "17us"}, {"cost": "10us", SEED: 7}],
    ("14b", "explore-zoo"): [{}, {"cc": "bbr", "queue": 77, "loss": "0.3%"}, {"cc": "reno", SEED: 7}],
    ("19", "explore-fit"): [{}, {"rate": 1.5, "rtt": 100}, {"rate": 10, "rtt": 33}, {SEED: 7}, {SEED: 8}],
    ("20", "explore-hour"): [{}, {"load": 0.7, "rate": 5, "queue": "33p"}, {SEED: 7}],
    ("20b", "explore-rrul"): [{}, {"queue": "fq_codel", "up": 2, "down": 3}, {"up": 0}, {SEED: 7}],
    ("21", "explore-page"): [{}, {"http": "1.1", "loss": "3%", "cc": "bbr"}, {"loss": "0%"}, {SEED: 7}],
    ("21b", "explore-call"): [{}, {"queue": "CoDel", "uploads": 3}, {"queue": "CAKE", "up": "1.5mbit"}],
    ("22", "explore-queue"): [{}, {"loss": "2%", "queue": 50}, {"loss": "5%", SEED: 7}],
    ("23", "who-counts"): [{}, {"cause": "ring overrun"}, {"cause": "reordering", SEED: 7}],
}
"""On the grid and off it; knobs that are not named stay where they start. SEED is added to its own."""


def measured(prefix: str, name: str, values: Values) -> Result:
    """A run at that point, with what its chart and its summary need recorded from the start."""
    space = widget(prefix, name).space
    turned = {}
    for knob, it in space.knobs.items():
        value = values.get(knob, it.texts[it.default])
        turned[knob] = it.values[it.texts.index(value)] if value in it.texts else value
    exp = variant(space.source, turned)
    return run(recording(prefix, name, exp.replace(seed=exp.seed + values.get(SEED, 0))))


def by_python(prefix: str, name: str, result: Result) -> Shown:
    """What a recording would hold."""
    explorer = widget(prefix, name)
    spec, data = explorer.drawn(result)
    bare = {key: item for key, item in spec.items() if key not in FRAME}
    plain = json.loads(json.dumps({"spec": bare, "data": data}, default=lambda value: value.item()))
    return Shown(explorer.summarised(result), plain["spec"], plain["data"], spec["description"])


def bundle(prefix: str, name: str) -> Any:
    """What the chapter's notebook holds of the explorer."""
    found = recorded.bundles(recorded.EXPLORER)
    return next(b for one, b in found if one == stem(prefix) and b[recorded.EXPLORER]["name"] == name)


@pytest.mark.parametrize(("prefix", "name"), POINTS)
def test_a_live_run_shows_what_labkit_shows(prefix: str, name: str) -> None:
    needs_node()
    points = POINTS[prefix, name]
    results = [measured(prefix, name, values) for values in points]
    ours = [by_python(prefix, name, result) for result in results]
    chart = recorded.default_chart(bundle(prefix, name))
    theirs = by_javascript([Question(result, prefix, name, chart) for result in results])
    found = {str(values): differences(a, b) for values, a, b in zip(points, ours, theirs, strict=True)}
    assert not {values: texts for values, texts in found.items() if texts}
