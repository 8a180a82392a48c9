"""Every widget that a chapter shows is known to the page's JavaScript, and no other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.decode_js.decoded import needs_node
from tests.live_chapters.slicing import NEEDS, slices

WIDGETS = Path(__file__).with_name("widgets.mjs")
STEMS = {stem.split("-")[0]: stem for stem in slices.stems()}


def functions(found: slices.Recorded) -> list[str]:
    """What a recorded widget takes to be computed anew."""
    if found.kind == "explore":
        return ["draw", "summary"]
    return ["measure"] if found.stored["result"] is None else ["draw", "measure"]


def test_every_widget_has_its_functions() -> None:
    needs_node()
    told = subprocess.run(["node", WIDGETS, *STEMS], capture_output=True, text=True, check=True, timeout=100)
    expected = {
        prefix: {name: functions(found) for name, found in slices.recorded(stem).items()}
        for prefix, stem in STEMS.items()
    }
    assert json.loads(told.stdout) == expected


def test_what_is_recorded_from_the_start_is_for_widgets_that_there_are() -> None:
    named = {(prefix, name) for prefix, widgets in NEEDS.items() for name in widgets}
    assert named <= {(prefix, name) for prefix, stem in STEMS.items() for name in slices.recorded(stem)}
