"""The answer to a diagnosis: right or wrong, what would have shown it, where packets died, and the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from labkit.errors import SpecError
from labkit.mysteries.cause import Sickness
from labkit.mysteries.causes import CAUSES
from labkit.mysteries.decisions import NOTHING
from labkit.mysteries.examination import Examination
from labkit.schema.base import did_you_mean

FOR_CAUSE, FOR_PLACE, FREE_LOOKS, LEAST = 10, 5, 10, 5
"""Points: for the cause, for its place; one less for each command after the first ten, but so many for who is
right."""
PLACES = tuple(dict.fromkeys(place for cause in CAUSES.values() for place in cause.places))
"""Where something can be wrong."""

_SHOWN = 6  # lines of a tool


@dataclass(frozen=True)
class Diagnosis:
    """right: the cause; placed: and its place; points; said: the answer as text, which it shows itself as.

    lost: of the transfer, where and why packets died: a row per host, peer and cause with their number
    (pandas); empty for causes that lose nothing.
    """

    right: bool
    placed: bool
    points: int
    said: str
    lost: Any

    def __repr__(self) -> str:
        lost = f"\nOf the transfer were lost:\n{self.lost.to_string(index=False)}" if len(self.lost) else ""
        return f"{self.said}\nPoints: {self.points} of {FOR_CAUSE + FOR_PLACE}.{lost}"


def verdict(
    cause: str,
    place: str,
    truth: Sickness | None,
    seen: Examination,
    ledger: Callable[[], Any],
    *,
    looks: int,
) -> Diagnosis:
    """Compare what was said with the truth. ledger: makes the ledger of a run. Raises SpecError."""
    _refuse("cause", cause, [*CAUSES, NOTHING])
    _refuse("place", place, ["", *PLACES])
    name = NOTHING if truth is None else truth.cause.name
    right = cause == name
    placed = right and (truth is None or place == truth.place)
    score = points(right=right, placed=placed, looks=looks)
    lines = [_opening(right, placed, truth), *_shown(truth, seen)]
    return Diagnosis(right, placed, score, "\n".join(lines), _lost(ledger()))


def points(*, right: bool, placed: bool, looks: int) -> int:
    """What a diagnosis after so many commands is worth."""
    full = FOR_CAUSE + FOR_PLACE * placed
    return max(full - max(looks - FREE_LOOKS, 0), LEAST) if right else 0


def _refuse(what: str, said: str, known: list[str]) -> None:
    if said not in known:
        listed = ", ".join(name for name in known if name)
        raise SpecError(f"{what}={said!r}: there is none{did_you_mean(said, known)}: {listed}")


def _opening(right: bool, placed: bool, truth: Sickness | None) -> str:
    how = "Right" if placed else "Right, but elsewhere" if right else "No"
    if truth is None:
        return f"{how}: nothing is wrong with this network."
    return f"{how}: {truth.cause.name} at {truth.place} ({truth.severity})."


def _shown(truth: Sickness | None, seen: Examination) -> list[str]:
    if truth is None:
        return []
    lines = [f"What shows it: {truth.cause.shows}."]
    for witness in truth.witnesses():
        lines.append(f"  [{witness.when}] {witness.host}# {witness.command}")
        lines += [f"    {line[:110]}" for line in witness.lines(seen)[:_SHOWN]]
    return [
        *lines,
        f"What lies: {truth.cause.lies}",
        f"Cure: {truth.cause.cure}",
        f"See chapter {truth.cause.chapter}.",
    ]


def _lost(ledger: Any) -> Any:
    mine = ledger[ledger.flow.isin(["transfer", "check"])]
    counted = mine.groupby(["host", "peer", "cause"], observed=True).size()
    return counted.rename("packets").reset_index().sort_values("packets", ascending=False, ignore_index=True)
