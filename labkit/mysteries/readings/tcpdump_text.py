"""What `tcpdump -nv` prints of TCP."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PACKET = re.compile(
    r"IP \(tos 0x\w+(?:,(\S+))?, ttl.*?\n +([\d.]+)\.(\d+) > ([\d.]+)\.(\d+): Flags \[(\S+)\], (.*)"
)


@dataclass(frozen=True)
class Segment:
    """ecn: "ECT(0)", "CE" or ""; flags as tcpdump has them ("SEW"); options: all text after them."""

    ecn: str
    src: str
    flags: str
    rest: str

    @property
    def syn(self) -> bool:
        """The first of a connection."""
        return "S" in self.flags and "." not in self.flags

    @property
    def syn_ack(self) -> bool:
        """The answer to it."""
        return "S" in self.flags and "." in self.flags

    @property
    def data(self) -> bool:
        """It has payload."""
        return not self.rest.endswith("length 0")


def segments(text: str) -> list[Segment]:
    """All that were captured, in order."""
    return [
        Segment(ecn or "", src, flags, rest.strip())
        for ecn, src, _, _, _, flags, rest in _PACKET.findall(text)
    ]
