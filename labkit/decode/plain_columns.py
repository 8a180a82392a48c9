"""Plain tables as they are declared (plain_tables.py), made of what a run recorded. Its twin for pages is
web/decode/plain_tables.mjs: what a word means there it means here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.by_flow import by_flow
from labkit.decode.columns import categorical, errno_name
from labkit.decode.plain_tables import Column, ComputedTable, EventTable, RecordTable, Table
from labkit.decode.raw import Ints, RawFormatError, Rows
from labkit.decode.recorded import Recorded
from labkit.program.structs import Kind

Flows = Sequence[Mapping[str, Any]]
"""Of a layout."""


def made(table: Table, run: Recorded) -> pd.DataFrame:
    """Any table. Raises RawFormatError."""
    if isinstance(table, ComputedTable):
        return table.make(run)
    rows = _Records(run, table) if isinstance(table, RecordTable) else _Events(run, table)
    columns = {name: _WORDS[column.word](rows, column) for name, column in table.columns.items()}
    return pd.DataFrame({name: values for name, values in columns.items() if values is not None}, copy=False)


def rows_of(run: Recorded, flows: Flows, record: Kind, order: Sequence[str]) -> tuple[Rows, Ints]:
    """The structs of the records of a type that are of some flows, in the order of these fields; and which of
    all records of that type each one is. Raises RawFormatError."""
    records = run.raw.records(record)
    rows = run.raw.heads(records)
    strange = np.flatnonzero(~np.isin(rows["flow"], [flow["id"] for flow in run.part("flows")]))
    if strange.size:
        what = f"a record of type {record.name} of flow {rows['flow'][strange[0]]}, which there is not"
        raise RawFormatError(what, int(records.offset[strange[0]]))
    which = np.flatnonzero(np.isin(rows["flow"], [flow["id"] for flow in flows]))
    which = which[np.lexsort([rows[name][which] for name in reversed(order)])]
    return rows[which], which


class _Records:
    """The records of a table, in its order: a field of each."""

    def __init__(self, run: Recorded, table: RecordTable) -> None:
        self.raw, self.table = run.raw, table
        self.records = self.raw.records(table.record)
        self.flows = {flow["id"]: flow for flow in run.part("flows") if flow.get("kind") == table.flows}
        if table.flows:
            self.rows, self.which = rows_of(run, [*self.flows.values()], table.record, table.order)
        else:
            self.rows, self.which = self.raw.heads(self.records), np.arange(len(self.records))
        if table.since:
            wanted = self.rows[table.since] >= 0
            self.rows, self.which = self.rows[wanted], self.which[wanted]

    def __getitem__(self, field: str) -> Rows:
        return self.records.at_ns[self.which] if field == "at_ns" else self.rows[field]

    def flow_names(self) -> pd.Categorical[Any]:
        codes = {number: code for code, number in enumerate(self.flows)}
        names = [flow["name"] for flow in self.flows.values()]
        return categorical([codes[number] for number in self.rows["flow"].tolist()], names)

    def listed(self, field: str, name: str, first: int) -> list[Any]:
        """Of each one's flow, that item of a list. Raises RawFormatError."""
        found = []
        for i, (flow, number) in enumerate(zip(self["flow"].tolist(), self[field].tolist(), strict=True)):
            items = self.flows[flow][name]
            if not 0 <= number - first < len(items):
                what = f"a record of type {self.table.record.name} has {field} {number}"
                place = int(self.records.offset[self.which[i]])
                raise RawFormatError(f"{what}: its flow has {len(items)} {name}", place)
            found.append(items[number - first])
        return found


class _Events:
    """The events of a table: a field of each, or whose it is."""

    def __init__(self, run: Recorded, table: EventTable) -> None:
        self._events, self._ports = run.trace.occurrences(table.event), run.ports

    def __getitem__(self, field: str) -> Any:
        if field in ("flow", "side"):
            return self._ends[field == "side"]
        return self._events.at_ns if field == "at_ns" else self._events[field]

    def traced(self, field: str) -> Rows | None:
        if field not in self._events:
            return None
        return self._events[field]

    def flow_names(self) -> pd.Categorical[Any]:
        return self._ends[0]

    @cached_property
    def _ends(self) -> tuple[pd.Categorical[Any], pd.Categorical[Any]]:
        return by_flow(self._events, self._ports)


def _instant(rows: Any, column: Column) -> Any:
    ns = rows[column.fields[0]]
    return np.where(ns < 0, np.nan, ns / 1e9)


def _between(rows: Any, column: Column) -> Any:
    first, then = (rows[field] for field in column.fields)
    return np.where(then < 0, np.nan, (then - first) / 1e9)


def _one_of(rows: Any, column: Column) -> Any:
    return categorical(np.minimum(rows[column.fields[0]], len(column.given) - 1), column.given)


def _text(rows: Any, column: Column) -> Any:
    found = rows.raw.texts(rows.records)
    return pd.array([found[i] for i in rows.which.tolist()], "str")


def _nth(rows: Any, column: Column) -> Any:
    alike = pd.DataFrame({field: rows[field] for field in column.fields})
    return alike.groupby(list(column.fields), observed=True).cumcount().to_numpy() + 1


_WORDS: dict[str, Callable[[Any, Column], Any]] = {
    "flow": lambda rows, _: rows.flow_names(),
    "side": lambda rows, _: rows["side"],
    "instant": _instant,
    "seconds": lambda rows, column: rows[column.fields[0]] / 1e9,
    "between": _between,
    "longer": lambda rows, column: ~(_between(rows, column) <= column.given),
    "reached": lambda rows, column: rows[column.fields[0]] >= 0,
    "whole": lambda rows, column: rows[column.fields[0]].astype(np.int64) + column.given,
    "traced": lambda rows, column: rows.traced(*column.fields),
    "error": lambda rows, column: pd.array([errno_name(n) for n in rows[column.fields[0]].tolist()], "str"),
    "one_of": _one_of,
    "listed": lambda rows, column: np.array(rows.listed(*column.fields, *column.given), np.int64),
    "listed_text": lambda rows, column: pd.array(rows.listed(*column.fields, *column.given), "str"),
    "text": _text,
    "nth": _nth,
}
"""Word -> the values of a column, of the records or events of its table. None: there is no such column."""
