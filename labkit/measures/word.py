"""A measure as a word: what a widget's summary and a question name, and how its value is told.

    goodput             of each flow; in a question, of the first
    goodput of far      of the flow "far"
    goodput_sum of tcp  of all flows of a protocol

web/measures/word.mjs is the same for a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labkit.charts.words import number
from labkit.errors import SpecError
from labkit.measures.vocabulary import SHOWN, kind_of
from labkit.spec import Capture, Experiment

if TYPE_CHECKING:
    from labkit.results.result import Result

SUMMARY = ("goodput", "retransmits")
"""What an explorer tells of a run when its chapter says nothing else."""
_WORD = re.compile(r"(\w+)(?: of (.+))?")
_ONE_BY_ONE = 3  # so many flows are named; of more, the range is told
_SNAP = 128  # bytes of a packet that a ledger reads


@dataclass(frozen=True)
class Word:
    """name: of the measure; flow: "" is every flow; since: s, 0 is the whole run."""

    name: str
    flow: str = ""
    since: float = 0.0

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.name} of {self.flow}" if self.flow else self.name

    @property
    def unit(self) -> str:
        """What stands behind its numbers; of a share "%"."""
        return SHOWN[self.name][1]

    def values(self, result: Result) -> dict[str, Any]:
        """Its value of each flow (by name), or of the run (by ""); None is missing, also of a flow that the
        run has not. A share is in per cent."""
        kind = kind_of(self.name)
        rows = kind((self.name,), self.since)(result)
        found = {row[kind.keys[0]] if kind.keys else "": _value(row[self.name], self.unit) for row in rows}
        return {self.flow: found.get(self.flow)} if self.flow else found

    def number(self, result: Result) -> float:
        """Its value of the flow, or of the first flow. Raises SpecError if that is missing or a text."""
        value = next(iter(self.values(result).values()), None)
        if value is None or isinstance(value, str):
            raise SpecError(f"{self.text!r}: this run has no such number")
        return float(value)

    def lines(self, result: Result) -> dict[str, str]:
        """Its values as texts, by title: of a few flows each, of many the range."""
        title, unit = SHOWN[self.name]
        when = f", from {self.since:g} s on" if self.since else ""
        found = self.values(result)
        known = {label: value for label, value in found.items() if value is not None}
        if not known:
            return {title + (f" of {self.flow}" if self.flow else "") + when: "none"}
        if len(found) > _ONE_BY_ONE:
            low, high = (number(pick(known.values())) for pick in (min, max))
            return {title + when: f"{low} to {high} {unit}".rstrip()}
        cut = _cut(result) if self.name == "goodput" else ()
        several = len(found) > 1 or self.flow
        return {
            title + (f" of {label}" if several else "") + when: told(value, unit)
            + (", incomplete" if label in cut else "")
            for label, value in known.items()
        }


def as_words(given: str | Iterable[str], since: float = 0.0) -> list[Word]:
    """Words as they are written. since: s, for those that may be asked for so. Raises SpecError."""
    found = []
    for text in [given] if isinstance(given, str) else given:
        parts = _WORD.fullmatch(text)
        if parts is None:
            raise SpecError(f'{text!r}: a word is written "goodput", or "goodput of far"')
        name, flow = parts.groups(default="")
        kind = kind_of(name)
        if name not in SHOWN:
            raise SpecError(f"{name!r}: many rows of a run, and no word: take it with a sweep")
        if flow and not kind.keys:
            raise SpecError(f"{text!r}: {name} is of the whole run: leave out the flow")
        found.append(Word(name, flow, since if name in kind.heeds else 0.0))
    return found


def summary(result: Result, words: Sequence[Word]) -> dict[str, str]:
    """Their values as texts, by title."""
    return {title: text for word in words for title, text in word.lines(result).items()}


def told(value: float | str, unit: str) -> str:
    """ "9.56 Mbit/s"; a text as it is."""
    return value if isinstance(value, str) else f"{number(value)} {unit}".rstrip()


def needs(words: Iterable[Word], exp: Experiment) -> tuple[set[str], list[Capture]]:
    """The probes and captures that an experiment needs for them."""
    probes = {probe for word in words for probe in kind_of(word.name).probes.get(word.name, ())}
    capture = []
    if "ledger" in probes:
        hosts = [host for flow in exp.flows for host in (flow.src, flow.dst)]
        hosts += exp.topology.names if exp.commands else []  # which may talk to any host
        probes |= {"drops", "recovery", "tcp_probe", "queue"}
        capture += [Capture(host, snap=_SNAP) for host in dict.fromkeys(hosts)]
    if "captures" in probes:
        capture = [Capture(host, snap=_SNAP) for host in exp.topology.names]
    elif "capture" in probes and not capture:
        capture = [Capture(exp.flows[0].dst, snap=_SNAP)]
    return probes - {"ledger", "capture", "captures"}, capture


def _value(value: Any, unit: str) -> Any:
    if value is None or isinstance(value, str):
        return value
    if type(value).__name__ == "NAType" or math.isnan(value):
        return None
    return 100 * float(value) if unit == "%" else float(value)


def _cut(result: Result) -> set[str]:
    """The flows that did not come to their end."""
    complete = result.flows["complete"]
    return {str(name) for name in complete.index[~complete]}
