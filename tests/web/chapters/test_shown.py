"""Every widget that the site runs live shows of a run what labkit's Python shows of it. What words and
labkit's figures are by themselves: tests/web/measures, tests/web/charts.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from labkit.charts import vega
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec.parametrization import variant
from labkit.widgets import Explorer
from tests.web.chapters.slicing import bundles, recording, slices, stem, widget
from tests.web.charts.explored import FRAME, Json, differences_of_data
from tests.web.decode.decoded import needs_node

SCRIPT = Path(__file__).with_name("shown.mjs")
Values = Mapping[str, Any]
SEED = "seed"

MORE: dict[tuple[str, str], list[Values]] = {
    ("02", "explore-window"): [{"buffer": "17kB"}, {"buffer": "300kB", SEED: 2}],
    ("03", "explore-plane"): [{"begin": 0, "queue": 10}, {"queue": 60, SEED: 3}],
    ("05", "disease"): [
        {"kind": "bad memory", "amount": "much"},
        {"kind": "noise on the cable"},
        {"kind": "short queue", "amount": "little"},
    ],
    ("06", "explore-place"): [
        {"place": "router's memory", "ber": "1e-5"},
        {"place": "second cable", SEED: 2},
    ],
    ("07", "explore-ring"): [{"packets": 300, "rx_ring": 100, "cost": "17us"}, {"cost": "10us", SEED: 7}],
    ("08", "explore-queues"): [{"queue": "RED", "load": "four"}, {"load": "UDP of 12 Mbit/s"}],
    ("09", "explore-fair-queues"): [{"queue": "drop-tail"}, {"queue": "CAKE", "ecn": "on"}],
    ("13", "explore-ack-loss"): [{"ack_loss": "100%"}],
    ("A", "explore-place"): [{"cc": "dctcp", "queue": "marks", "beside": "cubic"}],
    ("22", "explore-zoo"): [{"cc": "bbr", "queue": 77, "loss": "0.3%"}],
    ("26", "explore-loss"): [{"flows": "32", "buffer": "15 packets", "cc": "cubic"}, {"flows": "1"}],
    ("28", "explore-hour"): [{"load": 0.7, "rate": 5, "queue": "33p"}],
    ("29", "explore-rrul"): [{"queue": "fq_codel", "up": 4, "down": 0}, {"up": 0}],
    ("30", "explore-page"): [{"http": "1.1", "loss": "3%", "cc": "bbr"}, {"loss": "0%"}],
    ("31", "explore-call"): [{"queue": "CoDel", "uploads": 3}, {"queue": "CAKE", "up": "1.5mbit"}],
    ("32", "explore-queue"): [{"loss": "2%", "queue": 50}],
    ("33", "who-counts"): [{"cause": "ring overrun"}, {"cause": "reordering"}],
}
"""Points beside the default one, where a chart is the chapter's own or a run is an odd one; knobs that are
not named stay where they start. SEED is added to its own."""
WIDGETS = [(one.split("-")[0], name) for one in slices.stems() for name in slices.recorded(one)]


def results_of(shown: Any, prefix: str, name: str, values: Values) -> list[Result]:
    """Runs at a point, with what the page records."""
    if isinstance(shown, Explorer):
        turned = {}
        for knob, it in shown.space.knobs.items():
            value = values.get(knob, it.texts[it.default])
            turned[knob] = it.values[it.texts.index(value)] if value in it.texts else value
        experiments = [variant(shown.space.source, turned)]
    else:
        experiments = shown.experiments
    more = values.get(SEED, 0)
    return [run(recording(prefix, name, exp.replace(seed=exp.seed + more))) for exp in experiments]


def chart_of(prefix: str, name: str) -> Json | None:
    """The recorded figure without its data."""
    return bundles.chart(slices.recorded(stem(prefix))[name])


def by_python(shown: Any, results: Sequence[Result]) -> Json:
    """As shown.mjs has it."""
    together = results[0] if isinstance(shown, Explorer) else shown._together(list(results))
    told = shown.summarised(together) if isinstance(shown, Explorer) else shown.measure(together)
    if shown.chart is None:
        return {"told": told, "drawn": None}
    spec, data = vega.split(shown.chart(together).to_dict())
    drawn = {"data": data, "description": spec.get("description", ""), "spec": spec}
    plain: Json = json.loads(json.dumps({"told": told, "drawn": drawn}, default=lambda value: value.item()))
    return plain


def by_javascript(questions: Sequence[Json]) -> list[Json]:
    """By one process for all."""
    done = subprocess.run(
        ["node", SCRIPT],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found: list[Json] = json.loads(done.stdout)
    return found


def differences(ours: Json, theirs: Json) -> list[str]:
    """What is not the same, in words: an answer's numbers to a billionth of themselves, texts exactly."""
    found = []
    if not is_same(ours["told"], theirs["told"]):
        found.append(f"{ours['told']}, in JavaScript {theirs['told']}")
    if ours["drawn"] is None or theirs["drawn"] is None:
        return found if ours["drawn"] == theirs["drawn"] else [*found, "only one of them draws it"]
    one, other = (
        {key: item for key, item in side["drawn"]["spec"].items() if key not in FRAME}
        for side in (ours, theirs)
    )
    if one != other:
        found.append(f"{one}, in JavaScript {other}")
    if ours["drawn"]["description"] != theirs["drawn"]["description"]:
        found.append(f"{ours['drawn']['description']}, in JavaScript {theirs['drawn']['description']}")
    return found + differences_of_data(ours["drawn"]["data"], theirs["drawn"]["data"])


def is_same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(is_same, ours, theirs))
    if isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-9)
    return bool(ours == theirs) and (not isinstance(ours, dict) or list(ours) == list(theirs))


@pytest.mark.parametrize(("prefix", "name"), WIDGETS)
def test_a_page_shows_what_labkit_shows(prefix: str, name: str) -> None:
    """At the default point, with another seed, and at more points of some."""
    needs_node()
    shown = widget(prefix, name)
    recipe, lacks = bundles.recipe(stem(prefix), name, shown)
    if lacks:
        pytest.skip(f"a page does not run it: {lacks}")
    points: list[Values] = [{}, {SEED: 7}, *MORE.get((prefix, name), [])]
    runs = [results_of(shown, prefix, name, values) for values in points]
    asked = {"prefix": prefix, "name": name, "recipe": recipe, "chart": chart_of(prefix, name)}
    asked |= {"kind": "" if isinstance(shown, Explorer) else shown.kind}
    told = by_javascript([asked | {"runs": [files(one) for one in results]} for results in runs])
    found = {
        str(values): differences(by_python(shown, results), theirs)
        for values, results, theirs in zip(points, runs, told, strict=True)
    }
    assert not {values: texts for values, texts in found.items() if texts}


def files(result: Result) -> Json:
    return {"raw": str(result.folder / "raw"), "manifest": str(result.folder / "manifest.json")}


REFUSED = {("27", "explore-fit")}


def test_only_these_explorers_and_questions_of_a_function_are_not_run_in_a_page() -> None:
    found = {}
    for prefix, name in WIDGETS:
        shown = widget(prefix, name)
        if lacks := bundles.recipe(stem(prefix), name, shown)[1]:
            found[prefix, name] = (type(shown).__name__, lacks)
    explorers = {at for at, (kind, _) in found.items() if kind == "Explorer"}
    assert explorers == REFUSED
    assert {lacks for kind, lacks in found.values() if kind == "Prediction"} == {bundles.ANSWERED}
