"""How a sender mends losses: its retransmissions and its congestion states, as the kernel traces them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical
from labkit.decode.tcp_probe import by_flow
from labkit.decode.trace import Trace

RETRANSMIT, CONG_STATE = "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set"
STATES = ["Open", "Disorder", "CWR", "Recovery", "Loss"]  # enum tcp_ca_state, include/uapi/linux/tcp.h

_COMMON = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
}
RETRANSMIT_UNITS: dict[str, str] = {**_COMMON, "state": "number of the socket's TCP state; 1: established"}
CONG_STATE_UNITS: dict[str, str] = {**_COMMON, "state": "congestion state that begins: " + ", ".join(STATES)}


def retransmissions(trace: Trace, ports: Mapping[tuple[int, int], str]) -> pd.DataFrame:
    """One row per segment sent again. ports as in tcp_probe. Raises KeyError, RawFormatError."""
    rows = trace.occurrences(RETRANSMIT)
    flow, side = by_flow(rows, ports)
    return pd.DataFrame({"time_s": rows.at_ns / 1e9, "flow": flow, "side": side, "state": rows["state"]})


def cong_states(trace: Trace, ports: Mapping[tuple[int, int], str]) -> pd.DataFrame:
    """One row per change of congestion state. Raises KeyError, RawFormatError."""
    rows = trace.occurrences(CONG_STATE)
    flow, side = by_flow(rows, ports)
    state = categorical(np.minimum(rows["cong_state"], len(STATES) - 1), STATES)
    return pd.DataFrame({"time_s": rows.at_ns / 1e9, "flow": flow, "side": side, "state": state})
