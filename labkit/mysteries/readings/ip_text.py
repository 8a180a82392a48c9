"""What `ip -s -s link` prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEVICE = re.compile(r"^\d+: ([\w-]+)[@:]", re.MULTILINE)


@dataclass(frozen=True)
class Interface:
    """Packets that an interface has received and sent, and how often its carrier changed."""

    rx_packets: int
    tx_packets: int
    transitions: int


def interfaces(text: str) -> dict[str, Interface]:
    """By name."""
    parts = _DEVICE.split(text)[1:]
    return {name: _interface(part) for name, part in zip(parts[::2], parts[1::2], strict=True)}


def _interface(text: str) -> Interface:
    rows = {
        title: [int(number) for number in re.findall(r"\d+", line)]
        for title, line in re.findall(r"^ +(RX:|TX:|TX errors:)[^\n]*\n([^\n]*)$", text, re.MULTILINE)
    }
    return Interface(rows["RX:"][1], rows["TX:"][1], rows["TX errors:"][4])
