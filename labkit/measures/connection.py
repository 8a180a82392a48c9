"""How each TCP connection of a run fared, by its sender's TCP_INFO."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from labkit.measures.named_measure import NamedMeasure

if TYPE_CHECKING:
    import pandas as pd

    from labkit.results.result import Result

UNITS: dict[str, str] = {
    "rtt_max_ms": "ms: the longest smoothed RTT of a sample",
    "pause_max_s": "s: the longest time without an acknowledgement of new data, until the time was over",
    "retransmitted_share": "share of the packets of data sent that were retransmissions",
    "rwnd_max": "bytes: the largest receive window",
    "rwnd_limited": "share of the time with data to send in which the receive window was the limit",
}


class Connection(NamedMeasure):
    """One row per TCP connection with a sample of TCP_INFO (of several, since a time)."""

    units, keys = UNITS, ("flow",)
    heeds = frozenset({"rtt_max_ms", "retransmitted_share"})
    probes: ClassVar[Mapping[str, frozenset[str]]] = dict.fromkeys(UNITS, frozenset({"tcp_info"}))

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        info = result.tcp_info
        mine = info[(info["side"] == "sender") & (info["time_s"] >= self.since)]
        until = result.given_until()
        rows = []
        for flow, samples in mine.groupby("flow", observed=True, sort=False):
            figures = _figures(samples, float(until[flow]), since=self.since)
            rows.append({"flow": str(flow)} | {name: figures[name] for name in self.names})
        order = [str(name) for name in result.flows.index]
        return sorted(rows, key=lambda row: order.index(row["flow"]))


def _figures(samples: pd.DataFrame, until_s: float, *, since: float) -> dict[str, float | None]:
    first, last = samples.iloc[0], samples.iloc[-1]
    before = (0, 0) if not since else (int(first["total_retrans"]), int(first["data_segs_out"]))
    again, sent = int(last["total_retrans"]) - before[0], int(last["data_segs_out"]) - before[1]
    time, acked = samples["time_s"].to_numpy(float), samples["bytes_acked"].to_numpy(float)
    moved = [*time[np.diff(acked, prepend=-1.0) > 0], until_s]
    busy = float(last["busy_time"])
    return {
        "rtt_max_ms": float(samples["rtt"].max()) / 1000,
        "pause_max_s": float(np.diff(moved).max()) if len(moved) > 1 else None,
        "retransmitted_share": again / sent if sent else None,
        "rwnd_max": float(samples["snd_wnd"].max()),
        "rwnd_limited": float(last["rwnd_limited"]) / busy if busy else None,
    }
