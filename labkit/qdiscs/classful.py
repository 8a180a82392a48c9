"""What a kind with classes is told of them, and what it answers: the messages that make it in its place.

    parent -> [qdisc at:] -> class at:1 -> a queue of its own
                          -> class at:2 -> ...

The queues in the classes and the filters in front of them are the compiler's: they are the same for all
kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Share:
    """What one class is promised: rate, ceil in bit/s, quantum in bytes, prio from 0 (first)."""

    rate: int | None = None
    ceil: int | None = None
    prio: int | None = None
    quantum: int | None = None


@dataclass(frozen=True)
class Tree:
    """A qdisc with classes in its place. index: of the device; at: its handle's major number; parent: where
    it hangs; frame: the longest in bytes; rate: of the link in bit/s; slack_s: how late a timer may be.
    default: number of the class, from 1, that gets what no filter matches; 0: the qdisc's own map decides."""

    index: int
    at: int
    parent: str
    frame: int
    rate: int
    slack_s: float
    shares: Sequence[Share]
    default: int
    keywords: Mapping[str, Any] = field(default_factory=dict)

    @property
    def handle(self) -> str:
        """As `tc` writes it."""
        return f"{self.at:x}:"

    def classid(self, number: int) -> str:
        """Of one class, as `tc` writes it."""
        return f"{self.at:x}:{number:x}"


@dataclass(frozen=True)
class Classful:
    """A kind that takes classes. make: the messages of qdisc and classes, ValueError if they do not go
    together.

    fields: of a Share that it knows; needs: those each class must have; least, most: classes; optional: it
    works without any; own_map: the option that spares a default; catch_all: what no filter matches would be
    lost, so a filter must match everything.
    """

    make: Callable[[Tree], list[bytes]]
    fields: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    least: int = 1
    most: int = 4000
    optional: bool = False
    own_map: str | None = None
    catch_all: bool = False
