"""Made-up tables of a Result's columns whose numbers are known. The run that has them is in tests/ran.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

MSS = 1448


def sawtooth(flows: list[str], rows: int) -> pd.DataFrame:
    """cwnd from 10 up by one per ACK to 59 and again; one row each 10 s / rows; RTT follows."""
    parts = []
    for number, flow in enumerate(flows):
        i = np.arange(rows)
        cwnd = 10 + (i + 7 * number) % 50
        table = pd.DataFrame({"time_s": 10 * (i + 1) / rows, "flow": flow, "side": "sender"})
        parts.append(
            table.assign(snd_cwnd=cwnd.astype("uint32"), srtt_us=(20_000 + 1000 * cwnd).astype("uint32"))
        )
    return _categories(pd.concat(parts, ignore_index=True))


def samples(flows: list[str], rows: int) -> pd.DataFrame:
    """TCP_INFO each 0.1 s of ten seconds: flow k gets k + 1 Mbit/s; one fast recovery at 5 s."""
    parts = []
    for number, flow in enumerate(flows):
        i = np.arange(1, 101)
        table = pd.DataFrame({"time_s": i / 10, "flow": flow, "side": "sender"})
        parts.append(
            table.assign(
                snd_cwnd=10 + i % 50,
                snd_ssthresh=np.where(i < 50, 2**31 - 1, 30),
                bytes_acked=1 + 12_500 * (number + 1) * i,
                ca_state=np.where(i == 50, 3, 0),
                total_retrans=np.where(i < 50, 0, 2),
                rtt=20_000 + 1000 * i,
            )
        )
    return _categories(pd.concat(parts, ignore_index=True))


def states(flows: list[str], rows: int) -> pd.DataFrame:
    """Two fast recoveries and a timeout of each flow."""
    one = [
        (2.0, "Recovery"),
        (2.5, "Open"),
        (4.0, "Disorder"),
        (4.1, "Recovery"),
        (4.5, "Open"),
        (7.0, "Loss"),
    ]
    rows_ = [(time, flow, "sender", state) for flow in flows for time, state in one]
    return _categories(pd.DataFrame(rows_, columns=["time_s", "flow", "side", "state"]))


def retransmissions(flows: list[str], rows: int) -> pd.DataFrame:
    """Three segments sent again by each flow."""
    rows_ = [(time, flow, "sender") for flow in flows for time in (2.0, 4.1, 7.0)]
    return _categories(pd.DataFrame(rows_, columns=["time_s", "flow", "side"]))


def queue(flows: list[str], rows: int) -> pd.DataFrame:
    """From r1 to r2: bursts of ten packets, each finding one more than the one before; gone 1 ms apart."""
    i = np.arange(rows)
    came, ahead = (i // 10) * 0.1, i % 10
    table = pd.DataFrame({"enqueued_s": came, "host": "r1", "peer": "r2", "length": 1514, "packets": ahead})
    table["dequeued_s"] = came + 0.001 * (ahead + 1)
    table["wait_s"] = table["dequeued_s"] - table["enqueued_s"]
    return table.assign(dropped=False)


def backlog(flows: list[str], rows: int) -> pd.DataFrame:
    """From r1 to r2 each 0.1 s: as many packets as the sample's number modulo 20."""
    i = np.arange(101)
    table = pd.DataFrame({"time_s": i / 10, "host": "r1", "peer": "r2", "backlog_packets": i % 20})
    return table.assign(backlog_bytes=1250 * table["backlog_packets"])


def drops(flows: list[str], rows: int) -> pd.DataFrame:
    """Two packets dropped by the queue, one by the wire behind it."""
    rows_ = [(0.1, "queue"), (0.2, "queue"), (0.3, "wire")]
    return pd.DataFrame(rows_, columns=["time_s", "place"]).assign(
        host="r1", peer="r2", flow=flows[0], way="data", arrived=False
    )


def lost(flows: list[str], rows: int) -> pd.DataFrame:
    """Three data packets lost on the wire, one in the queue, one ACK; the last is not made good."""
    what = [
        (1.0, "data", 1449, "wire loss", "sack", 1.1, 1.2),
        (1.5, "data", 2897, "wire loss", "rack", 1.6, 1.75),
        (2.0, "ack", 9000, "wire loss", "not needed", np.nan, np.nan),
        (3.0, "data", 4345, "queue full", "rto", 3.3, 3.4),
        (9.0, "data", 5793, "wire loss", "not found", np.nan, np.nan),
    ]
    names = ["lost_s", "way", "seq", "cause", "found_by", "retransmitted_s", "recovered_s"]
    table = pd.DataFrame(what, columns=names)
    table = table.assign(sent_s=table["lost_s"] - 0.01, flow=flows[0], host="r1", peer="r2", transmission=1)
    return table.astype({"cause": "category", "found_by": "category"})


MAKERS: dict[str, Any] = {
    "tcp_probe": sawtooth,
    "tcp_info": samples,
    "cong_states": states,
    "retransmissions": retransmissions,
    "queue": queue,
    "backlog": backlog,
    "drops": drops,
    "_ledger": lost,
}
_PACKET: dict[str, Any] = {
    "interface": "eth0",
    "flow": "left-right",
    "protocol": "tcp",
    "flags": "A",
    "ip_id": 0,
    "seq": 0,
    "ack": 0,
    "window": 65536,
    "sacks": 0,
    "payload": 0,
    **{f"sack{i}_{edge}": -1 for i in range(1, 5) for edge in ("left", "right")},
}


def packet(time_s: float, direction: str, forward: bool, **fields: Any) -> dict[str, Any]:
    """A row of a packet table; forward: from left to right."""
    ends = {"src": "10.0.0.1", "dst": "10.0.0.2", "sport": 5001, "dport": 5002}
    if not forward:
        ends = {"src": "10.0.0.2", "dst": "10.0.0.1", "sport": 5002, "dport": 5001}
    return {**_PACKET, **ends, "time_s": time_s, "direction": direction, **fields}


def conversation(segments: int, lost: tuple[int, ...] = (), delay: float = 0.01) -> dict[str, pd.DataFrame]:
    """A SYN, its answer, then a segment a millisecond with an ACK each, at both hosts.

    lost: numbers of segments that do not arrive, each sent again at the end, and SACKed around.
    """
    rows: dict[str, list[dict[str, Any]]] = {"left": [], "right": []}

    def send(time_s: float, forward: bool, arrives: bool = True, **fields: Any) -> None:
        here, there = ("left", "right") if forward else ("right", "left")
        rows[here].append(packet(time_s, "out", forward, **fields))
        if arrives:
            rows[there].append(packet(time_s + delay, "in", forward, **fields))

    send(0.0, True, flags="S", ip_id=1)
    send(delay, False, flags="SA", ack=1)
    start, missing = 2 * delay, list[int]()
    for i in range(segments):
        time_s, seq = start + 0.001 * i, 1 + MSS * i
        send(time_s, True, i not in lost, seq=seq, ack=1, payload=MSS, ip_id=2 + i)
        if i in lost:
            missing.append(i)
        elif missing:
            gap = {"sacks": 1, "sack1_left": 1 + MSS * (missing[0] + 1), "sack1_right": seq + MSS}
            send(time_s + delay, False, ack=1 + MSS * missing[0], ip_id=i, **gap)
        else:
            send(time_s + delay, False, ack=seq + MSS, ip_id=i)
    for n, i in enumerate(missing):
        send(start + 0.001 * (segments + 20 + n), True, seq=1 + MSS * i, ack=1, payload=MSS, ip_id=5000 + n)
    return {
        host: pd.DataFrame(found).sort_values("time_s", kind="stable", ignore_index=True)
        for host, found in rows.items()
    }


def _categories(table: pd.DataFrame) -> pd.DataFrame:
    return table.astype({name: "category" for name in ("flow", "side", "state") if name in table})
