"""What came of each flow, of all flows of a protocol together, and of each second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from labkit.measures.named_measure import NamedMeasure
from labkit.results.acknowledged import acked_of, connections

if TYPE_CHECKING:
    from labkit.results.result import Result

UNITS: dict[str, str] = {
    "goodput": "Mbit/s of payload",
    "share": "share of the goodput of all TCP flows",
    "retransmits": "segments",
    "duration": "s from the flow's start to the arrival of its last byte; missing if it is not complete",
    "complete": "1: it came to its own end; 0: it was cut",
    "sent_bytes": "bytes of payload",
    "received_bytes": "bytes of payload",
    "sent_packets": "datagrams (UDP)",
    "received_packets": "datagrams (UDP)",
    "established_s": "s since the start of the run",
    "first_byte_s": "s since the start of the run",
    "last_byte_s": "s since the start of the run",
    "end_s": "s since the start of the run",
}
TOGETHER: dict[str, str] = {
    "goodput_sum": "Mbit/s of payload of all flows",
    "goodput_min": "Mbit/s of payload of the slowest flow",
    "goodput_max": "Mbit/s of payload of the fastest flow",
    "retransmits_sum": "segments of all flows; missing for UDP",
    "datagrams_lost": "share of those sent that never came (of pings: that nobody answered), those under way "
    "at a cut too; missing for TCP",
}
SECONDLY: dict[str, str] = {"goodput_in_second": "Mbit/s of payload acknowledged within that second"}


class PerFlow(NamedMeasure):
    """One row per flow with these figures; of a share, or since a time, one per TCP connection."""

    units, keys = UNITS, ("flow",)
    heeds = frozenset({"goodput", "share"})
    probes: ClassVar[Mapping[str, frozenset[str]]] = {"share": frozenset({"tcp_info"})}

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        table = result.flows.copy()
        table["goodput"] = result.goodput()
        table["duration"] = (table["last_byte_s"] - table["start_s"]).where(table["complete"])
        table["complete"] = table["complete"].astype("int64")
        if self.since or "share" in self.names:
            rates = acked_since(result, self.since)
            table = table.loc[rates.index]
            table["goodput"] = rates if self.since else table["goodput"]
            table["share"] = rates / rates.sum()
        return table[list(self.names)].reset_index().to_dict("records")  # type: ignore[return-value]


def acked_since(result: Result, since: float) -> pd.Series[float]:
    """Mbit/s of payload that each TCP sender saw acknowledged from then on, within the time that it was
    given, by TCP_INFO; NaN for one that had no time left."""
    found: dict[str, float] = {}
    for flow, mine in acked_of(result).groupby("flow", sort=False):
        time, acked = mine["time_s"].to_numpy(float), mine["bytes"].to_numpy(float)
        begun = max(since, time[0])
        took = time[-1] - begun
        found[str(flow)] = 8e-6 * (acked[-1] - np.interp(begun, time, acked)) / took if took > 0 else np.nan
    order = [str(name) for name in result.flows.index if str(name) in found]
    return pd.Series([found[name] for name in order], index=order, dtype="float64", name="goodput")


class PerProtocol(NamedMeasure):
    """One row for all TCP flows together, one for all UDP flows, one for all pings."""

    units, keys = TOGETHER, ("protocol",)

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        flows = result.flows.assign(goodput=result.goodput())
        rows = []
        for protocol, part in flows.groupby("protocol", sort=False):
            sent, tcp = part["sent_packets"].sum(), protocol == "tcp"
            lost = 1 - part["received_packets"].sum() / sent if sent and not tcp else None
            figures = {f"goodput_{what}": part["goodput"].agg(what) for what in ("sum", "min", "max")}
            figures |= {"retransmits_sum": part["retransmits"].sum() if tcp else None, "datagrams_lost": lost}
            rows.append({"protocol": protocol, **{name: figures[name] for name in self.names}})
        return rows


class PerSecond(NamedMeasure):
    """One row per TCP flow and whole second of the time that it was given (`Traffic.until`), by TCP_INFO
    about the second's two ends: 0 while it stalls, after it has died, and if it was never there. A background
    has none: its transfers have no TCP_INFO."""

    units, keys = SECONDLY, ("flow", "second")

    def __call__(self, result: Result) -> list[dict[str, Any]]:
        info = result.tcp_info[result.tcp_info["side"] == "sender"]
        starts = result.flows.loc[connections(result), "start_s"]
        given = (result.given_until() - starts).dropna()
        rows = []
        for flow, lasted in zip(given.index.astype("str"), given.to_list(), strict=True):
            part = info[info["flow"] == flow]
            time = [0.0, *(part["time_s"] - starts[flow])]
            acked = [0.0, *part["bytes_acked"].astype("float64")]
            at_ends = np.interp(np.arange(int(lasted + 1e-9) + 1), time, acked)
            for second, rate in enumerate(np.diff(at_ends) * 8e-6, 1):
                rows.append({"flow": flow, "second": str(second), self.names[0]: rate})
        return rows
