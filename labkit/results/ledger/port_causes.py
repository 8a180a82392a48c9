"""The ledger's words for what a port of the teaching NIC loses."""

from __future__ import annotations

from labkit.decode.frames import Frames
from labkit.decode.port_losses import CARRIER, CRC, DOWN, EXCESSIVE, FIFO, LATE, LENGTH, MISSED, RESIZED

RUNT = "runt"
SHORTEST = 60  # bytes without the frame check sequence: IEEE 802.3, 4.2.3.3
NAMES = {
    CRC: "frame check failed",
    LENGTH: "frame too long",
    MISSED: "ring full",
    FIFO: "FIFO full",
    LATE: "late collision",
    EXCESSIVE: "excessive collisions",
    CARRIER: "link down",
    RESIZED: "ring resized",
    DOWN: "port closed",
}
_SOURCE = slice(6, 12)  # of an Ethernet header


def port_cause(number: int, length: int) -> str:
    """number: the driver's; length: of the frame in bytes, without its check sequence."""
    return RUNT if number == LENGTH and length < SHORTEST else NAMES[number]


def source_mac(frames: Frames, i: int) -> str:
    """The MAC address that a frame says it is from."""
    return frames.bytes_of(i)[_SOURCE].hex(":")
