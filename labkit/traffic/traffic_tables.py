"""The tables that kinds of traffic have beside `flows`, each read from the raw file when first asked for.

A kind with a table of its own has it in TABLES, and its type in TrafficTables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labkit.decode.columns import Units
from labkit.traffic import background, call, interactive, pings, requests, stream, trains, web_page

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.raw import Raw


@dataclass(frozen=True)
class Table:
    """read: makes it of the raw file and the flows' layout; units: column -> unit or meaning; what: what a
    row of it is, in a line."""

    read: Callable[[Raw, Sequence[Mapping[str, Any]]], pd.DataFrame]
    units: dict[str, str]
    what: str


TABLES: dict[str, Table] = {
    "requests": Table(
        requests.requests,
        requests.UNITS,
        "One row per request of every flow of Requests, with its latency.",
    ),
    "transfers": Table(
        background.transfers,
        background.UNITS,
        "One row per transfer of every Background, with its completion time.",
    ),
    "pings": Table(
        pings.pings,
        pings.UNITS,
        "One row per echo request of all Pings, with its round-trip time.",
    ),
    "trains": Table(
        trains.trains,
        trains.UNITS,
        "One row per packet of all Trains: when it was sent, when it arrived.",
    ),
    "objects": Table(
        web_page.objects,
        web_page.UNITS,
        "One row per object of every WebPage: when it was wanted, asked for and there.",
    ),
    "pages": Table(
        web_page.pages,
        web_page.PAGE_UNITS,
        "One row per WebPage, with its load time.",
    ),
    "keystrokes": Table(
        interactive.keystrokes,
        interactive.UNITS,
        "One row per keystroke of every Interactive session, with how long its echo took.",
    ),
    "segments": Table(
        stream.segments,
        stream.UNITS,
        "One row per segment of every Stream: its rate, when it came, what the buffer held.",
    ),
    "playback": Table(
        stream.playback,
        stream.PLAYBACK_UNITS,
        "One row per Stream: start-up delay, stalls, mean rate.",
    ),
    "calls": Table(
        call.calls,
        call.UNITS,
        "One row per packet of every Call: when it was sent, when it could be used.",
    ),
}


class TrafficTables:
    """One table for each of TABLES; empty where an experiment has no such traffic."""

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
        def raw(self) -> Raw:
            """The raw file."""

        def layout(self, part: str) -> list[dict[str, Any]]:
            """Of the compiled network."""


def _property(table: Table) -> cached_property[pd.DataFrame]:
    def read(self: TrafficTables) -> pd.DataFrame:
        made = table.read(self.raw, self.layout("flows"))
        made.attrs["units"] = Units(table.units)
        return made

    read.__doc__ = table.what
    return cached_property(read)


for _name, _table in TABLES.items():
    _made = _property(_table)
    _made.__set_name__(TrafficTables, _name)
    setattr(TrafficTables, _name, _made)
