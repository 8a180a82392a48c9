"""Programs with slots, of an explorer: for which knobs, tried out by compiling. What a slot is: slots.py."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

from live.planned import Plan
from live.slots import Compile, Field, Form, copied, described_of, fields_of

_DRAWN = 8  # numbers at which a knob's slots are looked for, besides those on it and the ends
_TRIED = 8  # draws of all knobs, in which what was found must hold
_TRIED_AGAIN = 3  # where it has held before
_REFITTED = 3  # times, with what did not hold among the examples
_HOPELESS = 2  # failures, after which a knob has no slots anywhere
_LONGEST = 32_000  # bytes of a program in which slots are looked for


@dataclass(frozen=True)
class Range:
    """Of a knob's numbers; numbers: those on it, in the order of its indices."""

    low: Decimal
    high: Decimal
    numbers: Sequence[Decimal]
    whole: bool
    digits: int | None = None  # behind the point at most

    def draw(self, chance: random.Random) -> Decimal:
        """As somebody may type it: of few digits, small ones as often as large ones."""
        low, high = float(self.low), float(self.high)
        if self.whole:
            return Decimal(chance.randint(int(self.low), int(self.high)))
        if low > 0 and chance.random() < 0.5:
            number = low * (high / low) ** chance.random()
        else:
            number = chance.uniform(low, high)
        text = f"{number:.{chance.randint(2, 6)}g}" if self.digits is None else f"{number:.{self.digits}f}"
        return min(max(Decimal(text), self.low), self.high)


class Finder:
    """Looks for the forms of one explorer. choices: of each knob how many values it has; ranges: of those
    whose numbers may be typed; starts: where each one starts."""

    def __init__(
        self,
        choices: Mapping[str, int],
        ranges: Mapping[str, Range],
        starts: Mapping[str, int],
        compile: Compile,
        chance: random.Random,
    ) -> None:
        self.choices, self.ranges, self.starts = choices, ranges, starts
        self._compile, self._chance = compile, chance
        self._failed: Counter[str] = Counter()
        self._known: dict[tuple[int, tuple[str, ...]], list[dict[str, list[Field]]]] = {}

    def forms(self) -> Iterator[Form]:
        """All of them."""
        fixed = [name for name in self.choices if name not in self.ranges]
        for indices in product(*(range(self.choices[name]) for name in fixed)):
            yield from self._with(dict(zip(fixed, indices, strict=True)), list(self.ranges))

    def _with(self, at: dict[str, int], slotted: list[str]) -> Iterator[Form]:
        """Those with these knobs fixed, the others in slots as far as that is possible."""
        slotted = [name for name in slotted if self._failed[name] < _HOPELESS]
        for name in [name for name in self.choices if name not in at and name not in slotted]:
            for index in range(self.choices[name]):  # without a slot, so at each of its values
                yield from self._with({**at, name: index}, slotted)
            return
        if not slotted:
            return
        base = {name: self.base(name) for name in slotted}
        plan = self._compile({**at, **base}, None)
        if plan is None or len(plan.program) > _LONGEST:
            return
        form = self._found(Form(plan, at, base), slotted)
        kept = list(form.fields)
        if left := [name for name in slotted if name not in kept]:
            self._failed[left[0]] += 1
            for index in range(self.choices[left[0]]):
                yield from self._with({**at, left[0]: index}, [one for one in slotted if one != left[0]])
            return
        form.zero = [name for name in kept if self._takes_zero(form, name)]
        yield form
        for name in kept:  # where nothing is no number among others: without loss there is no loss to set
            zero = [i for i, number in enumerate(self.ranges[name].numbers) if not number]
            if zero and name not in form.zero:
                yield from self._with({**at, name: zero[0]}, [one for one in slotted if one != name])

    def _takes_zero(self, form: Form, name: str) -> bool:
        if self.ranges[name].low > 0:
            return False
        plan = self._at(form, {name: Decimal(0)})
        if plan is None:
            return False
        return form.filled({name: Fraction(0)}) == (plan.program, copied(described_of(plan)))

    def base(self, name: str) -> int:
        """The index at which a knob stands where its slots are looked for."""
        numbers = self.ranges[name].numbers
        start = self.starts[name]
        return start if numbers[start] else next(i for i, number in enumerate(numbers) if number)

    def _found(self, form: Form, slotted: list[str]) -> Form:
        key = len(form.plan.program), tuple(slotted)
        for fields in self._known.get(key, []):
            known = Form(form.plan, form.at, form.base, fields)
            if all(self._holds(known, list(fields)) is None for _ in range(_TRIED_AGAIN)):
                return known
        for name in slotted:
            if found := self._one(form, name):
                form.fields[name] = found
        _without_shared(form)
        if all(self._holds(form, list(form.fields)) is None for _ in range(_TRIED)):
            self._known.setdefault(key, []).append(form.fields)
            return form
        first = dict([next(iter(form.fields.items()))]) if len(form.fields) > 1 else {}
        return Form(form.plan, form.at, form.base, first)

    def _one(self, form: Form, name: str) -> list[Field] | None:
        """The slots of one knob, the others at rest. What does not hold becomes an example."""
        tried_at = [(Fraction(x), self._at(form, {name: x})) for x in self._numbers(name)]
        examples = [(x, plan) for x, plan in tried_at if plan is not None]
        for _ in range(_REFITTED):
            fields = fields_of(form.plan, examples)
            if not fields:
                return fields
            tried = Form(form.plan, form.at, form.base, {name: fields})
            broken = [one for _ in range(_TRIED) if (one := self._holds(tried, [name])) is not None]
            if not broken:
                return fields
            examples += [(numbers[name], plan) for numbers, plan in broken]
        return None

    def _numbers(self, name: str) -> list[Decimal]:
        """Zero is apart: see `_with`."""
        range_ = self.ranges[name]
        drawn = [range_.draw(self._chance) for _ in range(_DRAWN)]
        every = dict.fromkeys([*range_.numbers, range_.low, range_.high, *drawn])
        return [number for number in every if number]

    def _at(self, form: Form, numbers: Mapping[str, Decimal]) -> Plan | None:
        return self._compile({**form.at, **form.base, **numbers}, None)

    def _holds(self, form: Form, slotted: Sequence[str]) -> tuple[dict[str, Fraction], Plan] | None:
        """Fill in numbers and compile them: None if that is the same, else at what it is not."""
        numbers = {name: self.ranges[name].draw(self._chance) for name in slotted}
        plan = self._at(form, numbers) if all(numbers.values()) else None
        if plan is None:
            return None
        exact = {name: Fraction(number) for name, number in numbers.items()}
        same = form.filled(exact) == (plan.program, copied(described_of(plan)))
        return None if same else (exact, plan)


def _without_shared(form: Form) -> None:
    """Of two knobs that decide the same place the later one has no slots."""
    taken: set[Any] = set()
    for name, fields in list(form.fields.items()):
        mine: set[Any] = set()
        for one in fields:
            mine |= {one.path} if one.path is not None else set(range(one.at, one.at + one.width))
        if mine & taken:
            del form.fields[name]
        taken |= mine
