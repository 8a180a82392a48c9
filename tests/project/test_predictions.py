"""What a reader sees of a question before they have answered does not give the answer away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from labkit import Experiment
from tests.site import extension

slices, bundles = extension("live.slices"), extension("live.bundles")
CURVES = [
    (stem, held)
    for stem in slices.stems()
    for held in slices.recorded(stem).values()
    if held.stored.get("kind") == "curve"
]
RATE = re.compile(r'"(?:rate|speed)":"?(\d+(?:\.\d+)?)(kbit|mbit|gbit)?')
MBIT = {"": 1e-6, "kbit": 1e-3, "mbit": 1.0, "gbit": 1e3}


def rates(exps: list[Experiment]) -> Iterator[float]:
    """Those of links and ports, in Mbit/s."""
    for exp in exps:
        for number, unit in RATE.findall(re.sub(r"\s", "", exp.to_json())):
            yield float(number) * MBIT[unit]


def is_possible(high: float, unit: str, exps: list[Experiment]) -> bool:
    """Whether nothing can be more than that: all of something, or what a link of the experiment carries."""
    return (unit == "%" and high == 100) or (unit == "Mbit/s" and any(high == rate for rate in rates(exps)))


@pytest.mark.parametrize(("stem", "held"), CURVES, ids=[held.name for _, held in CURVES])
def test_an_empty_axis_ends_at_what_is_possible_or_far_above_the_answer(stem: str, held: Any) -> None:
    """It is drawn before the reader commits; twice the answer is far."""
    stored = held.stored
    exps = bundles.source(stem, held).experiments[""]()
    far = stored["high"] >= 2 * max(stored["measured"])
    said = f"{stem} {held.name}: it ends at {stored['high']:g}, and measured is {stored['measured']}"
    assert far or is_possible(stored["high"], stored["unit"], exps), said
