"""The numbers that RED-like qdiscs want: averaging weight, slope of the probability, idle decay.

From S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
ToN 1(4), 1993, and Kuznetsov's notes in the kernel's include/net/red.h; rounded as `tc` rounds them
(tc/tc_red.c of iproute2), so that a recipe written for `tc` gives the same qdisc here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from labkit.netlink.quantities import NS_PER_TICK

ECN, HARDDROP, ADAPTIVE, NODROP = 1, 2, 4, 8
_STAB_CELLS = 256
_LARGEST_SHIFT = 31


@dataclass(frozen=True)
class Red:
    """What a RED message holds besides its limit. Thresholds in bytes (choke: packets)."""

    qth_min: int
    qth_max: int
    Wlog: int
    Plog: int
    Scell_log: int
    stab: bytes
    max_P: int  # noqa: N815 - the kernel's name


def ewma_log(qmin: int, burst: int, avpkt: int) -> int:
    """Wlog: the largest weight 2^-Wlog that lets a burst (packets) pass. Raises ValueError."""
    room = burst + 1 - qmin / avpkt
    if room < 1:
        raise ValueError(f"burst={burst}: at least min/avpkt = {math.ceil(qmin / avpkt)} packets")
    weight = 0.5
    for log in range(1, 32):
        if room <= (1 - (1 - weight) ** burst) / weight:
            return log
        weight /= 2
    raise ValueError(f"burst={burst}: so long a burst needs no average at all")


def slope_log(qmin: int, qmax: int, probability: float) -> int:
    """Plog: probability / (qmax - qmin) as a power of two. Raises ValueError."""
    if qmax <= qmin:
        raise ValueError(f"max={qmax}: must exceed min={qmin}")
    slope = probability / (qmax - qmin)
    for log in range(32):
        if slope > 1:
            return log
        slope *= 2
    raise ValueError(f"probability={probability}: too small for max - min = {qmax - qmin}")


def idle_table(wlog: int, avpkt: int, byte_s: int) -> tuple[int, bytes]:
    """Scell_log and the 256 shifts by which the average decays while the queue is idle. Raises ValueError.

    `tc` counts the idle time in ticks of 64 ns and the kernel looks it up in microseconds: the
    average decays 16 times slower than Floyd and Jacobson's. Kept, as everyone's RED is like that.
    """
    xmit_ticks = math.ceil(10**9 * avpkt / byte_s / NS_PER_TICK)
    decay = -math.log(1 - 2.0**-wlog) / xmit_ticks
    for cell_log in range(32):
        if _LARGEST_SHIFT / decay / 2**cell_log < 2 * _STAB_CELLS:
            shifts = [min(_LARGEST_SHIFT, int((i << cell_log) * decay)) for i in range(_STAB_CELLS - 1)]
            return cell_log, bytes([*shifts, _LARGEST_SHIFT])
    raise ValueError(f"bandwidth={8 * byte_s}: too slow for avpkt={avpkt}")


def evaluate(
    qmin: int, qmax: int, burst: int, avpkt: int, probability: float, byte_s: int, unit: int = 1
) -> Red:
    """Everything from the parameters as `tc` takes them. Raises ValueError.

    qmin, qmax: in units of `unit` bytes; burst: packets; avpkt: bytes; byte_s: the link's rate.
    """
    wlog = ewma_log(qmin * unit, burst, avpkt)
    cell_log, stab = idle_table(wlog, avpkt, byte_s)
    return Red(
        qth_min=qmin,
        qth_max=qmax,
        Wlog=wlog,
        Plog=slope_log(qmin * unit, qmax * unit, probability),
        Scell_log=cell_log,
        stab=stab,
        max_P=min(int(probability * 2**32), 2**32 - 1),
    )
