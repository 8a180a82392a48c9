"""What widgets say while their runs wait for the lab kernel. Nothing runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt
import pytest

from labkit import Experiment, Flow, dumbbell, explore, predict
from labkit.widgets import live, live_predict
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


@pytest.mark.parametrize(("built", "said"), [(BUILT, BUILT), ("", "others' runs come first")])
def test_an_explorer_says_whether_it_waits_for_the_kernel_or_for_others(
    beats: list[Callable[[int, float], None]], monkeypatch: pytest.MonkeyPatch, built: str, said: str
) -> None:
    monkeypatch.setattr(live, "being_built", lambda: built)
    monkeypatch.setattr(live, "_BOOTED_S", -1.0)
    shown: Any = explore(made, cc=["reno", "cubic"], chart=lambda result: alt.Chart()).live
    beats[0](0, 0.0)
    assert shown.clock.value.startswith(said)
    beats[0](0, 0.5)
    assert shown.clock.value.endswith("s of virtual time")


@pytest.mark.parametrize(("built", "said"), [(BUILT, BUILT), ("", "Run 1 of 1: 0 s of virtual time")])
def test_a_prediction_says_that_it_waits_for_the_kernel(
    beats: list[Callable[[int, float], None]], monkeypatch: pytest.MonkeyPatch, built: str, said: str
) -> None:
    monkeypatch.setattr(live_predict, "being_built", lambda: built)
    asked: Any = predict("How much?", made(), lambda result: 1.0, between=(0, 10)).live
    asked.inputs[0].value = "9.5"
    asked.commit_button.click()
    beats[0](0, 0.0)
    assert said in asked.message.value
    beats[0](0, 1.0)
    assert "Run 1 of 1: 1 s of virtual time" in asked.message.value
