"""The probe "tcp_probe": a TCP sender's state at every segment that reaches it (tcp:tcp_probe)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labkit.probes.probe import Event, Probe, Scene, Table

if TYPE_CHECKING:
    import pandas as pd

    from labkit.decode.recorded import Recorded

EVENT = "tcp/tcp_probe"
COLUMNS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow; for a program's connection local>remote address",
    "side": "whose socket: sender or receiver; of a program's connection: unknown",
    "snd_nxt": "sequence number to be sent next, modulo 2^32",
    "snd_una": "first sequence number not acknowledged, modulo 2^32",
    "snd_cwnd": "segments",
    "ssthresh": "segments; 2147483647: not set yet",
    "snd_wnd": "bytes, the peer's window",
    "srtt_us": "µs, smoothed RTT",
    "rcv_wnd": "bytes, the own window",
    "data_len": "bytes of payload in the segment that arrived",
}
_KERNEL_NAMES = {"srtt_us": "srtt"}


def _events(scene: Scene) -> Sequence[Event]:
    return [Event(EVENT, scene.of_flows, bytes=168)] if scene.tcp else []


def table(run: Recorded) -> pd.DataFrame:
    """One row per segment that arrived at an established socket. Raises RawFormatError."""
    import pandas as pd

    from labkit.decode.by_flow import by_flow

    rows = run.trace.occurrences(EVENT)
    flow, side = by_flow(rows, run.ports)
    columns: dict[str, Any] = {"time_s": rows.at_ns / 1e9, "flow": flow, "side": side}
    for name in COLUMNS:
        field = _KERNEL_NAMES.get(name, name)
        if field in rows:
            columns[name] = rows[field]
    return pd.DataFrame(columns, copy=False)


PROBE = Probe(
    "tcp_probe",
    "a TCP sender's cwnd, ssthresh and srtt at every segment that reaches it",
    default=True,
    events=_events,
    nothing="no TCP flow",
    shared_kernel_ok=True,
    tables={"tcp_probe": Table(table, COLUMNS, (EVENT,))},
)
