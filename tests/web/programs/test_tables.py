"""Programs at the steps of knobs, put together by a page: to the byte what labkit compiles there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import pytest
from live import bundles, packing, slices
from live.described import described_of
from live.maker import explore, predict
from live.planned import Plan, plan, reseeded, with_needs
from live.tables import Finder, Table

from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.widgets.space import Space
from tests.fuzz import examples
from tests.web.programs.page import Page, knowing, same

STEMS = slices.stems()
DRAWS = 20
BY_PYTHON = {
    "explore-ack-loss": "its seed is a knob",
    "explore-hour": "the load decides how many transfers there are",
    "explore-fit": "in programs of 120 kB no seeds are looked for",
}
"""Explorers for which a page may have to ask Python at the steps of their knobs, and why."""
STEPS = 24


def explorers() -> list[tuple[str, str]]:
    return [
        (stem, name)
        for stem in STEMS
        for name, recorded in slices.recorded(stem).items()
        if recorded.kind == "explore"
    ]


@pytest.mark.parametrize(("stem", "name"), explorers())
def test_what_is_put_together_is_compiled(stem: str, name: str, page: Page) -> None:
    """At both ends of each knob and at random steps, of all knobs at once; with other seeds."""
    asked = page.ask(stem, name)
    if asked["refused"]:
        return
    with knowing(asked["own"]):
        put_together_is_compiled(stem, name, asked["knobs"], page)


def put_together_is_compiled(stem: str, name: str, knobs: list[dict[str, Any]], page: Page) -> None:
    space: Space = slices.run_slice(slices.making(stem, name), {"explore": explore, "predict": predict})
    needs = bundles.source(stem, slices.recorded(stem)[name]).needs
    for values, seed in chosen(
        {knob["name"]: steps(knob) for knob in knobs}, random.Random(f"{stem}/{name}")
    ):
        try:
            exps = [space.between(values)]
            here = plan(with_needs((exps if seed is None else reseeded(exps, seed))[0], needs), BUILT_IN)
        except LabkitError:
            continue  # what a page says then: test_python.py
        (planned,) = page.ask(stem, name, values=as_typed(knobs, values), seed=seed)
        same(planned, here)
        assert planned["by"] == "site" or name in BY_PYTHON


def steps(knob: dict[str, Any]) -> list[int | Decimal]:
    """Of a slider those between its values, too."""
    packed = (knob["typed"] or {}).get("steps")
    if packed is None:
        return list(range(len(knob["texts"])))
    numbers = knob["typed"]["numbers"]
    return [numbers.index(one) if one in numbers else Decimal(str(one)) for one in unpacked(packed)]


def unpacked(column: Any) -> list[Any]:
    """As columns.mjs does it."""
    if isinstance(column, list):
        return column
    whole = [sum(column["by"][: i + 1]) for i in range(len(column["by"]))]
    return [one / column["over"] for one in whole]


def as_typed(knobs: list[dict[str, Any]], values: Mapping[str, int | Decimal]) -> dict[str, str]:
    """What a reader chooses or types."""
    return {
        knob["name"]: knob["texts"][one] if isinstance(one := values[knob["name"]], int) else str(one)
        for knob in knobs
    }


def chosen(
    steps: Mapping[str, list[int | Decimal]], chance: random.Random
) -> Iterator[tuple[dict[str, int | Decimal], int | None]]:
    """Steps of all knobs by turns: ends, then anywhere."""
    for name, own in steps.items():
        for end in (own[0], own[-1]):
            yield {**anywhere(steps, chance), name: end}, None
    for _ in range(examples(DRAWS)):
        yield anywhere(steps, chance), chance.choice((None, chance.randrange(2**40)))


def anywhere(steps: Mapping[str, list[int | Decimal]], chance: random.Random) -> dict[str, int | Decimal]:
    return {name: chance.choice(own) for name, own in steps.items()}


@pytest.mark.parametrize(("stem", "name"), explorers())
def test_a_slider_stops_at_a_hundred_steps_its_recorded_values_among_them(
    stem: str, name: str, page: Page
) -> None:
    for knob in page.ask(stem, name)["knobs"]:
        if not knob["typed"] or knob["kind"] != "slider":
            continue
        numbers, found = knob["typed"]["numbers"], unpacked(knob["typed"]["steps"])
        assert [one for one in found if one in numbers] == numbers
        assert len(set(found)) == len(found) <= 101
        finest = {"dBm": 0.1}.get(knob["typed"]["unit"], 1 if knob["typed"]["whole"] else 0)
        all_there_are = round(abs(numbers[-1] - numbers[0]) / finest) + 1 if finest else 101
        assert len(found) >= 0.6 * min(all_there_are, 101)


def compiled(make: Any) -> list[Table]:
    """The tables of two sliders and a choice. make: of their steps, a program and what it means."""

    def compile(at: Mapping[str, int]) -> Plan | None:
        made = make(**at)
        return made and Plan(made[0], {"experiment": made[1]}, 32, None)

    counts = {"a": STEPS, "b": STEPS, "kind": 3}
    recorded = {"a": [0, STEPS - 1], "b": [0, STEPS - 1], "kind": [0, 1, 2]}
    tables = list(Finder(counts, recorded, compile, random.Random(1)).tables())
    for table in tables:  # whatever is in them is right
        for a, b, kind in {(a, b, k) for a in table.steps["a"] for b in table.steps["b"] for k in range(3)}:
            if table.has(at := {"a": a, "b": b, "kind": kind}):
                plan = compile(at)
                assert plan is not None
                assert table.filled(at) == (plan.program, described_of(plan))
    return tables


def had(tables: list[Table]) -> int:
    return sum(len(own["a"]) * len(own["b"]) * len(own["kind"]) for own in (one.steps for one in tables))


def test_knobs_that_do_not_meddle_have_one_table() -> None:
    (table,) = compiled(lambda a, b, kind: (bytes([a, 7, b * b % 251, kind]), {"a": a / 10, "b": [str(b)]}))
    assert had([table]) == STEPS * STEPS * 3


def test_of_knobs_that_meddle_the_shorter_is_held_at_each_of_its_steps() -> None:
    tables = compiled(lambda a, b, kind: (bytes([a * (kind + 1), b]), {}))
    assert [table.steps["kind"] for table in tables] == [[0], [1], [2]]
    assert had(tables) == STEPS * STEPS * 3


def test_what_meddles_at_its_end_alone_is_found() -> None:
    tables = compiled(lambda a, b, kind: (bytes([a, b, kind * (a == b == STEPS - 1)]), {}))
    assert had(tables) < STEPS * STEPS * 3 or len(tables) > 1


def test_programs_of_another_length_or_of_other_names_have_tables_of_their_own() -> None:
    longer = compiled(lambda a, b, kind: (bytes([a, b]) + bytes(a // 18), {"kind": kind}))
    assert [table.steps["a"][0] for table in longer] == [0, 18]
    other = compiled(lambda a, b, kind: (bytes([a, b]), {"kind": kind} if kind else {}))
    assert [table.steps["kind"] for table in other] == [[0], [1, 2]]
    assert had(longer) == had(other) == STEPS * STEPS * 3


def test_what_labkit_refuses_is_in_no_table() -> None:
    tables = compiled(lambda a, b, kind: None if kind == 1 or a > 18 else (bytes([a, b, kind]), {}))
    assert had(tables) == 19 * STEPS * 2


def test_what_would_take_too_many_programs_has_no_table() -> None:
    chance = random.Random(2)
    drawn: dict[tuple[int, int], int] = {}

    def anything(a: int, b: int, kind: int) -> tuple[bytes, Any]:
        return bytes([drawn.setdefault((a, b), chance.randrange(256)), kind]), {}

    assert had(compiled(anything)) < STEPS * STEPS * 3


def test_a_column_is_its_values_to_the_last_bit() -> None:
    chance = random.Random(3)
    for numbers in (
        [chance.randrange(2**48) for _ in range(100)],
        [chance.uniform(0, 1) for _ in range(100)],
        [round(chance.uniform(-100, 100), 3) for _ in range(100)],
        [float(f"{10 ** chance.uniform(-9, 6):.3g}") for _ in range(100)],
        [1e-300, 1.0],
        [2**60, 1],
        [None, 1, "1%"],
        [True, False],
    ):
        assert unpacked(packing.column(numbers)) == numbers
