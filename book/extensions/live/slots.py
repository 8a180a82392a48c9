"""Where the numbers of knobs stand in a compiled program and in what it means: found, not declared.

A form is a program whose slots a page fills in, for the values of the other knobs at which it was compiled.
It is looked for by compiling at some numbers and comparing the bytes; what has been found must then hold at
others, drawn at random, of all knobs at once. Where it does not, there is no slot, and the page asks Python.

    forms    [{at: [index, or null for slots, of each knob], plan, zero: [knobs that may be zero], fields}]
      fields   by knob [{rule, at, width, big}, ...] in the program, [{rule, path, over}, ...] in what it
               means; over: what the number is divided by; without it, it is not rounded
    seeds    [[{at, width, text} or {path, text} or {path, plus}, ...]]: seeds.py
    seeded   for each plan the number of its seeds, or null
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from labkit.widgets.payload import diff
from live.planned import Plan
from live.rules import Rule, fit

Json = dict[str, Any]
Compile = Callable[[Mapping[str, Any], "int | None"], "Plan | None"]
Path = tuple[str | int, ...]

_WIDTHS = (4, 8, 2, 1)
_OVER = (1, 10**9, 10**15)


@dataclass(frozen=True)
class Field:
    """Bytes of the program, or a leaf of its description, that follow a knob's number."""

    rule: Rule
    at: int = 0
    width: int = 0
    big: bool = False
    path: Path | None = None
    over: int | None = None

    def put(self, x: Fraction, program: bytearray, described: Json) -> bool:
        """Fill it in; False if the number has no room there."""
        if self.path is not None:
            put(described, self.path, self._leaf(x))
            return True
        v = self.rule.value(x)
        if v is None or not -(1 << (8 * self.width - 1)) <= v < 1 << 8 * self.width:
            return False
        order = "big" if self.big else "little"
        program[self.at : self.at + self.width] = v.to_bytes(self.width, order, signed=v < 0)  # type: ignore[arg-type]
        return True

    def _leaf(self, x: Fraction) -> Any:
        if self.over is None:
            return float(self.rule.ratio * x)
        v = self.rule.value(x)
        return v if self.over == 1 or v is None else v / self.over

    def written(self) -> Json:
        if self.path is None:
            return {"rule": self.rule.written(), "at": self.at, "width": self.width} | (
                {"big": True} if self.big else {}
            )
        return {"rule": self.rule.written(), "path": self.path} | (
            {} if self.over is None else {"over": self.over}
        )


@dataclass
class Form:
    """A program with slots. at: the indices of the knobs that have none; base: of the others in `plan`; zero:
    of these, those that may be zero."""

    plan: Plan
    at: dict[str, int]
    base: dict[str, int]
    fields: dict[str, list[Field]] = field(default_factory=dict)
    zero: list[str] = field(default_factory=list)

    def filled(self, numbers: Mapping[str, Fraction]) -> tuple[bytes, Json] | None:
        program, described = bytearray(self.plan.program), copied(described_of(self.plan))
        for knob, x in numbers.items():
            for one in self.fields[knob]:
                if not one.put(x, program, described):
                    return None
        return bytes(program), described


def described_of(plan: Plan) -> Json:
    return {"manifest": plan.manifest, "memory_mb": plan.memory_mb, "until_s": plan.until_s}


def copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list | tuple) else value


def put(value: Any, path: Path, leaf: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = leaf


def leaf_at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def fields_of(base: Plan, examples: Sequence[tuple[Fraction, Plan]]) -> list[Field] | None:
    """What follows a knob's number, from programs compiled at some; None if not all of it is found."""
    if any(len(plan.program) != len(base.program) for _, plan in examples):
        return None
    found = []
    covered = -1
    for at in _differing(base.program, [plan.program for _, plan in examples]):
        if at <= covered:
            continue
        here = _bytes_at(at, examples)
        if here is None:
            return None
        covered = here.at + here.width - 1
        found.append(here)
    described = [(x, copied(described_of(plan))) for x, plan in examples]
    paths = _changed(copied(described_of(base)), [one for _, one in described])
    if paths is None:
        return None
    for path in paths:
        leaf = _leaf_at(path, [(x, leaf_at(one, path)) for x, one in described])
        if leaf is None:
            return None
        found.append(leaf)
    return found


def _differing(base: bytes, others: Sequence[bytes]) -> list[int]:
    if not others:
        return []
    known = [int.from_bytes(one, "big") for one in (base, *others)]
    mixed = 0
    for one in known[1:]:
        mixed |= known[0] ^ one
    return [at for at, byte in enumerate(mixed.to_bytes(len(base), "big")) if byte]


def _bytes_at(at: int, examples: Sequence[tuple[Fraction, Plan]]) -> Field | None:
    """The field that holds this byte, the first that differs."""
    size = len(examples[0][1].program)
    places = [(start, width) for width in _WIDTHS for start in range(max(at - width + 1, 0), at + 1)]
    for start, width in sorted(
        places, key=lambda place: (place[0] % min(place[1], 4), _WIDTHS.index(place[1]))
    ):
        if start + width > size:
            continue
        for big in (False, True):
            for signed in (False, True):
                order = "big" if big else "little"
                read = [
                    (x, int.from_bytes(plan.program[start : start + width], order, signed=signed))  # type: ignore[arg-type]
                    for x, plan in examples
                ]
                if rule := fit(read):
                    return Field(rule, start, width, big)
    return None


def _changed(base: Json, others: Sequence[Json]) -> list[Path] | None:
    """Paths of leaves that differ somewhere; None if more than leaves do."""
    paths: dict[Path, None] = {}
    for other in others:
        for path, *new in diff(base, other):
            old = leaf_at(base, tuple(path)) if new else None
            if not new or isinstance(new[0], dict | list) or isinstance(old, dict | list):
                return None
            paths[tuple(path)] = None
    return list(paths)


def _leaf_at(path: Path, examples: Sequence[tuple[Fraction, Any]]) -> Field | None:
    if any(isinstance(v, bool) or not isinstance(v, int | float) for _, v in examples):
        return None
    for over in _OVER:
        scaled = [(x, v * over if isinstance(v, int) else round(Fraction(v) * over)) for x, v in examples]
        whole = over == 1 and all(isinstance(v, int) for _, v in examples)
        rule = fit(scaled) if whole or over != 1 else None
        if rule and all(_same(Field(rule, path=path, over=over), x, v) for x, v in examples):
            return Field(rule, path=path, over=over)
    x, v = max(examples)
    if x and (ratio := Fraction(v).limit_denominator(10**9) / x):
        for simple in (ratio.limit_denominator(10**6), ratio):
            exact = Field(Rule(simple, "round"), path=path)
            if all(_same(exact, x, v) for x, v in examples):
                return exact
    return None


def _same(one: Field, x: Fraction, v: Any) -> bool:
    place: Json = {"leaf": None}
    Field(one.rule, path=("leaf",), over=one.over).put(x, bytearray(), place)
    return bool(place["leaf"] == v)
