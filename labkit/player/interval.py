"""Which seconds of a run are shown, if nobody says: those around its first losses.

From one round trip before the first lost packet was sent (what fills a queue is what came before) to one
round trip after all was mended that was lost in the first ten round trips. Ten are half a minute at the speed
at which a film starts, a round trip in three seconds. Of a run without losses the first ten round trips.
"""

from __future__ import annotations

import numpy as np

from labkit.errors import SpecError
from labkit.player.journeys import Journeys
from labkit.units import ns, seconds

ROUND_TRIPS = 10
_LEAST_NS = 1_000_000  # of a network without any delay


def chosen(found: Journeys, between: tuple[object, object] | None) -> tuple[int, int]:
    """From, to (ns since the start of the run). Raises SpecError."""
    first, last = _whole(found)
    if between is None:
        return _interesting(found, first, last)
    try:
        given = tuple(ns(seconds(value)) for value in between)
    except TypeError:
        raise SpecError(f'player: between={between!r}: write between=("1.2s", "1.5s")') from None
    except SpecError as error:
        raise SpecError(f'player: between={between!r}: {error}: write between=("1.2s", "1.5s")') from None
    if len(given) != 2 or given[0] >= given[1]:
        text = "two times, the earlier one first"
        raise SpecError(f'player: between={between!r}: {text}: write between=("1.2s", "1.5s")')
    begin, end = given
    if not ((found.left_ns <= end) & (found.ended_ns >= begin)).any():
        there = f"there are some from {first / 1e9:.6g} to {last / 1e9:.6g} s"
        raise SpecError(f"player: between={between!r}: no packet was under way then: {there}")
    return begin, end


def _whole(found: Journeys) -> tuple[int, int]:
    if not len(found):
        text = "no packet was captured: an experiment needs a flow or a command that sends some"
        raise SpecError(f"player: nothing to show: {text}")
    return int(found.left_ns.min()), int(found.ended_ns.max())


def round_trip_ns(found: Journeys) -> int:
    """Typical of the run: the median time to the other end and that back, of the packets of flows if any."""
    table = found.accounts.packets
    there = table[table["fate"] == "delivered"]
    there = there[there["flow"].notna()] if there["flow"].notna().any() else there
    took = there["arrived_ns"] - there["sent_ns"]
    ways = took.groupby(there["way"].astype(object).where(there["way"].notna(), "")).median()
    if ways.empty:
        return _LEAST_NS
    return max(int(ways.sum() if len(ways) > 1 else 2 * ways.iloc[0]), _LEAST_NS)


def _interesting(found: Journeys, first: int, last: int) -> tuple[int, int]:
    trip = round_trip_ns(found)
    losses = found.losses[found.losses["flow"].notna()] if len(found.losses) else found.losses
    losses = found.losses if losses.empty else losses
    if losses.empty:
        return first, min(last, first + ROUND_TRIPS * trip)
    sent = (losses["sent_s"].to_numpy() * 1e9).round()
    begin = max(first, int(sent.min()) - trip)
    early = losses[sent <= begin + ROUND_TRIPS * trip]
    mended = early[["lost_s", "recovered_s"]].max(axis=1).to_numpy() * 1e9
    end = int(np.nanmax(mended)) + trip
    return begin, min(last, max(end, begin + ROUND_TRIPS * trip))
