"""Every prediction that the site measures live has the answer that labkit's Python gets of the same runs."""

from __future__ import annotations

import pytest

from tests.decode_js.decoded import needs_node
from tests.live_chapters.answers import Asked, Json, by_javascript, by_python, differences, recorded
from tests.live_chapters.slicing import slices, stem

PREDICTIONS = [
    (stem.split("-")[0], name)
    for stem in slices.stems()
    for name, found in slices.recorded(stem).items()
    if found.kind == "predict"
]


def recorded_chart(prefix: str, name: str) -> Json | None:
    """The chart of the result, as the site has it, without its data."""
    drawn = slices.recorded(stem(prefix))[name].stored["result"]
    return drawn and {key: item for key, item in drawn.items() if key != "datasets"}


SHARES = 6  # of which each is one process of node


@pytest.mark.parametrize("share", range(SHARES))
def test_predictions_are_measured_as_labkit_measures_them(share: int) -> None:
    """With the seeds that were recorded, and with others."""
    needs_node()
    mine = PREDICTIONS[share::SHARES]
    runs = [(one, recorded(*one, seed=seed)) for one in mine for seed in (0, 1000)]
    ours = [by_python(*one, results) for one, results in runs]
    theirs = by_javascript([Asked(*one, results, recorded_chart(*one)) for one, results in runs])
    found = [(one, differences(a, b)) for (one, _), a, b in zip(runs, ours, theirs, strict=True)]
    assert [(one, texts) for one, texts in found if texts] == []
