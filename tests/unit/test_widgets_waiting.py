"""What widgets say while their runs wait for the lab kernel. Nothing runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import pytest

from labkit import Experiment, Flow, dumbbell, explore, predict
from labkit.widgets import face
from labkit.widgets.runner import Runner

BUILT = "building the lab kernel: net/ipv4, 40 %, about 2 min to go"


def made(cc: str = "reno") -> Experiment:
    network = dumbbell(rate="10mbit", delay="10ms", queue="50p")
    return Experiment(network, flows=[Flow("left", "right", cc=cc, duration="3s")])


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[int, float], None]]:
    """How the jobs that were started are watched; none of them is carried out."""
    started: list[Callable[[int, float], None]] = []
    monkeypatch.setattr(Runner, "start", lambda self, jobs, *, progress, **_: started.append(progress))
    return started


@pytest.mark.parametrize("widget", ["explorer", "prediction"])
@pytest.mark.parametrize(("built", "said"), [(BUILT, BUILT), ("", "others' runs come first")])
def test_a_widget_says_whether_it_waits_for_the_kernel_or_for_others(
    beats: list[Callable[[int, float], None]],
    monkeypatch: pytest.MonkeyPatch,
    built: str,
    said: str,
    widget: str,
) -> None:
    monkeypatch.setattr(face, "being_built", lambda: built)
    monkeypatch.setattr(face, "_BOOTED_S", -1.0)
    told: list[dict[str, Any]] = []
    live: Any = (
        explore(made, cc=["reno", "cubic"], chart=lambda result: alt.Chart(), start="button").live
        if widget == "explorer"
        else predict("How much?", made(), lambda result: 1.0, between=(0, 10)).live
    )
    live.send = told.append
    live.hear({"run": 1, "values": {}, "seed": None, "words": ""})
    beats[0](0, 0.0)
    assert told[-1]["said"].startswith(said)
    beats[0](0, 0.5)
    assert told[-1] == {"run": 1, "time": 0.5, "of": 3.0, "said": ""}
