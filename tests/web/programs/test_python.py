"""labkit in the page, from the site's own files: the bytes that it compiles are those of labkit here."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from live import bundles, slices
from live.maker import explore, predict
from live.planned import plan, reseeded, with_needs

from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment, Flow, custom_cc
from labkit.spec.topologies import pair
from labkit.widgets.space import Space
from tests import strategies
from tests.fuzz import examples
from tests.web.programs.page import Page, knowing, same

STEMS = slices.stems()
DRAWS = 3
WITHOUT = "18-delay-as-a-signal"
"""Its widget takes of numpy what a page has not: Python is not asked."""


@pytest.fixture(scope="module")
def python(lab: Path, page: Page) -> Page:
    if (missing := lab / "no-python").is_file():
        pytest.skip(missing.read_text())
    return page


@pytest.mark.parametrize("stem", STEMS)
def test_the_books_experiments_are_compiled_alike(stem: str, python: Page) -> None:
    """Those of its widgets, where they were recorded."""
    with slices.forgetting():
        for recorded in slices.recorded(stem).values():
            for make in bundles.source(stem, recorded).experiments.values():
                for exp in make():
                    question = json.loads(exp.to_json())
                    try:
                        here = plan(exp, BUILT_IN)
                    except LabkitError:
                        with pytest.raises(LookupError, match="PlanError: "):
                            python.compile(question, custom_cc.names())
                    else:
                        same(python.compile(question, custom_cc.names()), here)


def test_a_congestion_control_of_a_chapter_is_refused_to_a_kernel_without_it(python: Page) -> None:
    with knowing(["mine"]):
        exp = Experiment(pair(), flows=[Flow("left", "right", cc="mine", size="1kB")])
        question = json.loads(exp.to_json())
        same(python.compile(question, ["mine"]), plan(exp, BUILT_IN))
        with pytest.raises(LookupError, match=r"PlanError: .*module tahoe"):
            python.compile(question | {"modules": ["tahoe"]}, ["mine"])


@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow])
@given(exp=strategies.experiments())
def test_random_experiments_are_compiled_alike(exp: Experiment, python: Page) -> None:
    seed = exp.seed % 2**53  # a page's numbers are whole up to there
    exp = exp.replace(commands=(), files={}, memory=None, seed=seed)
    question = json.loads(exp.to_json())
    try:
        here = plan(exp, BUILT_IN)
    except LabkitError as error:
        with pytest.raises(LookupError, match=re.escape(f"PlanError: {error}")):
            python.compile(question)
    else:
        same(python.compile(question), here)


@pytest.mark.parametrize("stem", STEMS)
def test_widgets_are_compiled_alike_at_values_that_were_not_recorded(stem: str, python: Page) -> None:
    """One knob or several at random numbers of their range, the others anywhere; another seed at times."""
    chance = random.Random(stem)
    for name, recorded in slices.recorded(stem).items():
        if recorded.kind != "explore" or stem == WITHOUT:
            continue
        asked = python.ask(stem, name)
        knobs, own = asked["knobs"], asked["own"]
        if not any(knob["typed"] for knob in knobs):
            continue
        given = {"explore": explore, "predict": predict}
        with knowing(own):
            space: Space = slices.run_slice(slices.making(stem, name), given)
            needs = bundles.source(stem, recorded).needs
        for seed in (None, 12345, *(None,) * examples(DRAWS)):
            typed = {
                k["name"]: drawn(chance, k["typed"]) for k in knobs if k["typed"] and chance.random() < 0.7
            }
            at = {k["name"]: chance.randrange(len(k["texts"])) for k in knobs if k["name"] not in typed}
            texts = {k["name"]: k["texts"][at[k["name"]]] for k in knobs if k["name"] in at}
            asked = {"values": {**typed, **texts}, "seed": seed}
            values = {**{key: Decimal(number) for key, number in typed.items()}, **at}
            try:
                with knowing(own):
                    exps = [space.between(values)]
                    exps = exps if seed is None else reseeded(exps, seed)
                    here = [plan(with_needs(exp, needs), BUILT_IN) for exp in exps]
            except LabkitError as error:
                with pytest.raises(LookupError, match=re.escape(f"KnobError: {error}")):
                    python.ask(stem, name, **asked)
            else:
                for planned, one in zip(python.ask(stem, name, **asked), here, strict=True):
                    same(planned, one)


def test_where_python_cannot_be_asked_a_number_between_two_steps_is_refused(page: Page) -> None:
    with pytest.raises(LookupError, match="KnobError: A number between two steps cannot be run here"):
        page.ask(WITHOUT, "explore-beside", values={"queue": "1001"})


def drawn(chance: random.Random, typed: dict[str, Any]) -> str:
    """A number as a reader might type it, of few digits."""
    low, high = typed["low"], typed["high"]
    if typed["whole"]:
        return str(chance.randint(low, high))
    number = float(f"{chance.uniform(low, high):.{chance.randint(2, 5)}g}")
    if typed["unit"] == "dBm":
        number = round(number, 1)
    return f"{min(max(number, low), high):.12g}"


def test_what_labkit_says_is_what_a_reader_is_told(python: Page) -> None:
    with pytest.raises(LookupError, match="PlanError: topology: Topology: must be a mapping"):
        python.compile({"topology": 3})


def test_another_seed_is_had_of_a_prediction_too(python: Page) -> None:
    stem = next(stem for stem in STEMS if stem.startswith("22"))
    exps = bundles.source(stem, slices.recorded(stem)["predict-veno"]).experiments[""]()
    assert len(exps) > 1
    planned = python.ask(stem, "predict-veno", values={}, seed=1000)
    assert [one["manifest"]["experiment"]["seed"] for one in planned] == [
        1000 + exp.seed - exps[0].seed for exp in exps
    ]
    for one, exp in zip(planned, reseeded(exps, 1000), strict=True):
        same(one, plan(exp, BUILT_IN))
