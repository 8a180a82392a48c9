"""What a reader may keep of a run, as bytes: the result, its packets for Wireshark, its tables as CSV."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from labkit import probes
from labkit.errors import SpecError
from labkit.results.tables import table_units
from labkit.spec import Capture

if TYPE_CHECKING:
    from labkit.results.result import Result

_HEADS = 128
"""Bytes of a packet: what it carries in the laboratory says nothing."""


def tables_of(result: Result) -> list[str]:
    """The names of the tables that this run recorded and that have rows."""
    by_probe = {name: kind for kind, probe in probes.KINDS.items() for name in probe.tables}
    recorded = [name for name in table_units() if by_probe.get(name) in {None, *result.experiment.probes}]
    found = {name: getattr(result, name) for name in recorded}  # some are methods: they take arguments
    return [name for name, table in found.items() if isinstance(table, pd.DataFrame) and len(table)]


def contents(result: Result, kind: str, table: str = "") -> bytes:
    """kind: "zip" is the result itself (see `Result.load`); "pcapng" the heads of all packets at every host,
    for which the run is repeated if it was not captured; "csv" a table. Raises OSError, LabkitError."""
    if kind == "csv":
        if table not in table_units():
            raise SpecError(f"{table!r} is no table: they are {', '.join(table_units())}")
        found: pd.DataFrame = getattr(result, table)
        named = found.reset_index() if found.index.name else found
        return named.to_csv(index=False, lineterminator="\r\n").encode()
    with tempfile.TemporaryDirectory() as room:
        path = Path(room, f"run.{kind}")
        if kind == "zip":
            result.save(path)
        elif kind == "pcapng":
            heads = [Capture(host.name, snap=_HEADS) for host in result.experiment.topology.hosts]
            result.also(capture=heads).save_pcapng(path)
        else:
            raise SpecError(f"{kind!r} is no kind of file: zip, pcapng or csv")
        return path.read_bytes()
