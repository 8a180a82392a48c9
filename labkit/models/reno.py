"""Reno as it was in 1990: which losses of one window its fast recovery mends, and which take a timeout.

The rules of thumb for two, three and four losses, and the sender behind them: K. Fall and S. Floyd,
"Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", CCR 26(3), 1996, section 4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from labkit.errors import SpecError
from labkit.models import arguments

DUPTHRESH = 3  # RFC 5681, section 3.2
UNLIMITED = 2**31


def needs_timeout(window: int, lost: Collection[int], advertised: int = UNLIMITED) -> bool:
    """Does a sender of 1990 need a timeout if these packets of one window get lost, once each?

    window: cwnd, in packets, at the first of them, in congestion avoidance; lost: their places in it, 0 to
    window - 1; advertised: the receiver's window, in packets. There is always data to send, ACKs are neither
    delayed nor lost. Found by following every packet: cwnd is halved at the third duplicate ACK, grows by one
    with each further one, and falls back to ssthresh with the first ACK that acknowledges anything new, be
    it everything or not. Raises SpecError for places outside the window, and for none.
    """
    window, advertised = arguments.count("window", window, 1), arguments.count("advertised", advertised, 1)
    missing = set(_places(window, lost))
    last = max(missing)
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


def rule_of_thumb(window: int, lost: Collection[int], advertised: int = UNLIMITED) -> bool:
    """What is published: two losses "frequently" take a timeout if the window is below ten packets or within
    two of the advertised one, three if fewer than 2 + 3/4 window packets are between the first two, four
    always. Arguments as of needs_timeout. Raises SpecError, also for another number of losses."""
    window, advertised = arguments.count("window", window, 1), arguments.count("advertised", advertised, 1)
    first, *others = _places(window, lost)
    if len(others) == 1:
        return window < 10 or advertised - window <= 2
    if len(others) == 2:
        return others[0] - first - 1 < 2 + 3 * window / 4
    if len(others) == 3:
        return True
    raise SpecError(f"lost: {len(others) + 1} losses: the rules are about two, three or four")


def _places(window: int, lost: Collection[int]) -> list[int]:
    """In order, each once."""
    if not isinstance(lost, Collection):
        raise SpecError(f"lost={lost!r}: must be a list of places, such as (0, 9)")
    if wrong := [place for place in lost if not arguments.is_whole(place)]:
        raise SpecError(f"lost: {wrong[0]!r} is among them: must be whole numbers, places in the window")
    found = sorted(int(place) for place in lost)
    if not found or found[0] < 0 or found[-1] >= window:
        raise SpecError(f"lost={list(lost)}: name places from 0 to {window - 1}")
    if len(set(found)) < len(found):
        raise SpecError(f"lost={list(lost)}: a place is there twice: each is lost once")
    return found
