"""Films of the packet player read back, without the player's own script: what is in them, as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from labkit.player.film import KINDS
from labkit.player.packing import unpacked

OUT, IN, DEQUEUED, STARTED, CAME_IN = range(KINDS)
_ADDED_UP = ("seq", "ack", "ip_id", "window", "tsval", "tsecr")


def packets(film: dict[str, Any]) -> pd.DataFrame:
    """One row a packet, with its headers as a packet table has them, `at` in µs and its ends."""
    held = film["packets"]
    count = held["count"]
    names = ("route", "at", "ends", "payload", "length", "transmission", "flags", "sacks", *_ADDED_UP)
    table = pd.DataFrame({name: unpacked(held[name], count) for name in names})
    for name in _ADDED_UP:
        table[name] = table.groupby("ends")[name].cumsum()
    ends = pd.DataFrame(film["ends"], columns=["src", "sport", "dst", "dport", "protocol", "flow", "way"])
    return table.join(ends, on="ends")


def edges(film: dict[str, Any]) -> list[list[tuple[int, int]]]:
    """The SACK blocks of each packet."""
    table = packets(film)
    flat = unpacked(film["packets"]["edges"], 2 * int(table["sacks"].sum()))
    found, at = [], 0
    for ack, number in zip(table["ack"], table["sacks"], strict=True):
        blocks = []
        for _ in range(number):
            left = ack + flat[at]
            blocks.append((left, left + flat[at + 1]))
            at += 2
        found.append(blocks)
    return found


def sightings(film: dict[str, Any]) -> pd.DataFrame:
    """One row a sighting: packet, host, peer, kind, at (µs), before (its row, -1: none)."""
    table = packets(film)
    columns = [[unpacked(step, route["count"]) for step in route["steps"]] for route in film["routes"]]
    used = [0] * len(film["routes"])
    rows: list[tuple[int, str, str, int, int, int]] = []
    for packet, (number, at) in enumerate(zip(table["route"], table["at"], strict=True)):
        now, start = at, len(rows)
        for k, (device, kind, back) in enumerate(film["routes"][number]["nodes"]):
            now += columns[number][k - 1][used[number]] if k else 0
            before = start + k - back if back else -1
            rows.append((packet, *film["devices"][device], kind, now, before))
        used[number] += 1
    return pd.DataFrame(rows, columns=["packet", "host", "peer", "kind", "at", "before"])


def losses(film: dict[str, Any]) -> pd.DataFrame:
    """One row a loss: times in µs."""
    held = film["losses"]
    names = [name for name in held if name != "count"]
    return pd.DataFrame({name: unpacked(held[name], held["count"]) for name in names}, columns=names)


def changes(held: dict[str, Any]) -> list[tuple[int, Any]]:
    """cwnd, ssthresh or states of a sender."""
    count = held["count"]
    return list(zip(unpacked(held["at"], count), unpacked(held["value"], count), strict=True))


def stays(film: dict[str, Any], host: str, peer: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """When packets came into the queue from host to peer and when they left it or were thrown away, in µs,
    each in order; of a queue on a router, between two captures."""
    seen, lost = sightings(film), losses(film)
    came, gone = [], []
    through = seen[(seen["kind"] == OUT) & (seen["host"] == host) & (seen["peer"] == peer)]
    for row in through.itertuples():
        if row.before >= 0:
            came.append(seen.at[row.before, "at"])
            gone.append(row.at)
    here = lost[(lost["place"] == "queue") & (lost["host"] == host) & (lost["peer"] == peer)]
    for row in here.itertuples():
        last = seen[seen["packet"] == row.packet].iloc[-1]
        came.append(last["at"])
        gone.append(row.at)
    return np.sort(np.array(came)), np.sort(np.array(gone))
