"""The probe "recovery": how a sender mends losses: its retransmissions and its congestion states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.probes.probe import Event, Probe, Scene, Table

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

RETRANSMIT, CONG_STATE = "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set"
STATES = ["Open", "Disorder", "CWR", "Recovery", "Loss"]  # enum tcp_ca_state, include/uapi/linux/tcp.h
_COMMON = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
}


def _events(scene: Scene) -> Sequence[Event]:
    mine = scene.of_flows if scene.shared_kernel else ""
    return [Event(RETRANSMIT, mine, bytes=96), Event(CONG_STATE, mine)]


def _retransmissions(run: Recorded) -> pd.DataFrame:
    """One row per segment sent again. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.by_flow import by_flow

    rows = run.trace.occurrences(RETRANSMIT)
    flow, side = by_flow(rows, run.ports)
    return pd.DataFrame({"time_s": rows.at_ns / 1e9, "flow": flow, "side": side, "state": rows["state"]})


def _cong_states(run: Recorded) -> pd.DataFrame:
    """One row per change of congestion state. Raises RawFormatError."""
    import numpy as np
    import pandas as pd

    from labkit.decode.by_flow import by_flow
    from labkit.decode.columns import categorical

    rows = run.trace.occurrences(CONG_STATE)
    flow, side = by_flow(rows, run.ports)
    state = categorical(np.minimum(rows["cong_state"], len(STATES) - 1), STATES)
    return pd.DataFrame({"time_s": rows.at_ns / 1e9, "flow": flow, "side": side, "state": state})


PROBE = Probe(
    "recovery",
    "every segment that a TCP socket sends again, and every change of its congestion state",
    events=_events,
    shared_kernel_ok=True,
    tables={
        "retransmissions": Table(
            _retransmissions,
            {**_COMMON, "state": "number of the socket's TCP state; 1: established"},
            (RETRANSMIT,),
        ),
        "cong_states": Table(
            _cong_states,
            {**_COMMON, "state": "congestion state that begins: " + ", ".join(STATES)},
            (CONG_STATE,),
        ),
    },
)
