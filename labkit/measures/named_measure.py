"""What a measure by name is. Which there are: vocabulary.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from labkit.results.result import Result


@dataclass(frozen=True)
class NamedMeasure:
    """Figures by name; goes to another process. since: s of the run's time; what came before does not count.

    units: of all there are; keys: of what a row is; heeds: those that may be asked for since a time; probes:
    what an experiment has to record for a figure, by its name; "capture" is one where the first flow ends,
    "captures" one of every host, "ledger" all that a ledger takes.
    """

    names: tuple[str, ...]
    since: float = 0.0
    units: ClassVar[Mapping[str, str]]
    keys: ClassVar[tuple[str, ...]]
    heeds: ClassVar[frozenset[str]] = frozenset()
    probes: ClassVar[Mapping[str, frozenset[str]]] = {}

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        raise NotImplementedError
