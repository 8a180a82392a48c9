"""What the end of a flow makes useless: its packets that come when the socket they are for is gone. They have
arrived, and nobody wants them any more."""

from __future__ import annotations

import numpy as np

from labkit.decode import connections
from labkit.decode.drop_monitor import Drops
from labkit.decode.headers import Flags
from labkit.results.tables import Tables

FLOW_OVER = "flow over"
NO_SOCKET = "NO_SOCKET"
COOKIE = "cookie_v4_check"  # it refuses, for the same reason, a handshake that there is no room for


def over(result: Tables, drops: Drops) -> Flags:
    """Which drops are such packets. A flow's TCP segment that finds no socket is one whenever it comes, since
    both sockets were there before it was sent; so is anything else of a flow that has ended."""
    found = np.zeros(len(drops.frames), bool)
    rows = np.flatnonzero(np.asarray(drops.reason == NO_SOCKET) & np.asarray(drops.function != COOKIE))
    if not len(rows):
        return found
    part = drops.frames.at(rows)
    names = dict.fromkeys(part.interface.tolist(), "")
    packets = connections.packet_table(part, names, result.layout("flows"), checked=False)
    protocol, flags = packets["protocol"].astype("str"), packets["flags"].astype("str")
    opens = flags.str.contains("S") & ~flags.str.contains("A")
    ended = packets["time_s"] >= packets["flow"].map(result.flows["end_s"]).astype(float)
    mine = packets["flow"].notna() & protocol.isin(["tcp", "udp"])
    found[rows] = mine & (((protocol == "tcp") & ~opens) | ended)
    return found
