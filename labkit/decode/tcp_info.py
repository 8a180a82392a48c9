"""TCP_INFO samples: struct tcp_info (uapi linux/tcp.h) as the kernel gave it, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labkit.decode.columns import categorical
from labkit.decode.raw import Raw, Rows, take
from labkit.program.structs import INFO_OUT, Kind

SIDES = ("sender", "receiver")


def _fields(dtype: str, names: str) -> list[tuple[str, str]]:
    return [(name, dtype) for name in names.split()]


# Linux 6.12. The kernel only ever appends, and no field needs padding before it.
TCP_INFO = np.dtype(
    _fields("u1", "state ca_state retransmits probes backoff options wscale flags")
    + _fields("<u4", "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets")
    + _fields("<u4", "last_data_sent last_ack_sent last_data_recv last_ack_recv")
    + _fields("<u4", "pmtu rcv_ssthresh rtt rttvar snd_ssthresh snd_cwnd advmss reordering")
    + _fields("<u4", "rcv_rtt rcv_space total_retrans")
    + _fields("<u8", "pacing_rate max_pacing_rate bytes_acked bytes_received")
    + _fields("<u4", "segs_out segs_in notsent_bytes min_rtt data_segs_in data_segs_out")
    + _fields("<u8", "delivery_rate busy_time rwnd_limited sndbuf_limited")
    + _fields("<u4", "delivered delivered_ce")
    + _fields("<u8", "bytes_sent bytes_retrans")
    + _fields("<u4", "dsack_dups reord_seen rcv_ooopack snd_wnd rcv_wnd rehash")
    + _fields("<u2", "total_rto total_rto_recoveries")
    + _fields("<u4", "total_rto_time")
)
BITS = {
    "wscale": (("snd_wscale", 0, 15), ("rcv_wscale", 4, 15)),
    "flags": (("delivery_rate_app_limited", 0, 1), ("fastopen_client_fail", 1, 3)),
}

UNITS: dict[str, str] = {
    "time_s": "s since the start of the run",
    "flow": "name of the flow",
    "side": "whose socket: sender or receiver",
    "state": "TCP state: 1 ESTABLISHED, 2 SYN_SENT, 4 FIN_WAIT1, ... (enum of linux/tcp_states.h)",
    "ca_state": "0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss",
    "retransmits": "timeouts in a row without progress",
    "probes": "unanswered window probes",
    "backoff": "doublings of the RTO",
    "options": "bits: 1 timestamps, 2 SACK, 4 window scaling, 8 ECN, 16 ECN seen, 32 data in SYN",
    "snd_wscale": "shift of the peer's window",
    "rcv_wscale": "shift of the own window",
    "delivery_rate_app_limited": "1: delivery_rate was limited by the application",
    "fastopen_client_fail": "reason why TCP Fast Open was not used; 0 none",
    "rto": "µs",
    "ato": "µs, delayed-ACK timeout",
    "snd_mss": "bytes",
    "rcv_mss": "bytes, estimate",
    "unacked": "segments in flight or lost",
    "sacked": "segments",
    "lost": "segments held for lost now",
    "retrans": "segments retransmitted and not yet acknowledged",
    "fackets": "always 0 since Linux 4.15",
    "last_data_sent": "ms ago",
    "last_ack_sent": "always 0",
    "last_data_recv": "ms ago",
    "last_ack_recv": "ms ago",
    "pmtu": "bytes",
    "rcv_ssthresh": "bytes",
    "rtt": "µs, smoothed",
    "rttvar": "µs, mean deviation of the RTT",
    "snd_ssthresh": "segments; 2147483647: not set yet",
    "snd_cwnd": "segments",
    "advmss": "bytes",
    "reordering": "segments: the dupACK threshold in use",
    "rcv_rtt": "µs, the receiver's estimate",
    "rcv_space": "bytes, receive-buffer autotuning's target",
    "total_retrans": "segments retransmitted, all told",
    "pacing_rate": "bytes/s",
    "max_pacing_rate": "bytes/s; 18446744073709551615: no limit",
    "bytes_acked": "bytes",
    "bytes_received": "bytes",
    "segs_out": "segments",
    "segs_in": "segments",
    "notsent_bytes": "bytes",
    "min_rtt": "µs; 4294967295: not measured",
    "data_segs_in": "segments with payload",
    "data_segs_out": "segments with payload",
    "delivery_rate": "bytes/s, most recent sample",
    "busy_time": "µs with data to send",
    "rwnd_limited": "µs limited by the peer's window",
    "sndbuf_limited": "µs limited by the send buffer",
    "delivered": "segments",
    "delivered_ce": "segments with ECN's CE mark",
    "bytes_sent": "bytes, retransmissions included",
    "bytes_retrans": "bytes",
    "dsack_dups": "segments the peer had twice",
    "reord_seen": "reordering events",
    "rcv_ooopack": "segments received out of order",
    "snd_wnd": "bytes, the peer's window",
    "rcv_wnd": "bytes, the own window",
    "rehash": "changes of the flow's hash after timeouts",
    "total_rto": "timeouts",
    "total_rto_recoveries": "recoveries from a timeout",
    "total_rto_time": "ms spent in them",
}


def tcp_info(raw: Raw) -> pd.DataFrame:
    """One row per sample: time_s, flow (id), side, then the kernel's fields without `tcpi_`.

    Fields that the running kernel does not have yet are no columns. Raises RawFormatError.
    """
    records = raw.records(Kind.TCP_INFO)
    heads = raw.heads(records)
    known = _known(int(records.size.min(initial=1 << 20)) - INFO_OUT.size)
    rows = take(raw.data, records.offset + INFO_OUT.size, known)
    start = {
        "time_s": records.at_ns / 1e9,
        "flow": heads["flow"].astype(np.int64),
        "side": categorical(np.minimum(heads["side"], 1), SIDES),
    }
    return pd.DataFrame(start | _columns(rows))


def _known(size: int) -> np.dtype[np.void]:
    """The fields that fit into a struct of this size."""
    names = [name for name in TCP_INFO.names or () if _end(name) <= size]
    return np.dtype(
        {
            "names": names,
            "formats": [TCP_INFO[name] for name in names],
            "offsets": [_end(name) - TCP_INFO[name].itemsize for name in names],
            "itemsize": max((_end(name) for name in names), default=1),
        }
    )


def _end(name: str) -> int:
    assert TCP_INFO.fields
    dtype, offset, *_ = TCP_INFO.fields[name]
    return int(offset) + dtype.itemsize


def _columns(rows: Rows) -> dict[str, Rows]:
    columns: dict[str, Rows] = {}
    for name in rows.dtype.names or ():
        if name not in BITS:
            columns[name] = np.ascontiguousarray(rows[name])
        for part, shift, mask in BITS.get(name, ()):
            columns[part] = rows[name] >> shift & mask
    return columns
