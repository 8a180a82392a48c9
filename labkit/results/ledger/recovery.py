"""What a sender did about a loss: how it found it, when it sent again, when it knew that the data is there.

Linux does not say how it found a loss. It is inferred, in this order (t: when the data was sent again):

1. The lost packet is a SYN or SYN-ACK: "syn timeout".
2. The sender's congestion state at t is Loss: its retransmission timer had run out, "rto" (RFC 6298).
3. The state is not Recovery (Open, Disorder, CWR): a tail loss probe, "tlp" (RFC 8985, section 7).
4. In Recovery, without SACK: the third duplicate ACK, "dupack" (RFC 5681), or for a later hole of the same
   window a partial ACK, "partial ack" (RFC 6582).
5. In Recovery, with SACK, a first transmission, and data of at least three segments behind it was reported as
   having arrived: "sack" (RFC 6675).
6. Else only time can have told, because what was sent later arrived earlier: "rack" (RFC 8985, section 6).
   So it is with every retransmission that gets lost itself.

Lost data that was never sent again is "not needed" if a later ACK covers it, which means that another copy of
it arrived, else "not found". A lost ACK is "not needed" if a later one with an acknowledgement number at
least as high arrived, else "not found".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from labkit.decode.raw import Ints

DUPTHRESH = 3  # RFC 5681, section 3.2; RFC 6675, section 2
FOUND_BY = [
    "sack",
    "rack",
    "tlp",
    "rto",
    "dupack",
    "partial ack",
    "syn timeout",
    "not needed",
    "not found",
]


@dataclass(frozen=True)
class Side:
    """One direction of a TCP connection as its sender saw it: tables in the order of time.

    sent: time_ns, seq, end_seq, syn; acks: those that arrived at the sender: time_ns, ack, and the SACK
    blocks' edges as arrays (rows x 4), -1: none. state_ns, state: when each congestion state began.
    """

    sent: pd.DataFrame
    acks: pd.DataFrame
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    state_ns: Ints
    state: npt.NDArray[np.str_]


@dataclass(frozen=True)
class RecoveryOutcome:
    """What became of one lost packet. Times in ns, -1: never."""

    found_by: str
    retransmitted_ns: int
    recovered_ns: int


class Recovery:
    """Answers for one direction of a connection."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.sent_ns = side.sent["time_ns"].to_numpy()
        self.syn = side.sent["syn"].to_numpy()
        self.seq, self.end = side.sent["seq"].to_numpy(), side.sent["end_seq"].to_numpy()
        highest = np.maximum.accumulate(self.end) if len(self.end) else self.end
        before = np.concatenate(([-1], highest[:-1]))[: len(self.end)]
        self.again = np.flatnonzero((self.seq < before) & (self.end > self.seq))  # retransmissions
        self.ack_ns = side.acks["time_ns"].to_numpy()
        self.ack = np.maximum.accumulate(side.acks["ack"].to_numpy()) if len(side.acks) else self.ack_ns
        self.sacked = np.flatnonzero((side.left >= 0).any(axis=1))
        self.sack_ok = bool(self.sacked.size)

    def data(self, i: int, transmission: int) -> RecoveryOutcome:
        """Of packet i of `sent`, which carries data, a SYN or a FIN."""
        seq, end, sent_ns = int(self.seq[i]), int(self.end[i]), int(self.sent_ns[i])
        recovered = self._known(seq, end, sent_ns)
        later = self.again[self.again > i]
        over = later[(self.seq[later] < end) & (self.end[later] > seq)]
        if not over.size:
            return RecoveryOutcome("not needed" if recovered >= 0 else "not found", -1, recovered)
        at = int(self.sent_ns[over[0]])
        if 0 <= recovered < at:
            return RecoveryOutcome("not needed", -1, recovered)
        return RecoveryOutcome(self._how(i, transmission, seq, end, sent_ns, at), at, recovered)

    def pure_ack(self, sent_ns: int, ack: int, arrivals: tuple[Ints, Ints]) -> RecoveryOutcome:
        """Of an ACK without data. arrivals: when ACKs of its direction arrived, and the highest so far."""
        times, highest = arrivals
        place = max(int(np.searchsorted(times, sent_ns)), int(np.searchsorted(highest, ack)))
        if place < len(times):
            return RecoveryOutcome("not needed", -1, int(times[place]))
        return RecoveryOutcome("not found", -1, -1)

    def _known(self, seq: int, end: int, after_ns: int) -> int:
        """When the sender learned that this data had arrived, by ACK or SACK."""
        first = int(np.searchsorted(self.ack_ns, after_ns))
        whole = max(int(np.searchsorted(self.ack, end)), first)
        covered = int(self.ack_ns[whole]) if whole < len(self.ack_ns) else -1
        rows = self.sacked[np.searchsorted(self.sacked, first) : np.searchsorted(self.sacked, whole)]
        hit = rows[((self.side.left[rows] <= seq) & (self.side.right[rows] >= end)).any(axis=1)]
        return int(self.ack_ns[hit[0]]) if hit.size else covered

    def _how(self, i: int, transmission: int, seq: int, end: int, sent_ns: int, at_ns: int) -> str:
        if self.syn[i]:
            return "syn timeout"
        place = int(np.searchsorted(self.side.state_ns, at_ns, "right")) - 1
        state = str(self.side.state[place]) if place >= 0 else "Open"
        if state == "Loss":
            return "rto"
        if state != "Recovery":
            return "tlp"
        if not self.sack_ok:
            return "partial ack" if self._within_recovery(place, at_ns) else "dupack"
        enough = transmission == 1 and self._behind(end, sent_ns, at_ns) >= DUPTHRESH
        return "sack" if enough else "rack"

    def _within_recovery(self, place: int, at_ns: int) -> bool:
        """Has this stay in Recovery sent something again before?"""
        begun = self.side.state_ns[place]
        earlier = self.again[(self.sent_ns[self.again] >= begun) & (self.sent_ns[self.again] < at_ns)]
        return bool(earlier.size)

    def _behind(self, end: int, sent_ns: int, at_ns: int) -> int:
        """Segments behind `end` that the sender knew to have arrived when it sent the data again."""
        first, last = np.searchsorted(self.ack_ns, (sent_ns, at_ns + 1)).tolist()
        rows = self.sacked[np.searchsorted(self.sacked, first) : np.searchsorted(self.sacked, last)]
        left, right = self.side.left[rows].ravel(), self.side.right[rows].ravel()
        mine = left >= end
        if not mine.any():
            return 0
        order = np.argsort(left[mine], kind="stable")
        left, right = left[mine][order], right[mine][order]
        reach = np.maximum.accumulate(right)
        new = (self.seq >= int(left[0])) & (self.seq < int(reach[-1])) & (self.end > self.seq)
        starts = np.unique(self.seq[new])
        return int((starts < reach[np.searchsorted(left, starts, "right") - 1]).sum())
