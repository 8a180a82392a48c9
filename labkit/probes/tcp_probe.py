"""The probe "tcp_probe": a TCP sender's state at every segment that reaches it (tcp:tcp_probe)."""

from __future__ import annotations

from collections.abc import Sequence

from labkit.decode import plain_tables as plain
from labkit.probes.probe import Event, Probe, Scene

EVENT = "tcp/tcp_probe"
TABLE = plain.EventTable(
    "One row per segment that arrived at an established socket.",
    {
        "time_s": plain.seconds("at_ns", "s since the start of the run"),
        "flow": plain.flow("name of the flow; for a program's connection local>remote address"),
        "side": plain.side("whose socket: sender or receiver; of a program's connection: unknown"),
        "snd_nxt": plain.traced("snd_nxt", "sequence number to be sent next, modulo 2^32"),
        "snd_una": plain.traced("snd_una", "first sequence number not acknowledged, modulo 2^32"),
        "snd_cwnd": plain.traced("snd_cwnd", "segments"),
        "ssthresh": plain.traced("ssthresh", "segments; 2147483647: not set yet"),
        "snd_wnd": plain.traced("snd_wnd", "bytes, the peer's window"),
        "srtt_us": plain.traced("srtt", "µs, smoothed RTT"),
        "rcv_wnd": plain.traced("rcv_wnd", "bytes, the own window"),
        "data_len": plain.traced("data_len", "bytes of payload in the segment that arrived"),
    },
    EVENT,
)


def _events(scene: Scene) -> Sequence[Event]:
    return [Event(EVENT, scene.of_flows, bytes=168)] if scene.tcp else []


PROBE = Probe(
    "tcp_probe",
    "a TCP sender's cwnd, ssthresh and srtt at every segment that reaches it",
    default=True,
    events=_events,
    nothing="no TCP flow",
    shared_kernel_ok=True,
    tables={"tcp_probe": TABLE},
)
