"""What a TCP sender knew when a film begins, and its window from there on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from labkit.decode.headers import SACK_BLOCKS
from labkit.decode.raw import Ints
from labkit.player.journeys import NS_PER_US, Journeys
from labkit.player.packing import differences, numbers, texts

Json = dict[str, Any]
_UNSET = 1 << 30  # ssthresh before the first loss


def sending(found: Journeys) -> list[str]:
    """The TCP flows of the run whose data are on one connection: several have no common window."""
    flows = [flow["name"] for flow in found.result.layout("flows") if flow["protocol"] == "tcp"]
    return [flow for flow in flows if len(_connections(found, flow)) == 1]


def _way(found: Journeys, flow: str) -> str:
    """On which way most of the flow's payload goes: a web page's answers come back to who began it."""
    by = found.table[found.table["flow"] == flow].groupby("way", observed=True)["payload"].sum()
    return "ack" if by.get("ack", 0) > by.get("data", 0) else "data"


def _back(way: str) -> str:
    return "data" if way == "ack" else "ack"


def _connections(found: Journeys, flow: str) -> pd.DataFrame:
    """Addresses and ports of those that send most of the flow's payload, and of those to whom."""
    table = found.table
    data = table[(table["flow"] == flow) & (table["way"] == _way(found, flow)) & (table["payload"] > 0)]
    return data[["src", "sport", "dst", "dport"]].drop_duplicates()


def _events(found: Journeys, table: pd.DataFrame, flow: str) -> pd.DataFrame:
    """What the kernel's trace has of a flow's sender. A server's connections are named by their addresses, as
    "10.0.0.1:80>10.0.0.2:40000" or, where the kernel tells no ports, "10.0.0.1>10.0.0.2"."""
    ((src, sport, dst, dport),) = _connections(found, flow).itertuples(index=False)
    name, hosts = f"{src}:{sport}>{dst}:{dport}", f"{src}>{dst}"
    others = found.table[(found.table["src"] == src) & (found.table["dst"] == dst)]
    alone = len(others[["sport", "dport"]].drop_duplicates()) == 1
    mine = (table["flow"] == flow) & (table["side"] == "sender")
    rows: pd.DataFrame = table[mine | table["flow"].isin([name, *([hosts] if alone else [])])]
    return rows


def outstanding(found: Journeys, flow: str, at_ns: int) -> Ints:
    """The packets of data that the flow's sender had sent and nobody had acknowledged at a time."""
    una = _acknowledged(found, flow, at_ns)
    table = found.table
    mine = (table["flow"] == flow) & (table["way"] == _way(found, flow)) & (table["payload"] > 0)
    mine &= (table["seq"] + table["payload"] > una).to_numpy() & (found.left_ns < at_ns)
    rows: Ints = np.flatnonzero(mine.to_numpy())
    return rows


def sender(found: Journeys, flow: str, begin_ns: int, end_ns: int) -> Json:
    """una: the first byte not acknowledged at begin_ns, sacked: the ranges beyond it that were. cwnd,
    ssthresh (segments; null: not set yet) and state: at the times in µs at which they changed, the last one
    before begin_ns first. way, where it is "ack": of what goes back to who began the connection."""
    probe = _events(found, found.result.tcp_probe, flow)
    ssthresh = [None if value >= _UNSET else int(value) for value in probe["ssthresh"].tolist()]
    states = _events(found, found.result.cong_states, flow)
    times = _us(probe["time_s"])
    return {
        "flow": flow,
        **({"way": "ack"} if _way(found, flow) == "ack" else {}),
        "una": _acknowledged(found, flow, begin_ns),
        "sacked": _sacked(found, flow, begin_ns),
        "cwnd": _changes(times, probe["snd_cwnd"].tolist(), begin_ns, end_ns, numbers),
        "ssthresh": _changes(times, ssthresh, begin_ns, end_ns, numbers),
        "state": _changes(
            _us(states["time_s"]), states["state"].astype(str).tolist(), begin_ns, end_ns, texts
        ),
    }


def _us(column: pd.Series[float]) -> list[int]:
    return [int(value) for value in (column.to_numpy() * 1e6).round()]


def _changes(times: list[int], values: list[Any], begin_ns: int, end_ns: int, pack: Any) -> Json:
    """Only where it becomes another one: {count, at, value}."""
    kept: list[tuple[int, Any]] = []
    before: list[tuple[int, Any]] = []
    for at, value in zip(times, values, strict=True):
        if at > end_ns // NS_PER_US:
            break
        if at < begin_ns // NS_PER_US:
            before = [(at, value)]
        elif not (kept or before) or (kept or before)[-1][1] != value:
            kept.append((at, value))
    kept = before + kept
    return {
        "count": len(kept),
        "at": differences([at for at, _ in kept]),
        "value": pack([value for _, value in kept]),
    }


def _arrived(found: Journeys, flow: str, until_ns: int) -> pd.DataFrame:
    """The flow's packets back to its sender that had come in there before a time."""
    table = found.accounts.packets
    back = (table["flow"] == flow) & (table["way"] == _back(_way(found, flow))) & (table["arrived_ns"] >= 0)
    rows: pd.DataFrame = table[back & (table["arrived_ns"] < until_ns)]
    return rows


def _acknowledged(found: Journeys, flow: str, at_ns: int) -> int:
    rows = _arrived(found, flow, at_ns)
    return int(rows["ack"].max()) if len(rows) else 0


def _sacked(found: Journeys, flow: str, at_ns: int) -> list[list[int]]:
    """Ranges beyond the acknowledged byte, in order, none touching another."""
    rows, una = _arrived(found, flow, at_ns), _acknowledged(found, flow, at_ns)
    blocks: set[tuple[int, int]] = set()
    for i in range(1, SACK_BLOCKS + 1):
        block = rows[[f"sack{i}_left", f"sack{i}_right"]].drop_duplicates()
        blocks |= {(int(a), int(b)) for a, b in block.itertuples(index=False) if b > una and a >= 0}
    joined: list[list[int]] = []
    for left, right in sorted(blocks):
        if joined and left <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], right)
        else:
            joined.append([left, right])
    return joined
