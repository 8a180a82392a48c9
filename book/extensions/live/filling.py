"""The slots of a widget's programs, as a page reads them: slots.py and seeds.py have their form."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.spec import Experiment
from live.forms import Finder, Range
from live.maker import Maker
from live.planned import Plan, plan, with_needs
from live.seeds import Slot, seed_slots, seeded
from live.slots import Form, Json, copied, described_of

_OTHER_SEED, _THIRD_SEED = 918_273_645, 20
_LONGEST = 32_000  # bytes of a program in which slots are looked for
_TENTHS = "dBm"  # comes in steps of 0.1


def forms_of(maker: Maker, typed: Json, needs: Mapping[str, Any], name: str) -> Iterator[Form]:
    """Programs with slots for knobs whose numbers may be typed; a seed stands in it in another way."""
    memo: dict[tuple[Any, ...], Plan | None] = {}

    def compiled(values: Mapping[str, Any], _: int | None) -> Plan | None:
        key = tuple((knob, str(one), isinstance(one, Decimal)) for knob, one in sorted(values.items()))
        if key not in memo:
            try:
                memo[key] = plan(with_needs(maker.experiment(values), needs), BUILT_IN)
            except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError):
                memo[key] = None
        return memo[key]

    ranges = {knob: _range(maker, knob, one) for knob, one in typed.items() if knob != "seed"}
    choices = {knob: len(one.values) for knob, one in maker.space.knobs.items()}
    starts = {knob: one.default for knob, one in maker.space.knobs.items()}
    finder = Finder(choices, ranges, starts, compiled, random.Random(name))
    yield from finder.forms()


def _range(maker: Maker, knob: str, typed: Json) -> Range:
    read = maker.numbers[knob]
    assert read is not None
    ends = Decimal(str(typed["low"])), Decimal(str(typed["high"]))
    return Range(*ends, read.numbers, typed["whole"], 1 if typed["unit"] == _TENTHS else None)


def written_form(form: Form, maker: Maker, points: Json) -> Json:
    """As JSON. Its plan is that of a recorded point."""
    knobs = maker.space.knobs
    start = {knob: form.at.get(knob, form.base.get(knob, 0)) for knob in knobs}
    (number,) = points[",".join(str(start[knob]) for knob in knobs)]
    return {
        "at": [form.at.get(knob) for knob in knobs],
        "plan": number,
        "zero": form.zero,
        "fields": {knob: [one.written() for one in fields] for knob, fields in form.fields.items()},
    }


def seed_sets(plans: Sequence[Plan]) -> Json:
    """`seeds` and `seeded` of all plans."""
    sets: list[list[Slot]] = []
    numbers: list[int | None] = []
    for one in plans:
        numbers.append(None if len(one.program) > _LONGEST else _set_of(one, sets))
    return {"seeds": sets, "seeded": numbers}


def _set_of(one: Plan, sets: list[list[Slot]]) -> int | None:
    """The number of the set that holds for a plan; a new one is put to the others."""
    exp = Experiment.model_validate(one.manifest["experiment"])
    third = _reseeded(exp, _THIRD_SEED)
    if third is None:
        return None
    wanted = third.program, copied(described_of(third))
    for number, known in enumerate(sets):
        if _fits(known, one) and seeded(one, known, _THIRD_SEED) == wanted:
            return number
    other = _reseeded(exp, _OTHER_SEED)
    found = None if other is None else seed_slots(one, exp.seed, other, _OTHER_SEED)
    if found is None or seeded(one, found, _THIRD_SEED) != wanted:
        return None
    sets.append(found)
    return len(sets) - 1


def _fits(slots: Sequence[Slot], one: Plan) -> bool:
    """Whether the places are there at all."""
    if any("at" in slot and slot["at"] + slot["width"] > len(one.program) for slot in slots):
        return False
    flows = len(one.manifest["layout"]["flows"])
    return all(
        slot["path"][3] < flows
        for slot in slots
        if "path" in slot and slot["path"][1:3] == ["layout", "flows"]
    )


def _reseeded(exp: Experiment, seed: int) -> Plan | None:
    try:
        return plan(exp.replace(seed=seed), BUILT_IN)
    except LabkitError:
        return None
