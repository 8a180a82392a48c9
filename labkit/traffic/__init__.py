"""What flows over a network: one file per kind of traffic, with its spec, its record and its tables.

All kinds are in KINDS, and what a result has of them in TrafficTables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labkit.decode.plain_tables import Table
from labkit.schema.base import FaultsError
from labkit.traffic.background import Background
from labkit.traffic.call import Call
from labkit.traffic.flow import Flow
from labkit.traffic.interactive import Interactive
from labkit.traffic.kind import Traffic
from labkit.traffic.pings import Pings
from labkit.traffic.requests import Requests
from labkit.traffic.stream import Stream
from labkit.traffic.trains import Trains
from labkit.traffic.tunnel import Tunnel
from labkit.traffic.web_page import WebPage

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

FLOW = "flow"  # the kind of what names none, as there was no other once
KINDS: dict[str, type[Traffic]] = {
    FLOW: Flow,
    "requests": Requests,
    "background": Background,
    "pings": Pings,
    "trains": Trains,
    "web_page": WebPage,
    "interactive": Interactive,
    "stream": Stream,
    "call": Call,
    "tunnel": Tunnel,
}
"""Every kind of traffic, by the `kind` in its JSON."""
TABLES: dict[str, Table] = {name: table for kind in KINDS.values() for name, table in kind.tables().items()}
"""What a result has of them beside `flows`."""


class TrafficTables:
    """One table for each of TABLES, read when first asked for; empty without such traffic."""

    requests: pd.DataFrame
    transfers: pd.DataFrame
    pings: pd.DataFrame
    trains: pd.DataFrame
    objects: pd.DataFrame
    pages: pd.DataFrame
    keystrokes: pd.DataFrame
    segments: pd.DataFrame
    playback: pd.DataFrame
    calls: pd.DataFrame

    if TYPE_CHECKING:

        @property
        def recorded(self) -> Recorded:
            """What tables are made of."""


def _property(table: Table) -> cached_property[pd.DataFrame]:
    def read(self: TrafficTables) -> pd.DataFrame:
        from labkit.decode import columns, plain_columns

        made = plain_columns.made(table, self.recorded)
        made.attrs["units"] = columns.Units(table.units())
        return made

    read.__doc__ = table.what
    return cached_property(read)


for _name, _table in TABLES.items():
    _made = _property(_table)
    _made.__set_name__(TrafficTables, _name)
    setattr(TrafficTables, _name, _made)


def as_traffic(value: Any) -> Traffic:
    """Some kind of traffic from a mapping, which says by `kind` which. Raises SpecError."""
    if isinstance(value, Traffic):
        return value
    if not isinstance(value, Mapping) or "kind" not in value:
        return Flow.model_validate(value)
    kind = KINDS.get(str(value["kind"]))
    if kind is None:
        raise FaultsError([(("kind",), f"={value['kind']!r}: must be one of {', '.join(KINDS)}")])
    without = {name: field for name, field in value.items() if name != "kind" or "kind" in kind.model_fields}
    return kind.model_validate(without)
