"""The probe "recovery": how a sender mends losses: its retransmissions and its congestion states."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.decode import plain_tables as plain
from labkit.probes.probe import Event, Probe, Scene

RETRANSMIT, CONG_STATE = "tcp/tcp_retransmit_skb", "tcp/tcp_cong_state_set"
STATES = ["Open", "Disorder", "CWR", "Recovery", "Loss"]  # enum tcp_ca_state, include/uapi/linux/tcp.h
_COMMON = {
    "time_s": plain.seconds("at_ns", "s since the start of the run"),
    "flow": plain.flow("name of the flow; for a program's connection local>remote address"),
    "side": plain.side("whose socket: sender or receiver; of a program's connection: unknown"),
}
RETRANSMISSIONS = plain.EventTable(
    "One row per segment sent again.",
    {**_COMMON, "state": plain.traced("state", "number of the socket's TCP state; 1: established")},
    RETRANSMIT,
)
CONG_STATES = plain.EventTable(
    "One row per change of congestion state.",
    {
        **_COMMON,
        "state": plain.one_of("cong_state", STATES, "congestion state that begins: " + ", ".join(STATES)),
    },
    CONG_STATE,
)


def _events(scene: Scene) -> Sequence[Event]:
    mine = scene.of_flows if scene.shared_kernel else ""
    return [Event(RETRANSMIT, mine, bytes=96), Event(CONG_STATE, mine)]


PROBE = Probe(
    "recovery",
    "every segment that a TCP socket sends again, and every change of its congestion state",
    events=_events,
    shared_kernel_ok=True,
    tables={"retransmissions": RETRANSMISSIONS, "cong_states": CONG_STATES},
)
