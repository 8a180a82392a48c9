"""What a crowd of BBR (version 1) leaves to flows that go by loss, at a full drop-tail queue, and why.

A BBR that competes is held by its cap: twice bandwidth times round trip. The round trip it measures while its
own packets are out of the way (PROBE_RTT). q: the queue's room in packets; bdp: what the path holds without a
queue, in packets; n: how many BBR flows. Shares are of the link. Only version 1, and only where the queue
stays full. Numbers or arrays that fit each other; bad input raises SpecError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labkit.models import arguments

PROBE_PACKETS = 4
"""In flight of each BBR flow in PROBE_RTT (tcp_bbr.c, bbr_cwnd_min_target)."""
PROBE_S = 0.2
"""How long PROBE_RTT lasts at least (s), and a round trip more (tcp_bbr.c, bbr_probe_rtt_mode_ms)."""
PROBE_EVERY_S = 10.0
"""How old a measured round trip may become (s; tcp_bbr.c, bbr_min_rtt_win_sec)."""


def loss_based(q: Any, bdp: Any, n: Any = 1) -> Any:
    """The share of all flows that go by loss together: 1/2 - 1/(2X) - 4n/q with X = q / bdp, at least 0.

    How many of them there are does not matter. q = 0 leaves nothing. Source: Ware, Mukerjee, Seshan, Sherry:
    Modeling BBR's Interactions with Loss-Based Congestion Control, IMC 2019, section 4.
    """
    q, bdp, n = _queue(q, bdp, n)
    with np.errstate(divide="ignore"):
        return np.maximum(0.5 - bdp / (2 * q) - PROBE_PACKETS * n / q, 0.0)


def loss_based_refilled(q: Any, bdp: Any, n: Any = 1) -> Any:
    """The same if the packets of the others fill the path, which BBR has left, before they wait: 1/2 -
    4n/(q + bdp), where q is bdp at least.

    Ours, not the paper's: it follows from the cap with `round_trip_refilled` in place of `round_trip`.
    """
    q, bdp, n = _queue(q, bdp, n)
    return np.maximum(0.5 - PROBE_PACKETS * n / (q + bdp), 0.0)


def round_trip(rtt: Any, wait: Any, share: Any) -> Any:
    """The round trip (s) that BBR measures by the paper: what share (of those that go by loss) of a full
    queue is theirs stays there while BBR is away. rtt: without a queue, wait: that of a full queue (s)."""
    rtt, wait, share = _times(rtt, wait, share=share)
    return rtt + share * wait


def round_trip_refilled(rtt: Any, wait: Any, share: Any) -> Any:
    """The round trip (s) that BBR measures if the others' packets, their share of all that is under way, have
    the path to themselves: share (rtt + wait), at least rtt."""
    rtt, wait, share = _times(rtt, wait, share=share)
    return np.maximum(share * (rtt + wait), rtt)


def bbr(loss_share: Any, rtt: Any, wait: Any) -> Any:
    """BBR's share of the link over a long time: what those that go by loss leave, less the time in PROBE_RTT,
    (wait + 0.2 s + rtt) in each 10 s, which must be less than these. Source: as `loss_based`."""
    rtt, wait, loss_share = _times(rtt, wait, loss_share=loss_share)
    away = (wait + PROBE_S + rtt) / PROBE_EVERY_S
    arguments.refuse(
        "rtt", rtt, away < 1, "must be, with wait, below 9.8 s: PROBE_RTT takes both in each 10 s"
    )
    return (1 - loss_share) * (1 - away)


def _queue(q: Any, bdp: Any, n: Any) -> tuple[Any, Any, Any]:
    arguments.together(q=q, bdp=bdp, n=n)
    return arguments.from_zero("q", q), arguments.positive("bdp", bdp), arguments.positive("n", n)


def _times(rtt: Any, wait: Any, **share: Any) -> tuple[Any, Any, Any]:
    arguments.together(rtt=rtt, wait=wait, **share)
    ((name, value),) = share.items()
    return arguments.positive("rtt", rtt), arguments.from_zero("wait", wait), arguments.share(name, value)
