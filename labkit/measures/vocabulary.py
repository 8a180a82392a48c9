"""The words of measuring: every figure of a run that has a name, its unit, and what it takes to have it.

A sweep takes them by their names (`as_measure`), a widget as words (word.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from labkit.errors import SpecError
from labkit.measures.connection import Connection
from labkit.measures.dynamics import Dynamics
from labkit.measures.experience import Experience
from labkit.measures.flow_wait import FlowWait
from labkit.measures.named_measure import NamedMeasure
from labkit.measures.network_measures import TEXTS, Network
from labkit.measures.per_flow import PerFlow, PerProtocol, PerSecond
from labkit.schema.base import did_you_mean

if TYPE_CHECKING:
    from labkit.results.result import Result

Measure: TypeAlias = Callable[["Result"], Any]

KINDS: tuple[type[NamedMeasure], ...] = (
    PerFlow,
    PerProtocol,
    PerSecond,
    Dynamics,
    Experience,
    Connection,
    FlowWait,
    Network,
)
ALL_UNITS: dict[str, str] = {name: unit for kind in KINDS for name, unit in kind.units.items()}
DEFAULT = ("goodput", "retransmits", "duration")


def kind_of(name: str) -> type[NamedMeasure]:
    """The kind of measure that has this figure. Raises SpecError, which names what there is."""
    for kind in KINDS:
        if name in kind.units:
            return kind
    hint = did_you_mean(name, list(ALL_UNITS)) or f": there are {', '.join(ALL_UNITS)}"
    raise SpecError(f"measure={name!r}: no such figure{hint}; or give a function of a Result")


def as_measure(given: Any) -> Measure:
    """A name, a list of names, or a function of a Result. Raises SpecError, which names what there is."""
    if callable(given):
        return given  # type: ignore[no-any-return]
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise SpecError(f"measure={given!r}: name what to measure, or give a function of a Result")
    names = tuple(map(str, dict.fromkeys(given)))
    if not names:
        raise SpecError(f"measure: nothing: name one of {', '.join(ALL_UNITS)}")
    kinds = [kind_of(name) for name in names]
    for name, kind in zip(names, kinds, strict=True):
        if kind is not kinds[0]:
            one, units = " and ".join(kinds[0].keys) or "run", kinds[0].units
            listed = ", ".join(name for name in units if name not in TEXTS)
            raise SpecError(f"measure={name!r}: not with {names[0]!r}, which is per {one}, as are {listed}")
        if name in TEXTS:
            raise SpecError(f"measure={name!r}: a text, and no number: it is for the summary of a widget")
    return kinds[0](names)


# How a figure is headed and what stands behind its number: "%" takes a share, in per cent.
_MBIT, _PACKETS, _SEGMENTS, _BYTES, _S, _MS = "Mbit/s", "packets", "segments", "bytes", "s", "ms"
SHOWN: Mapping[str, tuple[str, str]] = {
    "goodput": ("Goodput", _MBIT),
    "share": ("Share of the goodput", "%"),
    "retransmits": ("Retransmitted", _SEGMENTS),
    "duration": ("Duration", _S),
    "complete": ("Complete", ""),
    "sent_bytes": ("Payload sent", _BYTES),
    "received_bytes": ("Payload received", _BYTES),
    "sent_packets": ("Datagrams sent", ""),
    "received_packets": ("Datagrams received", ""),
    "established_s": ("Established after", _S),
    "first_byte_s": ("First byte after", _S),
    "last_byte_s": ("Last byte after", _S),
    "end_s": ("Finished after", _S),
    "goodput_sum": ("Total goodput", _MBIT),
    "goodput_min": ("Lowest goodput", _MBIT),
    "goodput_max": ("Highest goodput", _MBIT),
    "retransmits_sum": ("Retransmitted in all", _SEGMENTS),
    "datagrams_lost": ("Datagrams lost", "%"),
    "rate": ("Mean rate", _MBIT),
    "rate_std": ("Standard deviation of the rate", _MBIT),
    "rate_cv": ("Variation of the rate", "%"),
    "rate_later": ("Mean rate, later half", _MBIT),
    "rate_cv_later": ("Variation of the rate, later half", "%"),
    "cwnd_mean": ("Mean cwnd", _PACKETS),
    "cwnd_std": ("Standard deviation of cwnd", _PACKETS),
    "cwnd_mean_later": ("Mean cwnd, later half", _PACKETS),
    "cwnd_cv_later": ("Variation of cwnd, later half", "%"),
    "packets_per_10ms": ("Sent in 10 ms", _PACKETS),
    "data_packets": ("Data sent", _PACKETS),
    "acks": ("ACKs sent", _PACKETS),
    "acks_per_packet": ("ACKs per packet", ""),
    "queue_over_cwnd": ("Queue over cwnd", "%"),
    "queue_mean": ("Mean queue", _PACKETS),
    "avoidance_steps": ("Growth in congestion avoidance", _PACKETS),
    "slow_start_steps": ("Growth in slow start", _PACKETS),
    "moderations": ("Moderations of cwnd", ""),
    "recoveries": ("Fast recoveries", ""),
    "timeouts": ("Timeouts", ""),
    "congestion_signals": ("Congestion signals", ""),
    "retransmitted": ("Retransmissions", ""),
    "induced_losses": ("Lost on links", _PACKETS),
    "queue_losses": ("Lost to full queues", _PACKETS),
    "duplicate_acks": ("Duplicate ACKs", ""),
    "rtt_mean": ("Mean RTT", _MS),
    "load_s": ("Page load", _S),
    "first_object_s": ("First object after", _S),
    "echo_median_s": ("Median echo", _S),
    "echo_p95_s": ("95 % of echoes below", _S),
    "echo_above_100ms": ("Echoes above 100 ms", "%"),
    "echo_above_300ms": ("Echoes above 300 ms", "%"),
    "startup_s": ("Startup delay", _S),
    "stalls": ("Stalls", ""),
    "stalled_s": ("Stalled for", _S),
    "mean_rate": ("Mean rate of segments", _MBIT),
    "switches": ("Changes of rate", ""),
    "call_lost": ("Call packets lost", "%"),
    "call_late": ("Call packets lost or late", "%"),
    "call_delay_p95_s": ("95 % of call delays below", _S),
    "call_jitter_s": ("Call jitter", _S),
    "ping_median_ms": ("Median ping", _MS),
    "ping_mean_ms": ("Mean ping", _MS),
    "ping_loss": ("Pings lost", "%"),
    "rtt_max_ms": ("Longest RTT", _MS),
    "pause_max_s": ("Longest pause", _S),
    "retransmitted_share": ("Share retransmitted", "%"),
    "rwnd_max": ("Largest receive window", _BYTES),
    "rwnd_limited": ("Limited by the receive window", "%"),
    "flow_wait_mean_ms": ("Mean wait in the queue", _MS),
    "jain": ("Jain's index", ""),
    "queue_max": ("Longest queue", _PACKETS),
    "queue_wait_mean_ms": ("Mean queueing delay", _MS),
    "queue_wait_p99_ms": ("99 % of queueing delays below", _MS),
    "queue_drops": ("Dropped by queues", _PACKETS),
    "marks": ("Marked by queues", _PACKETS),
    "crc_errors": ("CRC errors", "frames"),
    "frame_loss": ("Frames lost", "%"),
    "ring_drops": ("Dropped by RX rings", "frames"),
    "ip_checksum_errors": ("IP checksum errors", _PACKETS),
    "tcp_checksum_errors": ("TCP checksum errors", _SEGMENTS),
    "undone": ("Reactions undone", ""),
    "spurious": ("Spurious retransmissions", _SEGMENTS),
    "loss_events": ("Loss events", ""),
    "reordered": ("Reordered", "%"),
    "causes": ("Losses by cause", ""),
    "found_by": ("Losses found by", ""),
}
_HEADED = ("goodput", *PerProtocol.units, "retransmits", "duration")
SHORT: dict[str, str] = {
    name: "share" if SHOWN[name][1] == "%" else SHOWN[name][1] for name in _HEADED
} | dict.fromkeys(PerSecond.units, _MBIT)
"""The unit in the heading of a sweep's column, which has shares as they are."""
