"""All causes, by the layer at which they sit."""

from __future__ import annotations

from labkit.mysteries.cause import Cause
from labkit.mysteries.causes import boxes, buffers, cables, cards, detours, hosts, modes, programs, wires

CAUSES: dict[str, Cause] = {
    cause.name: cause
    for cause in (
        *(modes.DUPLEX_MISMATCH, modes.SLOW_PORT, modes.PAUSE_FRAMES, modes.COALESCING),
        *(cables.FADING_OPTICS, cables.BIT_ERRORS, cables.FLAPPING_PORT),
        *(cards.RING_OVERRUN, cards.FIFO_OVERRUN, cards.BROKEN_CHECKSUM),
        *(buffers.FULL_QUEUE, buffers.SHORT_QUEUE, buffers.BUFFERBLOAT, buffers.POLICER),
        *(wires.RADIO_LOSS, wires.RANDOM_LOSSES, wires.ACK_LOSS, wires.DUPLICATES, wires.REORDERING),
        *(wires.DELAY_SPIKES, detours.ASYMMETRIC_ROUTE, detours.DETOUR),
        *(boxes.MTU_BLACK_HOLE, boxes.ECN_BLEACHING, boxes.SYN_DROPPED, boxes.OPTION_STRIPPED),
        *(
            hosts.NO_WINDOW_SCALING,
            hosts.NO_SACK,
            hosts.SMALL_WINDOW,
            hosts.SMALL_SEND_MEMORY,
            hosts.SMALL_BACKLOG,
        ),
        *(programs.SLOW_READER, programs.SMALL_RECEIVE_BUFFER, programs.SMALL_SEND_BUFFER),
    )
}
"""By name, in the order in which the tree asks."""
