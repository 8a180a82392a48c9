"""What a hidden cause is: all there is to know of it, as data. The causes are in causes/."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from labkit.mysteries.patient import Patient
from labkit.mysteries.typed import Key


@dataclass(frozen=True)
class Witness:
    """Lines of one command of an examination: those that a regular expression is found in; only: nothing of
    them but what it matches."""

    when: str
    host: str
    command: str
    pattern: str
    only: bool = False

    def lines(self, printed: Mapping[Key, str]) -> list[str]:
        """The lines themselves, as they were printed."""
        text = printed[self.when, self.host, self.command]
        found = [line.strip() for line in text.splitlines() if re.search(self.pattern, line)]
        return [" ".join(re.findall(self.pattern, line)) for line in found] if self.only else found


@dataclass(frozen=True)
class Cause:
    """One thing that can be wrong, somewhere, by so much.

    name: as the reader writes it; what: what it is, in a sentence; places: hosts or links where it may be;
    severities: values in words, the mildest first; symptom: what a user notices; shows: the tool and the line
    of it that show it; lies: what looks as if nothing were wrong; cure; chapter: the number of the chapter
    that is about it; change: the network at a place with this wrong by so much; seen: what of an examination
    shows it at a place.
    """

    name: str
    what: str
    places: tuple[str, ...]
    severities: tuple[str, ...]
    symptom: str
    shows: str
    lies: str
    cure: str
    chapter: str
    change: Callable[[Patient, str, str], Patient]
    seen: Callable[[str], tuple[Witness, ...]]


@dataclass(frozen=True)
class Sickness:
    """A cause at a place, by so much."""

    cause: Cause
    place: str
    severity: str

    def apply(self, to: Patient) -> Patient:
        """The network with this wrong about it."""
        return self.cause.change(to, self.place, self.severity)

    def witnesses(self) -> tuple[Witness, ...]:
        """What of an examination shows it."""
        return self.cause.seen(self.place)
