"""Programs at every step of an explorer's knobs: compiled there, and kept as what differs.

A table is a program and, for each knob by itself, the bytes that its steps have in their places. That two
knobs do not meddle with each other is not believed: the program of several knobs turned at once, put together
from the table, must be the one that is compiled, at all recorded points in it, at its corners and at others
drawn at random. Where it is not, one of the two knobs is held, and each of its steps has a table of its own.
So have programs of another length. What would take many tables is left to Python in the page.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

from live.described import Json, Path, described_of, diff, leaf_at, put
from live.planned import Plan

At = Mapping[str, int]
"""By knob: which of its steps."""
Compile = Callable[[At], "Plan | None"]
"""None: labkit refuses it."""

_DRAWN = 16  # at which a table must hold, besides its recorded points and its corners
_CORNERS = 16
_PARTS = 8  # tables, into which the steps of a knob may fall
_MOST = 2000  # programs of an explorer
_WIDEST = 6  # bytes whose number is exact in JavaScript


@dataclass(frozen=True)
class Table:
    """steps: of each knob those that it has, in the order of the columns; base: where `plan` is compiled;
    runs: (at, width, numbers): bytes of the program, and what each step has there, lowest byte first;
    leaves: what it has in its description."""

    plan: Plan
    base: dict[str, int]
    steps: dict[str, list[int]]
    runs: dict[str, list[tuple[int, int, list[int]]]]
    leaves: dict[str, list[tuple[Path, list[Any]]]]

    def has(self, at: At) -> bool:
        return all(step in self.steps[name] for name, step in at.items())

    def drawn(self, chance: random.Random, count: int) -> list[Plan]:
        """Some of what is in it, the plan itself first."""
        found = [self.plan]
        for _ in range(count):
            program, described = self.filled({name: chance.choice(own) for name, own in self.steps.items()})
            found.append(Plan(program, **described))
        return found

    def filled(self, at: At) -> tuple[bytes, Json]:
        """The program at these steps, and what its bytes mean."""
        program, described = bytearray(self.plan.program), described_of(self.plan)
        for name, step in at.items():
            row = self.steps[name].index(step)
            for start, width, numbers in self.runs[name]:
                program[start : start + width] = numbers[row].to_bytes(width, "little")
            for path, values in self.leaves[name]:
                put(described, path, values[row])
        return bytes(program), described


class Finder:
    """Looks for the tables of one explorer. steps: how many each knob has; recorded: of each knob the steps
    that are on it, the first one being where it starts."""

    def __init__(
        self,
        steps: Mapping[str, int],
        recorded: Mapping[str, Sequence[int]],
        compile: Compile,
        chance: random.Random,
    ) -> None:
        self._all = {name: list(range(count)) for name, count in steps.items()}
        self._recorded, self._compile, self._chance = recorded, compile, chance
        self._left = _MOST

    def tables(self) -> Iterator[Table]:
        yield from self._within(self._all)

    def _within(self, steps: dict[str, list[int]]) -> Iterator[Table]:
        """Those that have these steps between them, as far as that is possible."""
        base = self._base(steps)
        self._left -= sum(map(len, steps.values()))
        if base is None or self._left < 0:
            return
        plans: dict[str, list[Plan]] = {}
        for name in sorted(steps, key=lambda name: len(steps[name])):  # a split is cheapest there
            alike = _alike(steps[name], [self._compile({**base, name: step}) for step in steps[name]])
            if len(alike) > 1 or len(alike[0][0]) < len(steps[name]):
                yield from self._apart(steps, name, [part for part, _ in alike])
                return
            plans[name] = alike[0][1]
        plan = self._compile(base)
        assert plan is not None
        table = Table(
            plan,
            base,
            steps,
            {name: _runs(plan, plans[name]) for name in steps},
            {name: _leaves(plan, plans[name]) for name in steps},
        )
        if (held := self._meddling(table)) is None:
            yield table
            return
        yield from self._apart(steps, held, [[step] for step in steps[held]])

    def _apart(self, steps: dict[str, list[int]], name: str, parts: list[list[int]]) -> Iterator[Table]:
        """A knob's steps in tables of their own; where these would be many, those of recorded points."""
        for part in parts:
            if len(parts) <= _PARTS or not set(part).isdisjoint(self._recorded[name]):
                yield from self._within({**steps, name: part})

    def _base(self, steps: Mapping[str, Sequence[int]]) -> dict[str, int] | None:
        """Where the first program is compiled: at a recorded point if there is one."""
        first = {name: _either(self._recorded[name], own) for name, own in steps.items()}
        for at in islice(product(*first.values()), _MOST):
            here = dict(zip(first, at, strict=True))
            if self._compile(here) is not None:
                return here
        return None

    def _meddling(self, table: Table) -> str | None:
        """A knob to be held, for the table does not hold; None if it does."""
        free = [name for name, own in table.steps.items() if len(own) > 1]
        if all(self._is_compiled(table, at) for at in self._tried(table, free)):
            return None
        pairs = [
            pair
            for pair in combinations(free, 2)
            if not all(self._is_compiled(table, at) for at in self._tried(table, pair))
        ]
        return min(pairs[0] if pairs else free, key=lambda name: len(table.steps[name]))

    def _tried(self, table: Table, free: Sequence[str]) -> Iterator[dict[str, int]]:
        """Steps of these knobs at once: recorded ones, the table's corners, others; the rest as compiled."""
        own = [table.steps[name] for name in free]
        recorded = [[step for step in self._recorded[name] if step in table.steps[name]] for name in free]
        ends = [(steps[0], steps[-1]) for steps in own]
        for at in (
            *product(*recorded),
            *islice(product(*ends), _CORNERS),
            *([self._chance.choice(steps) for steps in own] for _ in range(_DRAWN)),
        ):
            yield {**table.base, **dict(zip(free, at, strict=True))}

    def _is_compiled(self, table: Table, at: At) -> bool:
        """What the table says is what labkit compiles. It refuses some combinations: those are none."""
        plan = self._compile(at)
        return plan is not None and table.filled(at) == (plan.program, described_of(plan))


def _either(wanted: Sequence[int], own: Sequence[int]) -> Sequence[int]:
    return [step for step in wanted if step in own] or own


def _alike(steps: Sequence[int], plans: Sequence[Plan | None]) -> list[tuple[list[int], list[Plan]]]:
    """Steps whose programs are equally long and are described by the same names. What is refused is none."""
    found: dict[Any, tuple[list[int], list[Plan]]] = {}
    for step, plan in zip(steps, plans, strict=True):
        if plan is not None:
            alike = found.setdefault((len(plan.program), _names(described_of(plan))), ([], []))
            alike[0].append(step)
            alike[1].append(plan)
    return list(found.values())


def _names(value: Any) -> Any:
    """JSON without its leaves."""
    if isinstance(value, dict):
        return tuple((key, _names(value[key])) for key in sorted(value))
    return tuple(map(_names, value)) if isinstance(value, list | tuple) else None


def _runs(base: Plan, plans: Sequence[Plan]) -> list[tuple[int, int, list[int]]]:
    """Where their programs differ from the base's, and what each has there."""
    known = int.from_bytes(base.program, "big")
    mixed = 0
    for plan in plans:
        mixed |= known ^ int.from_bytes(plan.program, "big")
    spans: list[list[int]] = []
    for at, byte in enumerate(mixed.to_bytes(len(base.program), "big")):
        if byte and spans and spans[-1][1] == at and at - spans[-1][0] < _WIDEST:
            spans[-1][1] = at + 1
        elif byte:
            spans.append([at, at + 1])
    return [
        (start, end - start, [int.from_bytes(plan.program[start:end], "little") for plan in plans])
        for start, end in spans
    ]


def _leaves(base: Plan, plans: Sequence[Plan]) -> list[tuple[Path, list[Any]]]:
    """The same of what their bytes mean."""
    before, described = described_of(base), [described_of(plan) for plan in plans]
    paths = dict.fromkeys(tuple(change[0]) for one in described for change in diff(before, one))
    return [(path, [leaf_at(one, path) for one in described]) for path in paths]
