"""What a student's own numbers follow from: HMAC(key, student, assignment). Nothing here is random."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

Value = TypeVar("Value")
DECK = 6
"""Cards of a kind: a student who knows what the neighbours on both sides have guesses an option of five
right in 21 of 100 cases, and in 20 without."""
_SEPARATOR = "\0"  # no name holds one, so that no two lists of names make one message


@dataclass(frozen=True)
class Draw:
    """Numbers of one student in one assignment, each by its name: a new one shifts none of the others.

    key: of the course, secret; place: the student's line in the roster, from 0, by which `deal` is balanced.
    """

    key: bytes
    assignment: str
    student: str
    place: int = 0

    def _hash(self, *words: str) -> int:
        text = _SEPARATOR.join((self.assignment, *words))
        return int.from_bytes(hmac.digest(self.key, text.encode(), hashlib.sha256), "big")

    def whole(self, name: str, low: int, high: int) -> int:
        """From low to high, both of them possible."""
        return low + self._hash(self.student, name) % (high - low + 1)

    def share(self, name: str, low: float, high: float, digits: int = 3) -> float:
        """A number between low and high, with so many digits after the point."""
        parts = float(10**digits)
        return self.whole(name, round(low * parts), round(high * parts)) / parts

    def choice(self, name: str, options: Sequence[Value]) -> Value:
        """One of the options, whatever the others in the class have."""
        return options[self.whole(name, 0, len(options) - 1)]

    def deal(self, name: str, options: Sequence[Value]) -> Value:
        """One of the options, dealt like cards from a shuffled deck that has DECK of each: over so many lines
        of the roster every option comes equally often, and what a neighbour was dealt says next to nothing of
        one's own. A student who joins at the end changes nobody else's."""
        deck, place = divmod(self.place, DECK * len(options))
        cards = range(DECK * len(options))
        order = sorted(cards, key=lambda card: self._hash("deal", name, str(deck), str(card)))
        return options[order[place] % len(options)]

    @property
    def seed(self) -> int:
        """For Experiment(seed=...)."""
        return self.whole("seed", 1, 2**31 - 1)
