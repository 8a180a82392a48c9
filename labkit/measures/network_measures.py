"""What a network did to packets, in one row for the whole run: its queues, its ports, its ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from labkit.charts.figure import EmptyFigureError
from labkit.charts.queue_length import fullest, length_of, wait_of
from labkit.charts.rates import jain
from labkit.measures.named_measure import NamedMeasure
from labkit.measures.per_flow import acked_since

if TYPE_CHECKING:
    import pandas as pd

    from labkit.results.result import Result

UNITS: dict[str, str] = {
    "jain": "Jain's index of the TCP flows' goodput: 1 if all have the same, 1/n if one of n has everything",
    "queue_max": "packets: the most that waited in the queue that held most",
    "queue_wait_mean_ms": "ms that packets waited there; of a sampled backlog, it over the link's rate",
    "queue_wait_p99_ms": "ms: the wait that 99 % of them stay below",
    "queue_drops": "packets that queues dropped, full or to warn",
    "marks": "packets that queues marked (ECN)",
    "crc_errors": "frames that failed the check of the port they came to",
    "frame_loss": "share of the frames sent where the first flow begins that failed it where it ends",
    "ring_drops": "frames for which a port's ring had no room",
    "ip_checksum_errors": "packets with a damaged IP header",
    "tcp_checksum_errors": "segments whose checksum was wrong",
    "undone": "recoveries and timeouts that the sender took back as spurious",
    "spurious": "retransmissions of which DSACKs say that they were spurious",
    "loss_events": "losses on links; those within a smallest RTT of the first are one event (RFC 5348)",
    "reordered": "share of the packets captured where the first flow ends that a later one had overtaken "
    "(RFC 4737)",
    "causes": "of what packets died, by the ledger: a text",
    "found_by": "how the sender found its losses, by the ledger: a text",
}
TEXTS = frozenset({"causes", "found_by"})
_UNDO = tuple(f"TcpExtTCP{way}Undo" for way in ("Full", "Partial", "DSACK", "Loss"))
_PROBES = {
    "jain": {"tcp_info"},
    "queue_max": {"backlog"},
    "queue_wait_mean_ms": {"backlog"},
    "queue_wait_p99_ms": {"backlog"},
    "queue_drops": {"drops"},
    "marks": {"backlog"},
    "loss_events": {"drops", "tcp_info"},
    "reordered": {"capture"},
    "causes": {"ledger"},
    "found_by": {"ledger"},
}


class Network(NamedMeasure):
    """One row; what a run has nothing of is missing. Waits and losses since a time: of what came then."""

    units, keys = UNITS, ()
    heeds = frozenset({"jain", "queue_max", "queue_wait_mean_ms", "queue_wait_p99_ms", "causes", "found_by"})
    probes: ClassVar[Mapping[str, frozenset[str]]] = {name: frozenset(some) for name, some in _PROBES.items()}

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        return [{name: FIGURES[name](result, self.since) for name in self.names}]


def _queued(read: Callable[..., pd.DataFrame], column: str) -> Callable[[Result, float], Any]:
    """A column of what is read of the fullest queue, from then on; none if no packet reached one."""

    def values(result: Result, since: float) -> Any:
        try:
            table = read(result, fullest(result))
        except EmptyFigureError:
            return np.array([])
        return table.loc[table["time_s"] >= since, column].to_numpy(float)

    return values


_waits, _lengths = _queued(wait_of, "ms"), _queued(length_of, "packets")


def _of(values: Any, figure: Callable[[Any], Any]) -> float | None:
    return float(figure(values)) if len(values) else None


def _jain(result: Result, since: float) -> float | None:
    rates = acked_since(result, since).dropna()
    return jain(rates.to_numpy(float)) if len(rates) else None


def _counted(*names: str) -> Callable[[Result, float], int]:
    """By how much counters have moved, of all hosts."""

    def count(result: Result, _: float) -> int:
        table = result.counters
        return int(table.loc[table["name"].isin(names), "delta"].sum())

    return count


def _of_ports(result: Result, name: str, host: str | None = None) -> int:
    """By how much a counter of hosts' own ports has moved, of all or of one."""
    table = result.interfaces
    mine = (table["role"] == "host") & (table["name"] == name)
    return int(table.loc[mine if host is None else mine & (table["host"] == host), "delta"].sum())


def _frame_loss(result: Result, _: float) -> float | None:
    flow = result.layout("flows")[0]
    sent = _of_ports(result, "tx_packets", flow["src"])
    return _of_ports(result, "rx_crc_errors", flow["dst"]) / sent if sent else None


def _marks(result: Result, _: float) -> int:
    table = result.backlog
    return int(table.groupby(["host", "peer"], observed=True)["marks"].max().sum())


def _loss_events(result: Result, _: float) -> int | None:
    info = result.tcp_info
    trips = info.loc[info["side"] == "sender", "min_rtt"]
    if trips.empty:
        return None
    drops = result.drops
    begun, events = -np.inf, 0
    for time in np.sort(drops.loc[drops["place"] == "wire", "time_s"].to_numpy(float)):
        if time > begun + float(trips.min()) / 1e6:
            begun, events = time, events + 1
    return events


def _reordered(result: Result, _: float) -> float | None:
    end = result.layout("flows")[0]["dst"]
    table = result.packet_table(end)
    ids = table.loc[table["direction"] == "in", "ip_id"].to_numpy("int64")
    if not len(ids):
        return None
    order = np.unwrap(ids.astype(float), period=65536)  # identifications count up, and begin anew
    return float((order < np.maximum.accumulate(order)).mean())


def _ledger(column: str) -> Callable[[Result, float], str]:
    """ "12 dupacks, 3 timeout": how often each stands in it, the most frequent first."""

    def text(result: Result, since: float) -> str:
        table = result.ledger()
        seen = table.loc[table["sent_s"] >= since, column].dropna().astype("str")
        found = sorted(seen.value_counts().items(), key=lambda pair: (-pair[1], pair[0]))
        return ", ".join(f"{count} {word}" for word, count in found) or "none"

    return text


FIGURES: dict[str, Callable[[Result, float], Any]] = {
    "jain": _jain,
    "queue_max": lambda result, since: _of(_lengths(result, since), np.max),
    "queue_wait_mean_ms": lambda result, since: _of(_waits(result, since), np.mean),
    "queue_wait_p99_ms": lambda result, since: _of(_waits(result, since), lambda x: np.quantile(x, 0.99)),
    "queue_drops": lambda result, _: int((result.drops["place"] == "queue").sum()),
    "marks": _marks,
    "crc_errors": lambda result, _: _of_ports(result, "rx_crc_errors"),
    "frame_loss": _frame_loss,
    "ring_drops": lambda result, _: _of_ports(result, "rx_missed_errors"),
    "ip_checksum_errors": _counted("IpInHdrErrors"),
    "tcp_checksum_errors": _counted("TcpInCsumErrors"),
    "undone": _counted(*_UNDO),
    "spurious": _counted("TcpExtTCPDSACKRecv"),
    "loss_events": _loss_events,
    "reordered": _reordered,
    "causes": _ledger("cause"),
    "found_by": _ledger("found_by"),
}
"""How each figure is made; the keys are those of UNITS."""
