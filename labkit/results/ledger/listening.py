"""What a listening socket had no room for: SYNs without an answer, and segments for a connection that nobody
accepted. The kernel frees the first as if they had been of use, and the others without a reason, as it does
with what comes for a connection being closed; what the host sent tells which is which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from labkit.decode.drop_monitor import Drops
from labkit.decode.frames import Frames
from labkit.decode.headers import TCP, Headers, dissect
from labkit.decode.raw import Ints
from labkit.results.tables import Tables

OVERFLOW = "TCP_LISTEN_OVERFLOW"  # as kernels from 6.15 on call it
REQUEST = "tcp_conn_request"
_SYN, _ACK = 2, 16
_AT_ONCE_NS = 1_000_000  # the lab's processor answers within the instant; a SYN-ACK's timer takes a second
_Ends = tuple[int, int, int, int]


@dataclass(frozen=True)
class Unheard:
    """syns: frames; reason: theirs; segments: numbers of the drops."""

    syns: Frames
    reason: str
    segments: Ints


def unheard(result: Tables, drops: Drops) -> Unheard:
    """What the listening sockets of a run, captured where they are, had no room for (ListenDrops). A host of
    which some SYNs met a full SYN queue and others a full accept queue is said to have had the latter."""
    counts = result.counters[result.counters["delta"] > 0]
    busy = set(counts[counts["name"] == "TcpExtListenDrops"]["host"])
    reason = OVERFLOW if (counts["name"] == "TcpExtListenOverflows").any() else "NOT_SPECIFIED"
    here = [i["index"] for i in result.layout("interfaces") if i["role"] == "host" and i["host"] in busy]
    frames = result.frames.at(np.isin(result.frames.interface, here))
    headers = dissect(frames.data, frames.offset, frames.captured)
    sent = _sent(frames, headers)
    came = np.flatnonzero(
        ~frames.outgoing & (headers.protocol == TCP) & (headers.flags & (_SYN | _ACK) == _SYN)
    )
    silent = [i for i in came.tolist() if not _answered(sent, _back(headers, i), int(frames.at_ns[i]))]
    return Unheard(frames.at(np.array(silent, np.int64)), reason, _for_nobody(drops, here, sent))


def _sent(frames: Frames, headers: Headers) -> dict[_Ends, list[tuple[int, bool]]]:
    """For the two ends of each connection when one sent what: its time, and whether it was a SYN."""
    found: dict[_Ends, list[tuple[int, bool]]] = {}
    for i in np.flatnonzero(frames.outgoing & (headers.protocol == TCP)).tolist():
        what = int(frames.at_ns[i]), bool(headers.flags[i] & _SYN)
        found.setdefault(_there(headers, i), []).append(what)
    return found


def _there(headers: Headers, i: int) -> _Ends:
    return int(headers.src[i]), int(headers.sport[i]), int(headers.dst[i]), int(headers.dport[i])


def _back(headers: Headers, i: int) -> _Ends:
    src, sport, dst, dport = _there(headers, i)
    return dst, dport, src, sport


def _answered(sent: dict[_Ends, list[tuple[int, bool]]], ends: _Ends, at_ns: int) -> bool:
    return any(at_ns <= at <= at_ns + _AT_ONCE_NS for at, _ in sent.get(ends, []))


def _for_nobody(drops: Drops, here: list[int], sent: dict[_Ends, list[tuple[int, bool]]]) -> Ints:
    """Drops without a reason of connections in which the host had sent nothing but SYN-ACKs."""
    plain: npt.NDArray[np.bool_] = np.asarray(drops.function == "tcp_v4_rcv") & np.isin(
        drops.frames.interface, here
    )
    rows = np.flatnonzero(plain & np.asarray(drops.reason == "NOT_SPECIFIED"))
    part = drops.frames.at(rows)
    headers = dissect(part.data, part.offset, part.captured)
    found = []
    for i, row in enumerate(rows.tolist()):
        before = [syn for at, syn in sent.get(_back(headers, i), []) if at <= part.at_ns[i]]
        if headers.flags[i] & (_SYN | _ACK) == _ACK and before and all(before):
            found.append(row)
    return np.array(found, np.int64)
