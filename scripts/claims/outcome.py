"""What became of a chapter's assertions in some shakes, and the file in which that is kept beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scripts.claims.assertions import Assertion, digest
from scripts.record import load

ENOUGH = 10
"""Shakes: what fewer have shown is not kept."""
LONG = {21: 2, 22: 2, 23: 4, 24: 4}
"""Shakes in which experiments are so many times as long, too: what is said of an algorithm holds there, or
says of which seconds it is."""
FORMAT = 2
Values = Mapping[str, Any]
"""What a failed assertion saw: text of an operand -> number or words; "error" -> what it raised or said."""


@dataclass(frozen=True)
class Lab:
    """What measured: the `digest` of the chapter's cells, the lab kernel's release, labkit's version. The
    last is for the reader: outcomes of two versions are of the same lab."""

    cells_sha256: str
    kernel: str
    labkit: str = field(compare=False)


@dataclass(frozen=True)
class Measured:
    """One chapter in one shake. failed: place of an assertion -> what it saw."""

    chapter: str
    shake: int
    lab: Lab
    assertions: tuple[Assertion, ...]
    failed: Mapping[str, Values]

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Measured:
        """From what `one` prints."""
        failed = {
            one["place"]: one["values"] | ({"error": one["error"]} if one["error"] else {})
            for one in found["failed"]
        }
        lab = Lab(found["cells_sha256"], found["kernel"], found["labkit"])
        listed = tuple(Assertion(**one) for one in found["assertions"])
        return cls(found["chapter"], found["shake"], lab, listed, failed)


@dataclass(frozen=True)
class Failure:
    """An assertion that failed: in which shakes, and what it saw there. line: as it was then; words that came
    since may have moved it."""

    place: str
    line: int
    text: str
    anecdote: bool
    shakes: Mapping[int, Values]


@dataclass(frozen=True)
class Outcome:
    """One chapter in some shakes. assertions, anecdotes: how many of each; failures: of both."""

    chapter: str
    lab: Lab
    shakes: tuple[int, ...]
    assertions: int
    anecdotes: int
    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, measured: Iterable[Measured]) -> Outcome:
        """From all that was measured of one chapter. Raises ValueError if its cells changed meanwhile."""
        found = sorted(measured, key=lambda one: one.shake)
        first = found[0]
        if any(one.lab != first.lab for one in found):
            raise ValueError(f"{first.chapter}: the cells or the lab changed meanwhile: measure it again")
        failures = [
            Failure(one.place, one.line, one.text, one.anecdote, shakes)
            for one in first.assertions
            if (shakes := {m.shake: m.failed[one.place] for m in found if one.place in m.failed})
        ]
        anecdotes = sum(one.anecdote for one in first.assertions)
        numbers = tuple(one.shake for one in found)
        claims = len(first.assertions) - anecdotes
        return cls(first.chapter, first.lab, numbers, claims, anecdotes, tuple(failures))

    @property
    def failed(self) -> tuple[Failure, ...]:
        """Claims that did not hold in every shake."""
        return tuple(one for one in self.failures if not one.anecdote)

    @property
    def clean(self) -> bool:
        """Nothing but anecdotes failed."""
        return not self.failed

    def fresh(self, source: Path) -> bool:
        """Whether it is of the cells as they are now."""
        return self.lab.cells_sha256 == digest(load(source))

    def joined(self, older: Outcome) -> Outcome:
        """With the shakes that only an older outcome has, if that was of the same cells and lab."""
        if older.lab != self.lab:
            return self
        mine = set(self.shakes)
        before = [
            replace(one, shakes={shake: seen for shake, seen in one.shakes.items() if shake not in mine})
            for one in older.failures
        ]
        found: dict[str, Failure] = {}
        for one in (*before, *self.failures):
            shakes = {**(found[one.place].shakes if one.place in found else {}), **one.shakes}
            if shakes:
                found[one.place] = replace(one, shakes=dict(sorted(shakes.items())))
        failures = tuple(sorted(found.values(), key=lambda one: (one.line, one.text)))
        return replace(self, shakes=tuple(sorted(mine | set(older.shakes))), failures=failures)

    def to_json(self) -> str:
        """The same bytes for the same outcome."""
        plain = {
            "format": FORMAT,
            "cells_sha256": self.lab.cells_sha256,
            "kernel": self.lab.kernel,
            "labkit": self.lab.labkit,
            "shakes": list(self.shakes),
            "assertions": self.assertions,
            "anecdotes": self.anecdotes,
            "failures": [
                vars(one) | {"shakes": {str(shake): dict(values) for shake, values in one.shakes.items()}}
                for one in self.failures
            ],
        }
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def load(cls, path: Path) -> Outcome:
        """Raises OSError, ValueError, KeyError for a file that `to_json` did not make."""
        plain = json.loads(path.read_text(encoding="utf-8"))
        if plain["format"] != FORMAT:
            raise ValueError(f"{path}: format {plain['format']}: make claims")
        failures = [
            Failure(**one | {"shakes": {int(shake): values for shake, values in one["shakes"].items()}})
            for one in plain["failures"]
        ]
        return cls(
            path.name.removesuffix(SUFFIX),
            Lab(plain["cells_sha256"], plain["kernel"], plain["labkit"]),
            tuple(plain["shakes"]),
            plain["assertions"],
            plain["anecdotes"],
            tuple(failures),
        )


SUFFIX = ".claims.json"


def kept_at(source: Path) -> Path:
    """Where the outcome of a chapter is kept."""
    return source.with_suffix(SUFFIX)


def keep(outcome: Outcome, source: Path) -> bool:
    """Keep it, joined with what is kept of the same cells and lab; not if it is of fewer than ENOUGH shakes
    and not of all LONG ones, or if all together are fewer than ENOUGH. Returns whether it was kept."""
    if len(outcome.shakes) < ENOUGH and not set(LONG) <= set(outcome.shakes):
        return False
    path = kept_at(source)
    if path.exists():
        outcome = outcome.joined(Outcome.load(path))
    if len(outcome.shakes) < ENOUGH:
        return False
    path.write_text(outcome.to_json(), encoding="utf-8")
    return True
