"""A page that runs what was recorded says so to the bit: what it compares with is what the kernel gives."""

from __future__ import annotations

import json
import random

import pytest

from scripts import recorded_bits
from tests.site import extension
from tests.wasm.conftest import wasm as wasm

slices = extension("live.slices")
BITS = json.loads(recorded_bits.FILE.read_text(encoding="utf-8"))
AGAIN = "python -m scripts.recorded_bits"


@pytest.mark.parametrize("stem", slices.stems())
def test_there_are_digests_of_every_recorded_run_that_a_page_makes(stem: str) -> None:
    wanted = {
        name: {key: len(exps) for key, exps in points.items()}
        for name, points in recorded_bits.experiments(stem).items()
    }
    found = {
        name: {key: len(digests) for key, digests in points.items()} for name, points in BITS[stem].items()
    }
    assert found == wanted, f"{AGAIN} {stem.partition('-')[0]}"


@pytest.mark.slow
@pytest.mark.usefixtures("wasm")
@pytest.mark.parametrize("stem", slices.stems())
def test_the_kernel_gives_the_same_again(stem: str) -> None:
    """Of one run of a chapter, another one each time."""
    chance = random.Random()
    runs = [
        (name, key, i)
        for name, points in BITS[stem].items()
        for key, digests in points.items()
        for i in range(len(digests))
    ]
    if not runs:
        pytest.skip("nothing of this chapter is run in a page")
    name, key, i = chance.choice(runs)
    exp = recorded_bits.experiments(stem)[name][key][i]
    assert recorded_bits.digest(exp) == BITS[stem][name][key][i], f"{name} {key} {i}: {AGAIN}"
