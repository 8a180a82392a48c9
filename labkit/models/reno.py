"""Reno as it was in 1990: which losses of one window its fast recovery mends, and which take a timeout.

The rules of thumb for two, three and four losses, and the sender behind them: K. Fall and S. Floyd,
"Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", CCR 26(3), 1996, section 4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

DUPTHRESH = 3  # RFC 5681, section 3.2
UNLIMITED = 2**31


def needs_timeout(window: int, lost: Collection[int], advertised: int = UNLIMITED) -> bool:
    """Does a sender of 1990 need a timeout if these packets of one window get lost, once each?

    window: cwnd, in packets, at the first of them, in congestion avoidance; lost: their places in it, 0 to
    window - 1; advertised: the receiver's window, in packets. There is always data to send, ACKs are neither
    delayed nor lost. Found by following every packet: cwnd is halved at the third duplicate ACK, grows by one
    with each further one, and falls back to ssthresh with the first ACK that acknowledges anything new, be
    it everything or not. Raises ValueError for places outside the window.
    """
    missing, last = set(lost), max(lost, default=-1)
    if not missing or min(missing) < 0 or last >= window:
        raise ValueError(f"lost={sorted(missing)}: name places from 0 to {window - 1}")
    wire, arrived = deque(range(window)), set[int]()  # of a wire that keeps order, only the order matters
    una, nxt, cwnd, ssthresh, duplicates = 0, window, float(window), UNLIMITED, 0
    while wire:
        packet = wire.popleft()
        if packet in missing:
            missing.remove(packet)
            continue
        arrived.add(packet)
        ack = una
        while ack in arrived:
            ack += 1
        if ack > last:
            return False
        if ack > una:
            cwnd = ssthresh if duplicates >= DUPTHRESH else cwnd + 1 / int(cwnd)
            una, duplicates = ack, 0
        else:
            duplicates += 1
            if duplicates == DUPTHRESH:
                ssthresh = max(min(int(cwnd), advertised) // 2, 2)
                cwnd = ssthresh + DUPTHRESH
                wire.append(una)
            elif duplicates > DUPTHRESH:
                cwnd += 1
        while nxt < una + min(int(cwnd), advertised):
            wire.append(nxt)
            nxt += 1
    return True


def rule_of_thumb(window: int, lost: Sequence[int], advertised: int = UNLIMITED) -> bool:
    """What is published: two losses "frequently" take a timeout if the window is below ten packets or within
    two of the advertised one, three if fewer than 2 + 3/4 window packets are between the first two, four
    always. Arguments as of needs_timeout. Raises ValueError for another number of losses."""
    first, *others = sorted(lost)
    if len(others) == 1:
        return window < 10 or advertised - window <= 2
    if len(others) == 2:
        return others[0] - first - 1 < 2 + 3 * window / 4
    if len(others) == 3:
        return True
    raise ValueError(f"{len(lost)} losses: the rules are about two, three or four")
