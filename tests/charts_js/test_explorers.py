"""Every explorer that the site runs live shows of a result what labkit's Python shows of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from labkit.results.run import run
from tests.charts_js.explored import (
    Json,
    Question,
    at,
    by_javascript,
    by_python,
    differences,
    measured,
)
from tests.decode_js.decoded import needs_node
from tests.live import recorded
from tests.live_chapters.slicing import NEEDS

Values = Mapping[str, Any]

POINTS: dict[tuple[str, str], list[Values]] = {
    ("01", "window"): [
        {},
        {"loss": "0%", "delay": "2.5ms", "cc": "reno"},
        {"loss": "5%", "delay": "40ms"},
        {"loss": "2%", "cc": "reno"},
        {"loss": "0.7%", "delay": "21ms"},
        {"loss": "3.3%", "delay": "4ms", "cc": "reno"},
        {"loss": "100%"},
    ],
    ("03", "explore-place"): [
        {},
        {"place": "memory"},
        {"ber": "0"},
        {"place": "memory", "ber": "1e-5"},
        {"ber": "4e-6"},
        {"place": "memory", "ber": "7e-7"},
        {"ber": "1e-3"},
    ],
    ("03b", "explore-light"): [
        {},
        {"power": "-17 dBm"},
        {"power": "-19.4 dBm", "mss": "230 bytes"},
        {"power": "-19 dBm"},
        {"power": -18.6, "mss": 800},
        {"power": -16.1, "mss": 500},
        {"power": -30.0},
    ],
    ("05", "explore-queues"): [
        {},
        {"queue": "drop-tail"},
        {"queue": "RED", "load": "four"},
        {"queue": "PIE", "load": "UDP of 12 Mbit/s"},
    ],
    ("05b", "explore-fair-queues"): [
        {},
        {"queue": "drop-tail"},
        {"queue": "CoDel", "ecn": "on"},
        {"queue": "CAKE", "ecn": "on"},
    ],
    ("06", "explore-bursts"): [
        {},
        {"length": "1 packets"},
        {"bursts": "packets", "length": "30 packets", "cc": "cubic"},
        {"bursts": "packets", "cc": "bbr"},
        {"length": 17},
        {"bursts": "packets", "length": 4, "cc": "cubic"},
    ],
    ("07", "explore-sawtooth"): [
        {},
        {"cc": "cubic", "queue": "5 packets"},
        {"queue": "160 packets", "delay": "10 ms"},
        {"queue": "20 packets"},
        {"queue": 77, "delay": 18},
        {"cc": "cubic", "queue": 33},
    ],
    ("08", "explore-recovery"): [
        {},
        {"lost": "two", "stack": "no SACK"},
        {"lost": "all but the last two", "stack": "SACK"},
        {"lost": "one, and its copy", "stack": "today"},
        {"lost": "four", "stack": "today"},
    ],
    ("08b", "explore-jitter"): [
        {},
        {"jitter": "0 ms", "loss": "1%"},
        {"jitter": "45 ms", "found": "counting"},
        {"jitter": "5 ms"},
        {"jitter": 12, "loss": "0.4%"},
        {"jitter": 38, "found": "counting", "loss": "2%"},
    ],
    ("09", "explore-ack-loss"): [
        {},
        {"ack_loss": "0%", "queue": "100p"},
        {"ack_loss": "80%", "seed": "2"},
        {"ack_loss": "40%", "queue": "40p"},
        {"ack_loss": "71%", "queue": "25p"},
        {"ack_loss": "15%", "queue": "60p", "seed": "7"},
        {"ack_loss": "100%"},
    ],
    ("10", "explore-window"): [
        {},
        {"rtt": "10 ms", "scaling": "off"},
        {"rtt": "200 ms", "rmem": "64 kB"},
        {"rmem": "6144 kB"},
        {"rtt": 83, "rmem": 300},
        {"rtt": 31, "rmem": 1000, "scaling": "off"},
    ],
    ("11", "explore-laws"): [
        {},
        {"cc": "htcp", "loss": "0.1%"},
        {"cc": "reno", "rtt": "200 ms"},
        {"loss": "5%", "rtt": "2 ms"},
        {"loss": "0.4%", "rtt": 65},
        {"cc": "htcp", "loss": "2.5%", "rtt": 9},
        {"loss": "100%"},
    ],
    ("12", "explore-beside"): [
        {},
        {"cc": "hybla", "rtt": "200 ms"},
        {"cc": "yeah", "rtt": "20 ms"},
        {"cc": "reno"},
        {"cc": "illinois", "rtt": 61},
        {"cc": "bic", "rtt": 143},
    ],
    ("13", "explore-beside"): [
        {},
        {"other": "vegas", "queue": "132 packets"},
        {"other": "cubic", "queue": "8 packets"},
        {"other": "vegas"},
        {"queue": 21},
        {"other": "cubic", "queue": 90},
        {"queue": 1},
    ],
    ("13b", "explore-bbr"): [
        {},
        {"cc": "cubic", "loss": "1%"},
        {"cc": "reno", "queue": "8 packets"},
        {"loss": "15%", "queue": "66 packets"},
        {"loss": "6%", "queue": 200},
        {"cc": "cubic", "loss": "0.3%", "queue": 30},
    ],
    ("14", "explore-place"): [
        {},
        {"cc": "reno", "queue": "short"},
        {"cc": "dctcp", "queue": "marks", "beside": "cubic"},
        {"cc": "scalable", "queue": "deep", "beside": "cubic"},
    ],
    ("15", "explore-sharing"): [
        {},
        {"near": "bbr", "queue": "RED"},
        {"far": "cubic", "rtt": "20 ms", "queue": "fq_codel"},
        {"near": "cubic", "far": "bbr"},
        {"rtt": 43},
        {"near": "cubic", "rtt": 131, "queue": "fq_codel"},
    ],
    ("15b", "explore-remedies"): [
        {},
        {"queue": "RED", "near": "reno"},
        {"queue": "fq", "far": "bbr"},
        {"queue": "CoDel", "near": "bbr"},
    ],
    ("16", "explore-two-numbers"): [
        {},
        {"left": "4", "times": "2", "loss": "1%"},
        {"left": "15"},
        {"left": "8", "times": "2"},
        {"left": 10, "loss": "0.5%"},
        {"left": 6, "loss": "3%"},
    ],
    ("17", "explore-law"): [
        {},
        {"p": "10 %", "rtt": "1 ms"},
        {"p": "1 %", "buffer": "32 kB"},
        {"p": "1 %"},
        {"p": "10 %", "rtt": 37},
        {"p": "1 %", "rtt": 12, "buffer": 100},
    ],
    ("18", "explore-timeouts"): [
        {},
        {"p": "2 %", "stack": "stripped"},
        {"p": "30 %", "floor": "2.9 s"},
        {"p": "30 %", "stack": "stripped"},
        {"p": 17, "floor": 0.7},
        {"p": 5, "stack": "stripped", "floor": 1.5},
        {"p": 80},
    ],
}
"""On the grid and off it, some where hardly anything arrives. Knobs not named are at their defaults."""


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


def test_every_explorer_of_these_chapters_is_here() -> None:
    """Chapters whose explorers draw charts of their own: tests/live_chapters."""
    widgets = {
        (stem.partition("-")[0], bundle[recorded.EXPLORER]["name"])
        for stem, bundle in recorded.bundles(recorded.EXPLORER)
    }
    chapters = {prefix for prefix, _ in POINTS}
    assert {(prefix, name) for prefix, name in widgets if prefix in chapters} == set(POINTS)


def recorded_chart(prefix: str, widget: str) -> Json:
    """The default point's chart, as the site has it."""
    (found,) = (
        recorded.default_chart(bundle)
        for stem, bundle in recorded.bundles(recorded.EXPLORER)
        if stem.startswith(f"{prefix}-") and bundle[recorded.EXPLORER]["name"] == widget
    )
    return found


@pytest.mark.parametrize(("prefix", "widget"), POINTS)
def test_a_live_run_shows_what_labkit_shows(prefix: str, widget: str) -> None:
    points = POINTS[prefix, widget]
    experiments = [at(prefix, widget, values) for values in points]
    experiments.append(experiments[0].replace(seed=experiments[0].seed + 6))
    results = [measured(prefix, widget, exp) for exp in experiments]
    ours = [by_python(prefix, widget, result) for result in results]
    chart = recorded_chart(prefix, widget)
    theirs = by_javascript([Question(result, prefix, widget, chart) for result in results])
    found = {
        str(values): differences(a, b)
        for values, a, b in zip([*points, "another seed"], ours, theirs, strict=True)
    }
    assert not {values: texts for values, texts in found.items() if texts}


NEEDING = [(prefix, widget) for prefix, widget in POINTS if widget in NEEDS.get(prefix, {})]


@pytest.mark.parametrize(("prefix", "widget"), NEEDING)
def test_what_is_recorded_from_the_start_changes_nothing_that_is_shown(prefix: str, widget: str) -> None:
    """In Python a run that lacks a probe is made again with it: the figure is the same."""
    exp = at(prefix, widget, {})
    result = measured(prefix, widget, exp)
    assert result.experiment.probes > exp.probes
    assert by_python(prefix, widget, run(exp)) == by_python(prefix, widget, result)
