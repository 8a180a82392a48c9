"""The first page's packets are of its runs, and what it says of them holds of other runs, too."""

from __future__ import annotations

import json

import pytest

from labkit import run
from scripts import opening
from tests.site import extension
from tests.wasm.conftest import wasm as wasm

slices = extension("live.slices")


@pytest.mark.usefixtures("wasm")
def test_its_packets_are_made_the_same_again() -> None:
    assert opening.text(opening.films()) == opening.FILE.read_text(encoding="utf-8"), (
        "python -m scripts.opening"
    )


@pytest.mark.usefixtures("wasm")
@pytest.mark.parametrize("times", [1, 2, 4])
def test_a_quarter_is_left_to_cubic_and_nearly_all_to_bbr_whatever_the_seed(times: int) -> None:
    """What "about 2.5" means: it is the right answer while it is the nearest of the three: below 3.75."""
    space = slices.widget(opening.CHAPTER, opening.WIDGET).space
    for seed in range(1, 9):
        for cc, least, most in (("cubic", 1.75, 3.25), ("bbr", 8.5, 9.6)):
            exp = space.experiment(space.point({"loss": "1%", "cc": cc})).replace(seed=seed)
            (flow,) = exp.flows
            exp = exp.replace(flows=[flow.replace(duration=times * flow.duration)])
            assert least < run(exp).goodput().iloc[0] < most, (seed, cc)


def test_there_are_packets_for_each_place_of_the_knobs() -> None:
    stored = slices.recorded(opening.CHAPTER)[opening.WIDGET].stored
    knobs = [knob["name"] for knob in stored["knobs"]]
    still = [i for i, name in enumerate(knobs) if name not in opening.KNOBS]
    starts = [str(knob["default"]) for knob in stored["knobs"]]
    wanted = {key for key in stored["points"] if all(key.split(",")[i] == starts[i] for i in still)}
    assert set(json.loads(opening.FILE.read_bytes())) == wanted
