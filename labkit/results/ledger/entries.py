"""The ledger as a table: each lost packet with its cause, how the loss was found and when it was mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode.columns import Units, categorical
from labkit.decode.headers import SACK_BLOCKS
from labkit.decode.raw import Ints
from labkit.results.ledger.accounts import Accounts
from labkit.results.ledger.causes import BURST_LOSS, WIRE_LOSS
from labkit.results.ledger.recovery import FOUND_BY, Recovery, RecoveryOutcome, Side
from labkit.results.tables import Tables

UNITS: dict[str, str] = {
    "sent_s": "s since the start of the run: when it was handed to the device",
    "lost_s": "s: when the kernel freed it",
    "flow": "name of the flow; missing: of none",
    "way": "data: from the flow's sender; ack: back to it",
    "seq": "first sequence number, counted from the SYN; of a pure ACK its acknowledgement number",
    "end_seq": "the one behind the last",
    "payload": "bytes of data",
    "transmission": "1: sent for the first time, 2: its first retransmission, and so on",
    "host": "where it was lost: on the way from this host ...",
    "peer": "... to this one; empty: inside the host",
    "cause": "wire loss, burst loss, named loss, queue full, early drop, corrupted and others: ledger.causes",
    "reason": "the kernel's drop reason",
    "burst": "number of the run of losses in a row on one wire, inferred; 0: alone, or lost elsewhere",
    "found_by": "how the sender found the loss, inferred: see labkit.results.ledger.recovery",
    "retransmitted_s": "s: when its data was sent again; NaN: never",
    "recovered_s": "s: when the sender knew that its data had arrived; NaN: never",
    "cwnd_before": "segments: window of the sender just before it found the loss",
    "cwnd_after": "segments: window when the sender was back in state Open",
}


def ledger(result: Tables) -> pd.DataFrame:
    """One row per packet that left a host and did not arrive, in the order in which they were sent.

    Columns: UNITS. Runs the experiment again if it was not captured at both ends of its flows. Raises
    LedgerError if the run does not add up (packets that nothing explains), ProbeMissingError,
    ReplayError.
    """
    accounts = Accounts(result)
    accounts.balance()
    packets = accounts.packets
    transmission = transmissions(packets)
    lost = np.flatnonzero((packets["fate"] == "lost").to_numpy())
    rows, drop = packets.iloc[lost], packets["drop"].to_numpy()[lost]
    mended = _mended(accounts, packets, lost, transmission)
    retransmitted = _seconds(np.array([m.retransmitted_ns if m else -1 for m in mended], np.int64))
    recovered = _seconds(np.array([m.recovered_ns if m else -1 for m in mended], np.int64))
    before, after = _windows(accounts, rows, retransmitted)
    ends = _end_seq(packets).to_numpy()[lost]
    pure = ends == rows["seq"].to_numpy()
    places = accounts.places.iloc[drop]
    columns: dict[str, Any] = {
        "sent_s": rows["time_s"].to_numpy(),
        "lost_s": _seconds(accounts.drops.frames.at_ns[drop]),
        "flow": rows["flow"].array,
        "way": rows["way"].array,
        "seq": np.where(pure, rows["ack"], rows["seq"]),
        "end_seq": np.where(pure, rows["ack"], ends),
        "payload": rows["payload"].to_numpy(),
        "transmission": transmission[lost],
        "host": places["host"].astype("category").array,
        "peer": places["peer"].astype("category").array,
        "cause": places["cause"].astype("category").array,
        "reason": accounts.drops.reason[drop],
        "burst": _bursts(accounts, packets, lost),
        "found_by": categorical([FOUND_BY.index(m.found_by) if m else -1 for m in mended], FOUND_BY),
        "retransmitted_s": retransmitted,
        "recovered_s": recovered,
        "cwnd_before": before,
        "cwnd_after": after,
    }
    table = pd.DataFrame(columns)
    table.attrs["units"] = Units(UNITS)
    return table


def _seconds(ns: Ints) -> npt.NDArray[np.float64]:
    return np.where(ns < 0, np.nan, ns / 1e9)


def _end_seq(packets: pd.DataFrame) -> pd.Series[int]:
    """SYN and FIN take a sequence number each (RFC 9293, section 3.4)."""
    flags = packets["flags"].astype("str")
    takes = flags.str.contains("S").astype("int64") + flags.str.contains("F").astype("int64")
    return packets["seq"] + packets["payload"] + takes.where(packets["protocol"] == "tcp", 0)


def transmissions(packets: pd.DataFrame) -> Ints:
    """How many times the first byte of each packet has been sent, this time included; 1 without data."""
    end = _end_seq(packets)
    some = (end > packets["seq"]).to_numpy() & (packets["protocol"] == "tcp").to_numpy()
    data = packets[some]
    count = np.ones(len(packets), np.int64)
    count[some] = (
        data.groupby(["src", "dst", "sport", "dport", "seq"], observed=True).cumcount().to_numpy() + 1
    )
    return count


def _mended(
    accounts: Accounts, packets: pd.DataFrame, lost: Ints, transmission: Ints
) -> list[RecoveryOutcome | None]:
    """For each lost packet; None for those of protocols that mend nothing."""
    found: list[RecoveryOutcome | None] = [None] * len(lost)
    place = {int(i): n for n, i in enumerate(lost)}
    for mine, back in _directions(packets, lost):
        recovery = Recovery(_side(accounts, mine, back))
        arrived = mine[mine["arrived_ns"] >= 0].sort_values("arrived_ns", kind="stable")
        arrivals = arrived["arrived_ns"].to_numpy(), np.maximum.accumulate(arrived["ack"].to_numpy())
        acks = mine["ack"].to_numpy()
        for n, i in enumerate(mine.index.tolist()):
            if i not in place:
                continue
            if recovery.end[n] > recovery.seq[n]:
                found[place[i]] = recovery.data(n, int(transmission[i]))
            else:
                found[place[i]] = recovery.pure_ack(int(recovery.sent_ns[n]), int(acks[n]), arrivals)
    return found


def _directions(packets: pd.DataFrame, lost: Ints) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Each direction of a TCP connection that lost something, with the direction back."""
    tcp = packets[packets["protocol"] == "tcp"]
    keys = ["src", "sport", "dst", "dport"]
    groups = {key: tcp.loc[index] for key, index in tcp.groupby(keys, observed=True).groups.items()}
    hit = packets.iloc[lost]
    wanted = hit[hit["protocol"] == "tcp"].groupby(keys, observed=True).groups
    for key in wanted:
        src, sport, dst, dport = cast("tuple[str, int, str, int]", key)
        yield groups[key], groups.get((dst, dport, src, sport), tcp.iloc[:0])


def _side(accounts: Accounts, mine: pd.DataFrame, back: pd.DataFrame) -> Side:
    sent = pd.DataFrame({"time_ns": mine["sent_ns"], "seq": mine["seq"], "end_seq": _end_seq(mine)})
    sent["syn"] = mine["flags"].astype("str").str.contains("S")
    acks = back[(back["arrived_ns"] >= 0) & (back["ack"] > 0)].sort_values("arrived_ns", kind="stable")
    left, right = (
        acks[[f"sack{i}_{edge}" for i in range(1, SACK_BLOCKS + 1)]].to_numpy() for edge in ("left", "right")
    )
    arrivals = pd.DataFrame({"time_ns": acks["arrived_ns"], "ack": acks["ack"]})
    states = accounts.result.cong_states
    states = states[(states["flow"] == _socket(mine)) & (states["side"] == _socket_side(mine))]
    begun: Ints = (states["time_s"] * 1e9).round().to_numpy().astype(np.int64)
    return Side(sent, arrivals, left, right, begun, states["state"].astype("str").to_numpy(dtype=str))


def _socket(mine: pd.DataFrame) -> str:
    """The name that the trace's tables have for the socket that sent these packets."""
    first = mine.iloc[0]
    if isinstance(first["flow"], str):
        return first["flow"]
    return f"{first['src']}:{first['sport']}>{first['dst']}:{first['dport']}"


def _socket_side(mine: pd.DataFrame) -> str:
    way = mine["way"].iloc[0]
    return {"data": "sender", "ack": "receiver"}.get(way, "unknown") if isinstance(way, str) else "unknown"


Windows = npt.NDArray[np.float64]


def _windows(accounts: Accounts, rows: pd.DataFrame, found_s: Windows) -> tuple[Windows, Windows]:
    """cwnd of the sender just before each loss was found, and when it was back in state Open after it."""
    before, after = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    mine = ((rows["way"] == "data") & (rows["protocol"] == "tcp")).to_numpy() & ~np.isnan(found_s)
    for flow in rows["flow"][mine].unique():
        which = np.flatnonzero(mine & (rows["flow"] == flow).to_numpy())
        probe = accounts.result.tcp_probe
        probe = probe[(probe["flow"] == flow) & (probe["side"] == "sender")]
        times, cwnd = probe["time_s"].to_numpy(), np.append(probe["snd_cwnd"].to_numpy(float), np.nan)
        states = accounts.result.cong_states
        states = states[(states["flow"] == flow) & (states["side"] == "sender") & (states["state"] == "Open")]
        opened = np.append(states["time_s"].to_numpy(), np.inf)
        last = np.searchsorted(times, found_s[which], "right") - 1
        before[which] = np.where(last >= 0, cwnd[last], np.nan)
        calm = opened[np.searchsorted(opened, found_s[which], "right").clip(max=len(opened) - 1)]
        after[which] = cwnd[np.searchsorted(times, calm, "right")]
    return before, after


def _bursts(accounts: Accounts, packets: pd.DataFrame, lost: Ints) -> Ints:
    """Runs of losses in a row among the packets that came to one wire, in the order of their sending."""
    burst = np.zeros(len(packets), np.int64)
    places = accounts.places.iloc[packets["drop"].to_numpy()[lost]]
    died: dict[tuple[str, str], list[int]] = {}
    rows = zip(lost.tolist(), places["host"], places["peer"], places["cause"], strict=True)
    for i, host, peer, cause in rows:
        if cause in (WIRE_LOSS, BURST_LOSS):
            died.setdefault((host, peer), []).append(i)
    number = 0
    for wire, dead in died.items():
        passed = np.flatnonzero(_passed(accounts, packets, wire))
        came = np.sort(np.concatenate([passed, np.array(dead, np.int64)]))
        gone = np.isin(came, dead)
        run = np.cumsum(np.concatenate(([True], gone[1:] != gone[:-1])))
        length = np.bincount(run)
        for label in np.unique(run[gone & (length[run] > 1)]):
            number += 1
            burst[came[run == label]] = number
    return burst[lost]


def _passed(accounts: Accounts, packets: pd.DataFrame, wire: tuple[str, str]) -> npt.NDArray[np.bool_]:
    """Which delivered packets had this wire on their way."""
    pairs = packets[["src", "dst"]].drop_duplicates().itertuples(index=False)
    over = [(src, dst) for src, dst in pairs if wire in accounts.causes.network.path(src, dst)]
    hit = np.zeros(len(packets), bool)
    for src, dst in over:
        hit |= ((packets["src"] == src) & (packets["dst"] == dst)).to_numpy()
    return hit & (packets["fate"] == "delivered").to_numpy()
