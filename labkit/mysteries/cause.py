"""What a hidden cause is: a small class that says all there is to know of it. The causes are in causes/."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

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

    name: as the reader writes it; places: hosts or links where it may be; severities: values in words, the
    mildest first; symptom: what a user notices; shows: the tool and the line of it that show it; lies: what
    looks as if nothing were wrong; cure; chapter: the number of the chapter that is about it.
    """

    name: ClassVar[str]
    places: ClassVar[tuple[str, ...]]
    severities: ClassVar[tuple[str, ...]]
    symptom: ClassVar[str]
    shows: ClassVar[str]
    lies: ClassVar[str]
    cure: ClassVar[str]
    chapter: ClassVar[str]

    place: str
    severity: str

    def apply(self, to: Patient) -> Patient:
        """The network with this wrong about it."""
        raise NotImplementedError

    def witnesses(self) -> tuple[Witness, ...]:
        """What of an examination shows it."""
        raise NotImplementedError
