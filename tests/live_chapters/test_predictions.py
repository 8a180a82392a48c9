"""Every prediction that the site measures live has the answer that labkit's Python gets of the same runs."""

from __future__ import annotations

import pytest

from tests.decode_js.decoded import needs_node
from tests.live_chapters.answers import Asked, by_javascript, by_python, differences, recorded
from tests.live_chapters.slicing import slices

PREDICTIONS = [
    (stem.split("-")[0], name)
    for stem in slices.stems()
    for name, found in slices.recorded(stem).items()
    if found.kind == "predict"
]


@pytest.mark.parametrize(("prefix", "name"), PREDICTIONS)
def test_a_prediction_is_measured_as_labkit_measures_it(prefix: str, name: str) -> None:
    needs_node()
    runs = [recorded(prefix, name), recorded(prefix, name, seed=1000)]
    ours = [by_python(prefix, name, results) for results in runs]
    theirs = by_javascript([Asked(prefix, name, results, ours[0].chart) for results in runs])
    found = [differences(a, b) for a, b in zip(ours, theirs, strict=True)]
    assert found == [[], []]
