"""How far an answer depends on chance: a question's experiments under other seeds, and what came of them, in
words and as data of its chart. Knows no widget, runs nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from labkit.charts.words import number
from labkit.spec import Experiment
from labkit.widgets.drawing import Json

SEEDS = 20
"""So many are recorded of a question whose measure is no word, its own among them."""
DATA = "spread"
_STRIDE = 1000  # between two of them: experiments of one question may have seeds in a row


def reseeded(experiments: Sequence[Experiment], nth: int) -> list[Experiment]:
    """A question's experiments under other seeds, the nth of them; 0: its own."""
    return [exp.replace(seed=exp.seed + nth * _STRIDE) for exp in experiments]


def are_alike(answers: Sequence[Any]) -> bool:
    """Do all seeds give the same?"""
    return all(answer == answers[0] for answer in answers)


def of_values(answers: Sequence[float], unit: str) -> str:
    """One sentence on values."""
    if are_alike(answers):
        return _same(len(answers))
    low, middle, high = (number(float(one)) for one in np.quantile(answers, [0, 0.5, 1]))
    span = f"{low} to {high} {unit}".rstrip()
    return f"Repeated with {len(answers)} different seeds: {span}, with a median of {middle}."


def of_choices(answers: Sequence[int], texts: Sequence[str]) -> str:
    """One sentence on choices, the most frequent first."""
    if are_alike(answers):
        return _same(len(answers))
    counts = Counter(answers).most_common()
    parts = "; ".join(f"{count} times {texts[choice].rstrip('.')}" for choice, count in counts)
    return f"Repeated with {len(answers)} different seeds: {parts}."


def of_curves(answers: Sequence[Sequence[float]], x_title: str, x: Sequence[str], unit: str) -> str:
    """One sentence on curves: where seeds differ most."""
    if are_alike(answers):
        return _same(len(answers))
    low, high = np.min(answers, axis=0), np.max(answers, axis=0)
    widest = int(np.argmax(high - low))
    span = f"{number(float(low[widest]))} to {number(float(high[widest]))} {unit}".rstrip()
    return (
        f"Repeated with {len(answers)} different seeds, they differ most where {x_title or 'x'} is "
        f"{x[widest]}: {span}."
    )


def rows(answers: Sequence[Any], who: str, x: Sequence[Any]) -> list[Json]:
    """Values as ticks beside who measured them; curves as a band over x; nothing if all are the same."""
    if are_alike(answers):
        return []
    if not x:
        return [{"who": who, "value": value} for value in answers]
    low, high = np.min(answers, axis=0).tolist(), np.max(answers, axis=0).tolist()
    return [{"x": at, "low": one, "high": other} for at, one, other in zip(x, low, high, strict=True)]


def _same(count: int) -> str:
    return f"Repeated with {count} different seeds, the answer is the same each time."
