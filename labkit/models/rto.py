"""The retransmission timeout: RFC 6298's estimator, and Linux's, which differs from it.

V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988, appendix A; RFC 6298; for Linux
net/ipv4/tcp_input.c as of 6.12 (what it computes, in floating point).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from labkit.errors import SpecError
from labkit.models import arguments

GRANULARITY_S = 0.001  # of Linux with 1000 ticks a second
RFC_FLOOR_S, LINUX_FLOOR_S = 1.0, 0.2
MOST_S = 120.0  # Linux; RFC 6298 wants at least 60 s


@dataclass(frozen=True)
class Sample:
    """A measured round trip. time_s: when it was known; una, nxt: the first sequence number not acknowledged
    then, and the one to be sent next. RFC 6298 does not need these two, Linux counts round trips by them.
    Raises SpecError for a round trip below 0 and for what is no number."""

    time_s: float
    rtt_s: float
    una: int
    nxt: int

    def __post_init__(self) -> None:
        arguments.scalar(arguments.finite, "time_s", self.time_s)
        arguments.scalar(arguments.from_zero, "rtt_s", self.rtt_s)
        arguments.count("una", self.una)
        arguments.count("nxt", self.nxt)


@dataclass(frozen=True)
class Estimate:
    """After the sample of time_s: all in s."""

    time_s: float
    srtt_s: float
    rttvar_s: float
    rto_s: float


def samples(packets: pd.DataFrame) -> list[Sample]:
    """The round trips that a sender measures: the handshake's, then that of the first segment an ACK covers.

    packets: the packet table of one TCP connection at the sender, from its SYN on. ACKs of data that was sent
    more than once give none (P. Karn and C. Partridge, SIGCOMM 1987; RFC 6298, section 3). Raises SpecError
    for another table, and where the handshake is missing.
    """
    arguments.frame("packets", packets, ("time_s", "direction", "flags", "seq", "ack", "payload"))
    if len(packets) < 2:
        raise SpecError(f"packets: {len(packets)} rows: must begin with a SYN and its answer")
    data = packets[(packets["direction"] == "out") & (packets["payload"] > 0)]
    acks = packets[(packets["direction"] == "in") & (packets["flags"] == "A")]
    seq, sent_s = data["seq"].to_numpy(), data["time_s"].to_numpy()
    first = pd.Series(sent_s, index=seq).groupby(level=0)
    times, copies = first.first(), first.size()
    starts, ends = times.index.to_numpy(), (data["seq"] + data["payload"]).cummax().to_numpy()
    syn_s, answer_s = packets["time_s"].iloc[:2]
    una = 1
    found = [Sample(answer_s, answer_s - syn_s, una, una)]
    for now, ack in zip(acks["time_s"], acks["ack"], strict=True):
        if ack > una:
            low, high = np.searchsorted(starts, (una, ack))
            una = ack
            if (copies.iloc[low:high] == 1).all():
                nxt = int(ends[np.searchsorted(sent_s, now) - 1])
                found.append(Sample(now, now - times.iloc[low], ack, nxt))
    return found


def rfc6298(samples: Iterable[Sample], floor_s: float = RFC_FLOOR_S) -> list[Estimate]:
    """RFC 6298, section 2: after each sample. floor_s: rule 2.4, on the RTO as a whole; 0: none. Raises
    SpecError."""
    floor_s = arguments.scalar(arguments.from_zero, "floor_s", floor_s)
    found: list[Estimate] = []
    for sample in _listed(samples):
        rtt = sample.rtt_s
        if found:
            before = found[-1]
            rttvar = 3 / 4 * before.rttvar_s + 1 / 4 * abs(before.srtt_s - rtt)
            srtt = 7 / 8 * before.srtt_s + 1 / 8 * rtt
        else:
            srtt, rttvar = rtt, rtt / 2
        rto = srtt + max(GRANULARITY_S, 4 * rttvar)
        found.append(Estimate(sample.time_s, srtt, rttvar, min(max(rto, floor_s), MOST_S)))
    return found


def linux(samples: Iterable[Sample], floor_s: float = LINUX_FLOOR_S) -> list[Estimate]:
    """Linux's estimator after each sample; rttvar_s is its mean deviation, as TCP_INFO shows it.

    Three differences. The RTO takes the largest deviation within a round trip, and comes down a quarter of
    the way per round trip. The floor is that of 4 RTTVAR and not of the RTO. A round trip that gets shorter
    raises the deviation by an eighth as much only. (The kernel's timer counts whole ticks, rounded up.)
    floor_s: 0 is none. Raises SpecError.
    """
    floor_s = arguments.scalar(arguments.from_zero, "floor_s", floor_s)
    found: list[Estimate] = []
    srtt = mdev = highest = used = 0.0  # the last three as four times the deviation
    edge = 0
    for sample in _listed(samples):
        error = sample.rtt_s - srtt
        if not found:
            srtt, mdev = sample.rtt_s, 2 * sample.rtt_s
            highest = used = max(mdev, floor_s)
            edge = sample.nxt
        else:
            srtt += error / 8
            more = abs(error) - mdev / 4
            mdev += more / 8 if error < 0 < more else more
            highest = max(highest, mdev)
            used = max(used, highest)
            if sample.una > edge:
                used -= max(used - highest, 0) / 4
                edge, highest = sample.nxt, floor_s
        found.append(Estimate(sample.time_s, srtt, mdev / 4, min(srtt + used, MOST_S)))
    return found


def _listed(samples: Iterable[Sample]) -> list[Sample]:
    found = list(samples) if isinstance(samples, Iterable) else [samples]
    if wrong := [sample for sample in found if not isinstance(sample, Sample)]:
        raise SpecError(f"samples: {wrong[0]!r} is among them: must be Samples, as samples() gives them")
    return found
