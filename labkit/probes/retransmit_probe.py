"""The probe "retransmit": each TCP segment that is sent again (tcp:tcp_retransmit_skb), and nothing else.

The event does not say which segment: for sequence numbers, see the packets or the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence

from labkit.decode import plain_tables as plain
from labkit.probes.probe import Event, EventChart, Probe, Scene

EVENT = "tcp/tcp_retransmit_skb"
TABLE = plain.EventTable(
    "One row per segment sent again, with how many its socket had sent again by then.",
    {
        "time_s": plain.seconds("at_ns", "s since the start of the run"),
        "flow": plain.flow("name of the flow; for a program's connection local>remote address"),
        "side": plain.side("whose socket: sender or receiver; of a program's connection: unknown"),
        "number": plain.nth(
            ("flow", "side", "sport", "dport"),
            "segments that this socket has sent again so far, this one included",
        ),
        "state": plain.traced(
            "state", "number of the socket's TCP state (include/net/tcp_states.h); 1: established"
        ),
        "sport": plain.traced("sport", "port of the socket that sends again"),
        "dport": plain.traced("dport", "port of its peer"),
    },
    EVENT,
)


def _events(scene: Scene) -> Sequence[Event]:
    return [Event(EVENT, scene.of_flows if scene.shared_kernel else "", bytes=96)]


PROBE = Probe(
    "retransmit",
    "every segment that a TCP socket sends again",
    events=_events,
    shared_kernel_ok=True,
    tables={"retransmit": TABLE},
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
