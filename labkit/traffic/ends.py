"""How flows ended, of whatever kind: the tables `flows` and `goodput`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.columns import errno_name
from labkit.decode.raw import Raw
from labkit.program.structs import FLOW_OUT, Kind

UNITS: dict[str, str] = {
    "flow": "name of the flow",
    "src": "host that sends",
    "dst": "host that receives",
    "protocol": "tcp, udp or icmp (pings)",
    "cc": "congestion control",
    "sent_bytes": "bytes of payload handed to the sender's kernel",
    "received_bytes": "bytes of payload read by the receiver",
    "sent_packets": "datagrams (UDP), echo requests (ICMP), packets taken in (tunnels); 0 for TCP",
    "received_packets": "datagrams (UDP), answers (ICMP), packets given out (tunnels); 0 for TCP",
    "start_s": "s since the start of the run: when it should begin",
    "established_s": "s: when the connection was there",
    "first_byte_s": "s: arrival of the first segment with data",
    "last_byte_s": "s: arrival of the last one",
    "end_s": "s: when the last byte was acknowledged (or a little later, see FORMAT.md), or it was cut",
    "complete": "it came to its own end: all of its size or, without one, its whole duration",
    "error": "errno's name, ETIME: cut by its duration or the end of the run; empty if complete",
    "retransmits": "segments retransmitted (total_retrans of the last TCP_INFO); <NA> for others than TCP",
}

_NONE = np.zeros(1, FLOW_OUT.dtype)
for _name in ("established_ns", "first_ns", "last_ns", "end_ns"):
    _NONE[_name] = -1


def flows(raw: Raw, layout: Sequence[Mapping[str, Any]], retransmits: Mapping[int, int]) -> pd.DataFrame:
    """One row per flow of the layout, by name; a flow that never ended has no times and is not complete.

    retransmits: flow id -> segments. Raises RawFormatError.
    """
    rows = raw.heads(raw.records(Kind.FLOW))
    by_id = {int(row["id"]): row for row in rows}
    names = ("src", "dst", "protocol", "cc")
    table = pd.DataFrame(
        [{"flow": flow["name"], **{name: flow.get(name) or "" for name in names}} for flow in layout],
        columns=["flow", *names],
    ).astype("str")
    ends = np.array([by_id.get(flow["id"], _NONE[0]) for flow in layout], FLOW_OUT.dtype)
    for name in ("sent", "received"):
        table[f"{name}_bytes"] = ends[name].astype(np.int64)
    for name in ("sent_packets", "received_packets"):
        table[name] = ends[name].astype(np.int64)
    table["start_s"] = [float(flow.get("start_s", 0.0)) for flow in layout]
    for name, field in (("established", "established"), ("first_byte", "first"), ("last_byte", "last")):
        table[f"{name}_s"] = _seconds(ends[f"{field}_ns"])
    table["end_s"] = _seconds(ends["end_ns"])
    table["complete"] = [flow["id"] in by_id and int(by_id[flow["id"]]["error"]) == 0 for flow in layout]
    table["error"] = pd.array([errno_name(int(e)) for e in ends["error"]], "str")
    table["retransmits"] = pd.array([retransmits.get(flow["id"], pd.NA) for flow in layout], "Int64")
    return table.set_index("flow")


def goodput(table: pd.DataFrame, until_s: pd.Series[float]) -> pd.Series[float]:
    """Mbit/s of payload per row of `flows`: what the receiver read, over the time that the flow was given.

    The time runs from the flow's start, when somebody wanted the data, so that a connection which is late,
    or never there, is charged for it. until_s: when it was over (s), per row, as `Traffic.until` says: at the
    end of a flow's duration, however early its last byte came; at its last byte if all of its size arrived;
    else when the flow was given up. A mean over flows that were cut is a mean over different times: look at
    `complete` in `flows`. 0.0 for a flow of which nothing arrived; NaN for one that took no time (a network
    without delay), and for one of which a cut run said nothing.
    """
    time = until_s.to_numpy() - table["start_s"].to_numpy("float64")
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = 8e-6 * table["received_bytes"].to_numpy() / time
    rate = np.where((time > 0) & table["end_s"].notna().to_numpy(), rate, np.nan)
    return pd.Series(rate, table.index, dtype="float64", name="goodput")


def _seconds(ns: Any) -> Any:
    return np.where(ns < 0, np.nan, ns / 1e9)
