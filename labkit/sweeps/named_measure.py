"""What figures are that a sweep takes by their names. Which there are: measures.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from labkit.results.result import Result


@dataclass(frozen=True)
class NamedMeasure:
    """Figures by name; goes to another process. units: of all there are; keys: of what a row is."""

    names: tuple[str, ...]
    units: ClassVar[dict[str, str]]
    keys: ClassVar[tuple[str, ...]]

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        raise NotImplementedError
