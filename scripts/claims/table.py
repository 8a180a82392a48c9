"""Outcomes as text: a line for each chapter, then one for each assertion that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scripts.claims.outcome import Failure, Outcome


def report(outcomes: Sequence[Outcome]) -> str:
    """The table, and what failed: claims first, then anecdotes."""
    lines = [*_table(outcomes)]
    for title, anecdote in (("Failed:", False), ("Anecdotes that did not hold (they may):", True)):
        found = [
            _line(outcome, one)
            for outcome in outcomes
            for one in outcome.failures
            if one.anecdote == anecdote
        ]
        if found:
            lines += ["", title, *found]
    return "\n".join(lines)


def _table(outcomes: Iterable[Outcome]) -> Iterator[str]:
    heads = ("chapter", "shakes", "assertions", "held", "failed", "anecdotes", "of these held")
    rows = [(one.chapter, len(one.shakes), *_numbers(one)) for one in outcomes]
    total = ("all", "", *(sum(column) for column in zip(*(row[2:] for row in rows), strict=True)))
    width = max(len(str(row[0])) for row in [heads, *rows])
    for row in [heads, *rows, *([total] if len(rows) > 1 else [])]:
        yield f"{row[0]:{width}}  " + "  ".join(
            f"{cell!s:>{len(head)}}" for cell, head in zip(row[1:], heads[1:], strict=True)
        )


def _numbers(one: Outcome) -> tuple[int, ...]:
    failed = len(one.failed)
    anecdotes = one.anecdotes - (len(one.failures) - failed)
    return one.assertions, one.assertions - failed, failed, one.anecdotes, anecdotes


def _line(outcome: Outcome, one: Failure) -> str:
    """Where, how often, what it saw, what it says."""
    where = f"{outcome.chapter}.md:{one.line} {one.place}"
    which = ", ".join(map(str, one.shakes))
    often = f"{len(one.shakes)} of {len(outcome.shakes)} shakes ({which})"
    return f"{where}: {often}: {seen(one)}: {one.text}"


def seen(one: Failure) -> str:
    """For each operand its number, or from where to where it was; of words the first."""
    said = []
    for text in dict.fromkeys(text for values in one.shakes.values() for text in values):
        found = [values[text] for values in one.shakes.values() if text in values]
        numbers = [value for value in found if isinstance(value, int | float)]
        if numbers and len(numbers) == len(found):
            least, most = min(numbers), max(numbers)
            shown = f"{least:g}" if least == most else f"{least:g} to {most:g}"
        else:
            others = len({str(value) for value in found}) - 1
            shown = f"{found[0]}" + (f" (and {others} more)" if others else "")
        said.append(shown if text == "error" else f"{text} = {shown}")
    return "; ".join(said) or "nothing to be seen"
