"""When the chains of the wires were in which state: see spec.ContinuousGilbertElliott."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical
from labkit.decode.raw import Raw
from labkit.program.structs import STATE_ENDED, STATES, Kind

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run: the wire's chain of losses comes to a state",
    "until_s": "s since the start of the run: it leaves it, a Change ends the chain, or the run ends",
    "host": "where the direction begins",
    "peer": "where it ends",
    "state": "good or bad",
}


def periods(raw: Raw, ways: Mapping[int, tuple[str, str]]) -> pd.DataFrame:
    """One row per period, by its beginning. ways: index of a wire's last device -> from, to. Raises
    RawFormatError."""
    records = raw.records(Kind.STATE)
    heads = raw.heads(records)
    wire, state = heads["interface"].astype(np.int64), heads["state"].astype(np.int64)
    ends = raw.records(Kind.END)
    until_ns = np.full(len(wire), ends.at_ns[-1] if len(ends) else records.at_ns.max(initial=0))
    for one in np.unique(wire):
        mine = np.flatnonzero(wire == one)
        until_ns[mine[:-1]] = records.at_ns[mine[1:]]
    kept = np.flatnonzero((state < STATE_ENDED) & np.isin(wire, list(ways)))
    hosts, peers = (sorted({way[end] for way in ways.values()}) for end in (0, 1))
    names = [ways[index] for index in wire[kept].tolist()]
    return pd.DataFrame(
        {
            "time_s": records.at_ns[kept] / 1e9,
            "until_s": until_ns[kept] / 1e9,
            "host": categorical([hosts.index(host) for host, _ in names], hosts),
            "peer": categorical([peers.index(peer) for _, peer in names], peers),
            "state": categorical(state[kept], STATES[:STATE_ENDED]),
        }
    )
