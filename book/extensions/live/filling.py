"""The tables of an explorer's programs (tables.py): made of its experiments, and as a page reads them.

    tables   [{plan, steps, bytes, leaves}, ...], each of the three with an entry for each knob
      plan     the number of the plan that it is filled in
      steps    the steps that it has of the knob; null: all
      bytes    [[at, width, number of a column], ...] of the program: a number whose lowest byte is the first
      leaves   [[path, number of a column], ...] of the plan
    columns  for each step of a table what it puts there (packing.py)

A step of a slider that takes numbers is one of its `steps`; of any other knob, one of its values.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import prod
from typing import Any

from labkit.errors import LabkitError
from labkit.execute.wasm.kernel.wasm_kernel import BUILT_IN
from labkit.widgets.space import Space
from live import packing
from live.described import Json
from live.planned import Plan, plan, with_needs
from live.tables import At, Finder, Table


class Steps:
    """Of an explorer's knobs, those that a slider stops at between the recorded values among them."""

    def __init__(self, space: Space, typed: Mapping[str, Json]) -> None:
        """typed: what is written of the knobs that take numbers."""
        self.values: dict[str, list[int | Decimal]] = {}
        for name, knob in space.knobs.items():
            own = typed.get(name, {})
            steps = own.get("steps", range(len(knob.values)))
            numbers = own["numbers"] if "steps" in own else list(steps)
            self.values[name] = [numbers.index(one) if one in numbers else Decimal(str(one)) for one in steps]

    @property
    def go_between(self) -> bool:
        """Whether there are others than the recorded ones."""
        return any(isinstance(one, Decimal) for values in self.values.values() for one in values)

    def at(self, indices: Iterable[int]) -> At:
        """Of a recorded point."""
        return {
            name: values.index(index)
            for (name, values), index in zip(self.values.items(), indices, strict=True)
        }

    def recorded(self, name: str) -> list[int]:
        return [step for step, value in enumerate(self.values[name]) if isinstance(value, int)]


def tables_of(space: Space, steps: Steps, needs: Mapping[str, Any], name: str) -> list[Table]:
    """None where a page has all programs anyway. name: of the widget, by which steps are drawn."""
    if not steps.go_between:
        return []
    memo: dict[tuple[int, ...], Plan | None] = {}

    def compiled(at: At) -> Plan | None:
        key = tuple(at[knob] for knob in steps.values)
        if key not in memo:
            values = {knob: own[at[knob]] for knob, own in steps.values.items()}
            try:
                memo[key] = plan(with_needs(space.between(values), needs), BUILT_IN)
            except (LabkitError, ArithmeticError, LookupError, TypeError, ValueError):
                memo[key] = None
        return memo[key]

    counts = {knob: len(own) for knob, own in steps.values.items()}
    starts = {knob: steps.values[knob].index(one.default) for knob, one in space.knobs.items()}
    recorded = {knob: sorted(steps.recorded(knob), key=lambda step: step != starts[knob]) for knob in counts}
    return list(Finder(counts, recorded, compiled, random.Random(name)).tables())


def is_whole(tables: Sequence[Table], steps: Steps) -> bool:
    """Whether each step of each knob is in them, with each of the others."""
    had = sum(prod(map(len, table.steps.values())) for table in tables)
    return had == prod(map(len, steps.values.values()))


def written_tables(tables: Sequence[Table], steps: Steps) -> Json:
    """`tables` and `columns`; the plan of the first table is number 0, and so on."""
    numbers: dict[str, int] = {}

    def column(values: Sequence[Any]) -> int:
        return numbers.setdefault(json.dumps(packing.column(values)), len(numbers))

    made = [
        {
            "plan": number,
            "steps": [
                None if len(own) == len(steps.values[knob]) else own for knob, own in table.steps.items()
            ],
            "bytes": [[[at, width, column(own)] for at, width, own in runs] for runs in table.runs.values()],
            "leaves": [[[path, column(own)] for path, own in leaves] for leaves in table.leaves.values()],
        }
        for number, table in enumerate(tables)
    ]
    return {"tables": made, "columns": [json.loads(one) for one in numbers]}
