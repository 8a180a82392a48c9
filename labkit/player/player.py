"""player(result): some seconds of a run as a film; cut, described, and shown by either face."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from labkit.charts import theme, vega, words
from labkit.charts.network import topology
from labkit.decode.raw import Ints
from labkit.errors import SpecError
from labkit.execute.session.recording import recording
from labkit.player import film, interval, notebook
from labkit.player.between import instants
from labkit.player.journeys import NS_PER_US, Journeys, journeys
from labkit.player.senders import outstanding, sender, sending
from labkit.player.stage import stage
from labkit.results.result import Result

MIME = "application/vnd.labkit.player+json"
Json = dict[str, Any]
_TRIP_S = 3  # of real time, for a round trip to begin with
_TABLE_ROWS = 200
_CAPTION = "Packets on their way, from the captures of every host. What is lost falls out where it was lost."


def player(
    result: Result,
    *,
    between: tuple[object, object] | None = None,
    name: str = "player",
    caption: str | None = None,
) -> Player:
    """Some seconds of a run in motion: see `Player`.

    between: from when to when, each as "1.2s" or in s since the start of the run; else from one round trip
    before the first loss to one after it was mended, ten round trips at least. name: of the figure, for
    links. A run that was not captured at every host is run once more. Raises SpecError, FilmTooLargeError;
    ProbeMissingError for a run that cannot be had again and was not captured.
    """
    found = journeys(result)
    if not name:
        raise SpecError('player: name="": a figure needs one, such as "player"')
    span = interval.chosen(found, between)
    return Player(found, span, cut=between is None, name=name, caption=caption or _CAPTION)


class Player:
    """What `player` returns; as a cell's value it shows itself. `film` is all that it shows."""

    def __init__(self, found: Journeys, span: tuple[int, int], *, cut: bool, name: str, caption: str) -> None:
        """cut: what does not fit may be left out at the end. Raises FilmTooLargeError."""
        self._found, self._more = found, instants(found)
        self.film = self._fitting(span, {"name": name, "caption": caption}, cut=cut)
        self._stored = self._recorded() if recording() else None

    @property
    def span(self) -> tuple[float, float]:
        """From when to when (s since the start of the run)."""
        begin, end = self.film["span"]
        return begin / 1e6, end / 1e6

    def _fitting(self, span: tuple[int, int], told: Json, *, cut: bool) -> Json:
        begin, end = span
        wanted = end
        while True:
            made = self._film(begin, end, told)
            taken = film.size(made)
            if taken <= film.LIMIT_BYTES:
                break
            end = begin + int((end - begin) * min(0.95, film.LIMIT_BYTES / taken))
        if end < wanted and not cut:
            raise film.FilmTooLargeError(
                f"player: what was under way from {begin / 1e9:.6g} to {wanted / 1e9:.6g} s takes more than "
                f"{film.LIMIT_BYTES // 1000} kB: write between=({begin / 1e9:.6g}, {end / 1e9:.6g})"
            )
        return made

    def _film(self, begin: int, end: int, told: Json) -> Json:
        found = self._found
        flows = sending(found)
        which = _shown(found, flows, begin, end)
        seen = set(found.table["flow"].iloc[which].dropna().astype(str))
        span = [begin // NS_PER_US, -(-end // NS_PER_US)]
        trip = interval.round_trip_ns(found) // NS_PER_US
        return {
            "format": film.FORMAT,
            **told,
            "description": _described(found, which, begin, end),
            "span": span,
            "speed": _rounded(trip / 1e6 / _TRIP_S),
            "trip": trip,
            "kernel": found.result.kernel,
            "seed": found.result.seed,
            **stage(found, begin / 1e9),
            "flows": _flows(found),
            **film.packed(found, self._more, which),
            "senders": [sender(found, flow, begin, end) for flow in flows if flow in seen],
            "table": _table(found, which),
        }

    def _recorded(self) -> Json:
        still = topology(self._found.result, caption=self.film["caption"]).to_dict()
        return {MIME: self.film, vega.MIME: vega.steady(still), "text/plain": repr(self)}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Json:
        if self._stored is not None:
            return self._stored
        return {"text/html": notebook.page(self.film), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<player: {self.film['description']}>"


def _shown(found: Journeys, flows: list[str], begin: int, end: int) -> Ints:
    """The packets that were under way in these seconds, and what senders had outstanding at the beginning."""
    there = (found.left_ns <= end) & (found.ended_ns >= begin)
    for flow in flows:
        there[outstanding(found, flow, begin)] = True
    which: Ints = np.flatnonzero(there)
    return which


def _rounded(speed: float) -> float:
    """1, 2 or 5 times a power of ten, the nearest below."""
    power = 10.0 ** np.floor(np.log10(speed))
    return float(f"{max(step for step in (1, 2, 5) if step * power <= speed * 1.000001) * power:.6g}")


def _flows(found: Journeys) -> list[Json]:
    made = []
    for n, flow in enumerate(found.result.layout("flows")):
        row = found.result.flows.iloc[n]
        kind = str(row["cc"]) or str(row["protocol"])
        made.append({"name": flow["name"], "kind": kind, "color": theme.COLORS[n % len(theme.COLORS)]})
    return made


def _described(found: Journeys, which: Ints, begin: int, end: int) -> str:
    """What a reader who does not see it should know."""
    table, entry = found.table.iloc[which], found.entry[which]
    hosts = words.listing(list(found.result.experiment.topology.names))
    data, acks = int((table["way"] == "data").sum()), int((table["way"] == "ack").sum())
    other = len(table) - data - acks
    parts = [words.count(data, "data packet"), words.count(acks, "packet back", "packets back")]
    parts += [words.count(other, "other packet")] if other else []
    causes = found.losses.iloc[entry[entry >= 0]]
    lost = "none was lost"
    if len(causes):
        columns = ("host", "peer", "cause")
        places = Counter(zip(*(causes[column].astype(str) for column in columns), strict=True))
        said = [
            f"{n} on the way from {host} to {peer} ({cause})" if peer else f"{n} at {host} ({cause})"
            for (host, peer, cause), n in places.items()
        ]
        lost = f"lost: {words.listing(said)}"
    return (
        f"A film of {(end - begin) / 1e9:.3g} s of a run, from {begin / 1e9:.6g} s on: "
        f"{words.listing(parts)} between the hosts {hosts}; {lost}."
    )


def _table(found: Journeys, which: Ints) -> Json:
    """The losses, packet by packet; without any, how many packets of each flow arrived."""
    entry = found.entry[which]
    rows = found.losses.iloc[entry[entry >= 0]].sort_values("lost_s", kind="stable")
    if rows.empty:
        table = found.table.iloc[which]
        names = table["flow"].astype(object).where(table["flow"].notna(), "none")
        ways = table["way"].astype(object).where(table["way"].notna(), "")
        counts = Counter(zip(names.astype(str), ways.astype(str), strict=True))
        listed = [[flow, way, n] for (flow, way), n in counts.items()]
        return _columns(["Flow", "Way", "Packets, none of them lost"], listed)
    titles = [
        "Lost (s)",
        "Flow",
        "Way",
        "Sequence number",
        "Where",
        "Cause",
        "Kernel's reason",
        "Sent again (s)",
    ]
    listed = [_line(row) for row in rows.head(_TABLE_ROWS).itertuples()]
    return _columns(titles, listed)


def _line(row: Any) -> list[Any]:
    where = f"{row.host} to {row.peer}" if row.peer else str(row.host)
    again = "" if pd.isna(row.retransmitted_s) else round(row.retransmitted_s, 6)
    flow, way = ("" if pd.isna(value) else str(value) for value in (row.flow, row.way))
    return [round(row.lost_s, 6), flow, way, int(row.seq), where, str(row.cause), str(row.reason), again]


def _columns(titles: list[str], rows: list[list[Any]]) -> Json:
    return {"columns": [[title, title] for title in titles], "rows": rows}
