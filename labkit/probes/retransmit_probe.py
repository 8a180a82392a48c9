"""The probe "retransmit": each TCP segment that is sent again (tcp:tcp_retransmit_skb), and nothing else.

The event does not say which segment: for sequence numbers, see the packets or the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labkit.probes.probe import Event, EventChart, Probe, Scene, Table

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

EVENT = "tcp/tcp_retransmit_skb"
COLUMNS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "number": "segments that this socket has sent again so far, this one included",
    "state": "number of the socket's TCP state (include/net/tcp_states.h); 1: established",
    "sport": "port of the socket that sends again",
    "dport": "port of its peer",
}


def _events(scene: Scene) -> Sequence[Event]:
    return [Event(EVENT, scene.of_flows if scene.shared_kernel else "", bytes=96)]


def _table(run: Recorded) -> pd.DataFrame:
    """One row per segment sent again, in the order of time. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.by_flow import by_flow

    rows = run.trace.occurrences(EVENT)
    flow, side = by_flow(rows, run.ports)
    columns = {"time_s": rows.at_ns / 1e9, "flow": flow, "side": side}
    table = pd.DataFrame(columns | {name: rows[name] for name in ("state", "sport", "dport")})
    number = table.groupby(["flow", "side", "sport", "dport"], observed=True).cumcount() + 1
    return table.assign(number=number)[list(COLUMNS)]


PROBE = Probe(
    "retransmit",
    "every segment that a TCP socket sends again",
    events=_events,
    shared_kernel_ok=True,
    tables={"retransmit": Table(_table, COLUMNS, (EVENT,))},
    charts={
        "retransmit": EventChart(
            "retransmit",
            y="number",
            y_title="retransmitted so far (packets)",
            title="Retransmissions",
            caption="Each segment that a sender sent again, and how many it had sent again by then.",
            rows=("segment sent again", "segments sent again"),
            lacks="no sender sent a segment again",
            cure='lose some, such as loss="1%"',
            only={"side": "sender"},
        )
    },
)
