"""What JavaScript needs to know of tables (decode_facts.py writes it down): their units, how the plain ones
are declared, which probe gives which, and when traffic of a kind is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labkit import probes
from labkit.decode.plain_tables import ComputedTable, RecordTable
from labkit.decode.refusals import ERRORS
from labkit.results.ledger.drops import UNITS as DROPS
from labkit.results.ledger.entries import UNITS as LEDGER
from labkit.results.result import table_units
from labkit.traffic import KINDS, TABLES

Typed = dict[str, tuple[str, Any]]
"""Name -> its type in JavaScript, and what it is."""
NAMES = "Record<string, string>"


def units() -> Mapping[str, Any]:
    """Table -> column -> unit or meaning."""
    return table_units() | {"drops": DROPS, "ledger": LEDGER}


def probe_of() -> Mapping[str, Any]:
    """Table -> the probe that gives it, the events without which there is none, why there may be none."""
    found = {
        name: {"probe": probe.name, "events": table.events, "nothing": probe.nothing}
        for probe in probes.KINDS.values()
        for name, table in probe.tables.items()
    }
    return found | {"drops": {"probe": "drops", "events": (), "nothing": ""}}


def traffic() -> Mapping[str, Any]:
    """Kind of traffic -> when it is over (see labkit.traffic.kind), and whether it is one connection."""
    return {
        name: {
            "amount": kind.amount,
            "schedule": kind.schedule,
            "endless": kind.endless,
            "oneConnection": kind.one_connection,
        }
        for name, kind in KINDS.items()
    }


def plain() -> Mapping[str, Any]:
    """Plain table -> of which records or events it has a row each, and the word of each column."""
    known = {"errors": ERRORS} | TABLES
    known |= {name: table for probe in probes.KINDS.values() for name, table in probe.tables.items()}
    return {
        name: {
            "record": table.record.name if isinstance(table, RecordTable) else "",
            "flows": table.flows if isinstance(table, RecordTable) else "",
            "order": table.order if isinstance(table, RecordTable) else (),
            "since": table.since if isinstance(table, RecordTable) else "",
            "event": "" if isinstance(table, RecordTable) else table.event,
            "columns": {
                column: {"word": one.word, "fields": one.fields}
                | ({} if one.given is None else {"given": one.given})
                for column, one in table.columns.items()
            },
        }
        for name, table in known.items()
        if not isinstance(table, ComputedTable)
    }


def tables() -> Typed:
    """Units, and what gives which table."""
    row = "{record: string, flows: string, order: readonly string[], since: string, event: string}"
    column = "{word: string, fields: readonly string[], given?: any}"
    kind = "{amount: string, schedule: readonly string[], endless: boolean, oneConnection: boolean}"
    probe = "{probe: string, events: readonly string[], nothing: string}"
    return {
        "UNITS": (f"Record<string, {NAMES}>", units()),
        "PLAIN": (f"Record<string, {row} & {{columns: Record<string, {column}>}}>", plain()),
        "TRAFFIC": (f"Record<string, {kind}>", traffic()),
        "PROBE_OF": (f"Record<string, {probe}>", probe_of()),
    }
