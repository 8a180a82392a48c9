"""Plain numbers as the kernel's fixed-point fields hold them. No netlink here.

Constants are the kernel's, not this machine's: pyroute2 reads /proc/net/psched of the compiling
machine, so that the same experiment could compile to different bytes elsewhere.
"""

from __future__ import annotations

U32_MAX = 2**32 - 1
NS_PER_TICK = 64  # PSCHED_SHIFT is 6 in every kernel since 2.6.31 (include/net/pkt_sched.h)


def prob32(probability: float) -> int:
    """A probability from 0 to 1 as a fraction of 2^32 - 1, to nearest, as `tc` does. Raises ValueError."""
    if not 0 <= probability <= 1:
        raise ValueError(f"probability {probability}: write a number from 0 to 1")
    return round(probability * U32_MAX)


def ticks(time_ns: int) -> int:
    """Nanoseconds as psched ticks, capped to 32 bits."""
    return min(time_ns // NS_PER_TICK, U32_MAX)


def byte_rate(bit_s: int) -> int:
    """A rate in bit/s as the kernel's bytes per second, to nearest. Raises ValueError under 4 bit/s."""
    rate = (bit_s + 4) // 8
    if rate < 1:
        raise ValueError(f"rate {bit_s} bit/s: less than a byte per second")
    return rate
