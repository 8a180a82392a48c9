"""The tables that kinds of traffic have beside `flows`, each read from the raw file when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from labkit.decode.columns import Units
from labkit.traffic import background, call, interactive, pings, requests, stream, trains, web_page

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.raw import Raw

UNITS: dict[str, dict[str, str]] = {
    "requests": requests.UNITS,
    "transfers": background.UNITS,
    "pings": pings.UNITS,
    "trains": trains.UNITS,
    "objects": web_page.UNITS,
    "pages": web_page.PAGE_UNITS,
    "keystrokes": interactive.UNITS,
    "segments": stream.UNITS,
    "playback": stream.PLAYBACK_UNITS,
    "calls": call.UNITS,
}
Read = Callable[["Raw", Sequence[Mapping[str, Any]]], "pd.DataFrame"]


class TrafficTables:
    """One table for each of UNITS; empty where an experiment has no such traffic."""

    if TYPE_CHECKING:

        @property
        def raw(self) -> Raw:
            """The raw file."""

        def layout(self, part: str) -> list[dict[str, Any]]:
            """Of the compiled network."""

    def _read(self, name: str, read: Read) -> pd.DataFrame:
        table = read(self.raw, self.layout("flows"))
        table.attrs["units"] = Units(UNITS[name])
        return table

    @cached_property
    def requests(self) -> pd.DataFrame:
        """One row per request of every flow of Requests, with its latency."""
        return self._read("requests", requests.requests)

    @cached_property
    def transfers(self) -> pd.DataFrame:
        """One row per transfer of every Background, with its completion time."""
        return self._read("transfers", background.transfers)

    @cached_property
    def pings(self) -> pd.DataFrame:
        """One row per echo request of all Pings, with its round-trip time."""
        return self._read("pings", pings.pings)

    @cached_property
    def trains(self) -> pd.DataFrame:
        """One row per packet of all Trains: when it was sent, when it arrived."""
        return self._read("trains", trains.trains)

    @cached_property
    def objects(self) -> pd.DataFrame:
        """One row per object of every WebPage: when it was wanted, asked for and there."""
        return self._read("objects", web_page.objects)

    @cached_property
    def pages(self) -> pd.DataFrame:
        """One row per WebPage, with its load time."""
        return self._read("pages", web_page.pages)

    @cached_property
    def keystrokes(self) -> pd.DataFrame:
        """One row per keystroke of every Interactive session, with how long its echo took."""
        return self._read("keystrokes", interactive.keystrokes)

    @cached_property
    def segments(self) -> pd.DataFrame:
        """One row per segment of every Stream: its rate, when it came, what the buffer held."""
        return self._read("segments", stream.segments)

    @cached_property
    def playback(self) -> pd.DataFrame:
        """One row per Stream: start-up delay, stalls, mean rate."""
        return self._read("playback", stream.playback)

    @cached_property
    def calls(self) -> pd.DataFrame:
        """One row per packet of every Call: when it was sent, when it could be used."""
        return self._read("calls", call.calls)
