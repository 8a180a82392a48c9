"""Every packet that the kernel freed as lost, as a table: where, why and which. Needs no capture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from labkit.decode import connections
from labkit.decode.columns import Units
from labkit.decode.drop_monitor import Drops
from labkit.decode.drop_monitor import drops as decode_drops
from labkit.decode.headers import dissect
from labkit.decode.port_losses import LOSER, PortLosses, port_losses
from labkit.results.ledger.causes import Causes, drops_table
from labkit.results.ledger.flooded import FLOODED, OF_A_SWITCH, flooded
from labkit.results.ledger.flow_over import FLOW_OVER, over
from labkit.results.ledger.sightings import useless
from labkit.results.tables import Tables

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run: when the kernel freed it",
    "host": "where: on the way from this host ...",
    "peer": "... to this one; empty: inside the host",
    "place": "queue (waiting for a rate), wire (its faults), hook (a filter on the wire), port (of a NIC), "
    "stack (the host) or switch",
    "cause": "in the words of the ledger",
    "reason": "the kernel's drop reason (enum skb_drop_reason)",
    "function": "the kernel's function that freed it",
    "arrived": "it had reached its socket, which had no use for it: a duplicate, an old ACK; or its host "
    "when its flow was over",
    **{
        name: connections.UNITS[name]
        for name in ("flow", "way", "src", "dst", "protocol", "sport", "dport", "ip_id")
    },
    "seq": "sequence number as on the wire, modulo 2^32; -1: none",
    "payload": connections.UNITS["payload"],
    "length": connections.UNITS["length"],
}
_OF_THE_PACKET = ("flow", "way", "src", "dst", "protocol", "sport", "dport", "ip_id", "payload", "length")


PATIENCE_NS = 1000  # what the agent waits at the end, for what is being freed at that instant


def freed(result: Tables) -> tuple[Drops, PortLosses]:
    """What the kernel freed as lost until the run's end, the end's own instant included, and which of it was
    lost by a port. Raises PortLossError."""
    every = decode_drops(result.raw)
    ports = port_losses(every, result.traced())
    known = ports.port > 0
    none = (np.asarray(every.function == LOSER) & ~known) | np.isin(
        np.asarray(every.function, str), OF_A_SWITCH
    )
    rows = np.flatnonzero((every.frames.at_ns <= result.until_ns + PATIENCE_NS) & ~none)
    return every.at(rows), ports.at(rows)


def drops(result: Tables) -> pd.DataFrame:
    """One row per packet freed as lost, in the order of time. result: one with the probe "drops".

    What a listening socket has no room for is not told from what it has no use for: the ledger knows it.
    """
    found, ports = freed(result)
    frames = found.frames
    headers = dissect(frames.data, frames.offset, frames.captured)
    names = dict.fromkeys(set(frames.interface.tolist()), "")
    packets = connections.packet_table(frames, names, result.layout("flows"), checked=False)
    where = drops_table(Causes(result), found, headers, ports)
    late = over(result, found)
    where["cause"] = where["cause"].mask(late, FLOW_OVER).mask(flooded(result, found), FLOODED)
    columns: dict[str, Any] = {"time_s": frames.at_ns / 1e9}
    columns |= {name: where[name].astype("category").array for name in ("host", "peer", "place", "cause")}
    columns |= {"reason": found.reason, "function": found.function, "arrived": useless(found) | late}
    columns |= {name: packets[name].array for name in _OF_THE_PACKET} | {"seq": headers.seq}
    table = pd.DataFrame(columns)[list(UNITS)]
    table.attrs["units"] = Units(UNITS)
    return table
