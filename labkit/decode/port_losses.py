"""Frames lost in the ports of the teaching NIC: the drop monitor has the frame, the driver's own event has
who lost it and why. Both come from one place (labnic_lose), in one order, at one virtual instant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labkit.decode.drop_monitor import Drops
from labkit.decode.raw import Ints
from labkit.decode.trace import Trace
from labkit.errors import LabkitError
from labkit.program.structs import Kind

FRAME_LOST = "labnic/frame_lost"
LOSER = "labnic_lose"

CRC, LENGTH, MISSED, FIFO, LATE, EXCESSIVE, CARRIER, RESIZED, DOWN = range(1, 10)
"""The event's field `cause`: enum labnic_cause of execute/guest/modules/labnic/labnic.h."""


class PortLossError(LabkitError):
    """The drop monitor and the driver do not tell of the same lost frames."""


@dataclass(frozen=True)
class PortLosses:
    """One entry per drop. port: index of the device that lost it, 0: no port did; cause: the driver's."""

    port: Ints
    cause: Ints

    def at(self, which: Ints) -> PortLosses:
        """Some of them."""
        return PortLosses(self.port[which], self.cause[which])

    def followed_by(self, count: int) -> PortLosses:
        """These, and so many that no port lost."""
        none = np.zeros(count, np.int64)
        return PortLosses(np.concatenate([self.port, none]), np.concatenate([self.cause, none]))


def port_losses(drops: Drops, trace: Trace) -> PortLosses:
    """Which of the drops were frames lost by a port. drops: all of a run. Raises PortLossError."""
    found = PortLosses(np.zeros(len(drops.frames), np.int64), np.zeros(len(drops.frames), np.int64))
    mine = np.flatnonzero(np.asarray(drops.function == LOSER))
    if not mine.size:
        return found
    if FRAME_LOST not in trace.formats:
        raise PortLossError(f"{mine.size} frames were lost by ports, and {FRAME_LOST} was not traced")
    events = trace.occurrences(FRAME_LOST)
    number = len(events.at_ns)
    ends = trace.raw.records(Kind.END).at_ns
    last_ns = int(ends[-1]) if len(ends) else np.iinfo(np.int64).max
    late = mine[number:]  # freed while the rest of the drops was read, after the trace had been
    same = number <= mine.size and bool((drops.frames.at_ns[late] >= last_ns).all())
    mine = mine[:number]
    if not same or not np.array_equal(drops.frames.length[mine], events["len"].astype(np.int64)):
        gaps = f"; {trace.lost} trace events were lost" if trace.lost else ""
        text = (
            f"the drop monitor has {mine.size + late.size} frames lost by ports, the driver told of {number}"
        )
        raise PortLossError(f"{text}{gaps}: ask for fewer flows, lower rates or a shorter run, or report it")
    found.port[mine], found.cause[mine] = events["ifindex"], events["cause"]
    return found
