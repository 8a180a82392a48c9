"""The tables of a result as they are declared: what a row is, and each column with its unit.

A plain table is nothing else: a row for each record of one type, or for each traced event of one name, and
for each column a word that says how it follows from a field: `instant("sent_ns", "s since ...")`. Two
programs read that, plain_columns.py and, from facts.mjs, web/decode/plain_tables.mjs. What needs more than
the words here is computed, by a function in each language.

Nothing here imports numpy: what describes an experiment imports this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from labkit.program.structs import Kind

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

Columns: TypeAlias = Mapping[str, str]
"""Column -> its unit or what it says."""


@dataclass(frozen=True)
class Column:
    """A column of a plain table: made by a word, of fields, with what is given beside them."""

    word: str
    unit: str
    fields: tuple[str, ...] = ()
    given: Any = None


@dataclass(frozen=True)
class _Plain:
    what: str
    columns: Mapping[str, Column]

    def units(self) -> dict[str, str]:
        """Column -> its unit or what it says."""
        return {name: column.unit for name, column in self.columns.items()}


@dataclass(frozen=True)
class RecordTable(_Plain):
    """A row for each record of a type. what: it is, in a line. flows: only those of flows of this kind; "":
    all. order: the fields by which rows are sorted; (): as they were written. since: only rows of which this
    instant was.

    A field is one of the struct that the record begins with, or `at_ns`: when the record was written.
    """

    record: Kind
    flows: str = ""
    order: tuple[str, ...] = ()
    since: str = ""
    events: ClassVar[Sequence[str]] = ()


@dataclass(frozen=True)
class EventTable(_Plain):
    """A row for each traced event of one name ("tcp/tcp_probe"), in the order of time. what: it is, in a
    line. A field is one of the event's, or `at_ns`: when it was."""

    event: str

    @property
    def events(self) -> Sequence[str]:
        """Without it there is no table."""
        return (self.event,)


@dataclass(frozen=True)
class ComputedTable:
    """A table that a function makes of what was recorded. what: a row is, in a line. columns: every column
    that it may have, or a function that fetches them from where numpy is imported. events: names of those
    without which there is no table."""

    what: str
    columns: Columns | Callable[[], Columns]
    make: Callable[[Recorded], pd.DataFrame]
    events: Sequence[str] = ()

    def units(self) -> dict[str, str]:
        """Column -> its unit or what it says."""
        return dict(self.columns() if callable(self.columns) else self.columns)


PlainTable: TypeAlias = RecordTable | EventTable
Table: TypeAlias = PlainTable | ComputedTable


# ---- The words. Instants are ns since the epoch; below 0: never. ----


def flow(unit: str) -> Column:
    """The name of the row's flow: of a record by its field `flow`, of an event by its ports."""
    return Column("flow", unit)


def side(unit: str) -> Column:
    """Of an event, by its ports: "sender", "receiver" or "unknown"."""
    return Column("side", unit)


def instant(field: str, unit: str) -> Column:
    """An instant in s; NaN: never."""
    return Column("instant", unit, (field,))


def seconds(field: str, unit: str) -> Column:
    """A time in s, of one in ns."""
    return Column("seconds", unit, (field,))


def between(first: str, then: str, unit: str) -> Column:
    """s from one instant to another; NaN: that never was."""
    return Column("between", unit, (first, then))


def longer(first: str, then: str, limit_s: float, unit: str) -> Column:
    """Was it longer from one instant to another, or was that never?"""
    return Column("longer", unit, (first, then), limit_s)


def reached(field: str, unit: str) -> Column:
    """Was this instant?"""
    return Column("reached", unit, (field,))


def whole(field: str, unit: str, plus: int = 0) -> Column:
    """A whole number, and so much: 1 where the agent counts from 0."""
    return Column("whole", unit, (field,), plus)


def traced(field: str, unit: str) -> Column:
    """A number of an event as the kernel has it; no column where the kernel has no such field."""
    return Column("traced", unit, (field,))


def error(field: str, unit: str) -> Column:
    """errno's name, "" for 0."""
    return Column("error", unit, (field,))


def one_of(field: str, names: Sequence[str], unit: str) -> Column:
    """The name with this number, from 0; the last one for any beyond."""
    return Column("one_of", unit, (field,), tuple(names))


def listed(field: str, name: str, unit: str, first: int = 0) -> Column:
    """The whole number with this number in a list that the layout has of the flow. first: counts from."""
    return Column("listed", unit, (field,), (name, first))


def listed_text(field: str, name: str, unit: str, first: int = 0) -> Column:
    """The text with this number in such a list."""
    return Column("listed_text", unit, (field,), (name, first))


def text(unit: str) -> Column:
    """What stands behind the record's struct, up to its zero byte."""
    return Column("text", unit)


def nth(fields: Sequence[str], unit: str) -> Column:
    """Which one it is, from 1, of the rows that are alike in these fields, `flow` and `side` among them."""
    return Column("nth", unit, tuple(fields))
