"""Programs with slots, filled in by a page: to the byte what labkit compiles at the same values."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from live import bundles, slices
from live.maker import Maker, explore, predict
from live.planned import plan, reseeded, with_needs
from live.rules import Rule, fit

from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from tests.fuzz import examples
from tests.live_programs.page import Page, knowing, same

STEMS = slices.stems()
DRAWS = 20
BY_PYTHON = {
    "explore-ring": "a ring is as large as the next multiple of 8",
    "explore-bursts": "by packets, how long bursts are is a quotient, rounded twice",
    "explore-ack-loss": "its seed is a knob",
    "explore-window": "a buffer is a text of its own length",
    "explore-timeouts": "the floor is a text of its own length; a share is divided in floating point",
    "explore-fit": "programs of 120 kB",
    "explore-hour": "the load decides how many transfers there are",
    "explore-call": "how many uploads is how many flows",
    "explore-sharing": "delays are round trips times a number drawn at random",
    "explore-law": "its program is longer or shorter with the round trip",
    "explore-two-numbers": "a module's parameter is a text of its own length",
    "explore-rrul": "how many transfers is how many flows",
}
"""Explorers with numbers for which a page may have to ask Python, and why."""


def explorers() -> list[tuple[str, str]]:
    return [
        (stem, name)
        for stem in STEMS
        for name, recorded in slices.recorded(stem).items()
        if recorded.kind == "explore"
    ]


@pytest.mark.parametrize(("stem", "name"), explorers())
def test_filled_in_is_compiled(stem: str, name: str, page: Page) -> None:
    """At both ends of each range and at random numbers, of all knobs at once; with other seeds."""
    asked = page.ask(stem, name)
    if asked["refused"]:
        return
    with knowing(asked["own"]):
        filled_in_is_compiled(stem, name, asked["knobs"], page)


def filled_in_is_compiled(stem: str, name: str, knobs: list[dict[str, Any]], page: Page) -> None:
    maker: Maker = slices.run_slice(slices.making(stem, name), {"explore": explore, "predict": predict})
    needs = bundles.source(stem, slices.recorded(stem)[name]).needs
    for values, seed in chosen(knobs, random.Random(f"{stem}/{name}")):
        try:
            exps = [maker.experiment(values)]
            here = plan(with_needs((exps if seed is None else reseeded(exps, seed))[0], needs), BUILT_IN)
        except LabkitError:
            continue  # what a page says then: test_python.py
        (planned,) = page.ask(stem, name, values=as_typed(knobs, values), seed=seed)
        same(planned, here)
        typed = [one for one in values.values() if isinstance(one, Decimal)]
        if all(typed) and name not in BY_PYTHON:
            assert planned["by"] in ("recorded", "slots")


def as_typed(knobs: list[dict[str, Any]], values: dict[str, int | Decimal]) -> dict[str, str]:
    """What a reader chooses or types."""
    return {
        knob["name"]: knob["texts"][one] if isinstance(one := values[knob["name"]], int) else str(one)
        for knob in knobs
    }


def chosen(
    knobs: list[dict[str, Any]], chance: random.Random
) -> Iterator[tuple[dict[str, int | Decimal], int | None]]:
    """Values of all knobs by turns: ends, then anywhere."""
    typed = [knob for knob in knobs if knob["typed"]]
    for knob in typed:
        for end in ("low", "high"):
            yield {**anywhere(knobs, chance), knob["name"]: Decimal(str(knob["typed"][end]))}, None
    for _ in range(examples(DRAWS)):
        values = anywhere(knobs, chance)
        for knob in typed:
            if chance.random() < 0.8:
                values[knob["name"]] = number(knob["typed"], chance)
        yield values, chance.choice((None, chance.randrange(2**40)))


def anywhere(knobs: list[dict[str, Any]], chance: random.Random) -> dict[str, int | Decimal]:
    return {knob["name"]: chance.randrange(len(knob["texts"])) for knob in knobs}


def number(typed: dict[str, Any], chance: random.Random) -> Decimal:
    low, high = typed["low"], typed["high"]
    if typed["whole"]:
        return Decimal(chance.randint(low, high))
    digits = 1 if typed["unit"] == "dBm" else None
    drawn = (
        chance.uniform(low, high)
        if low <= 0 or chance.random() < 0.5
        else low * (high / low) ** chance.random()
    )
    text = f"{drawn:.{chance.randint(1, 6)}g}" if digits is None else f"{drawn:.{digits}f}"
    return min(max(Decimal(text), Decimal(str(low))), Decimal(str(high)))


def test_a_rule_is_found_in_examples_and_holds_at_others() -> None:
    for rule in (
        Rule(Fraction(2**32 - 1, 100), "round"),
        Rule(Fraction(10**6, 2), "round"),
        Rule(Fraction(250), "floor", plus=-14),
        Rule(Fraction(12_112_000), "ceil", inverse=True),
        Rule(Fraction(40), "floor", low=64, high=3000),
    ):
        numbers = [Fraction(n, 8) for n in (1, 3, 20, 55, 160, 333, 480, 640, 799, 800)]
        found = fit([(x, v) for x in numbers if (v := rule.value(x)) is not None])
        assert found is not None
        assert [found.value(Fraction(n, 8)) for n in range(1, 800)] == [
            rule.value(Fraction(n, 8)) for n in range(1, 800)
        ]


def test_no_rule_is_found_where_there_is_none() -> None:
    chance = random.Random(1)
    assert fit([(Fraction(x), chance.randrange(2**32)) for x in range(1, 12)]) is None


def test_rules_in_javascript_hold_by_themselves() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node here: apt-get install nodejs npm")
    script = Path(__file__).with_name("rules.test.mjs")
    done = subprocess.run(
        ["node", "--test", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout
