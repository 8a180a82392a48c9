"""What `ethtool` prints of a port: with no option, -m, -c, -S."""

from __future__ import annotations

import re


def speed_mbit(text: str) -> int | None:
    """Of `ethtool eth0`: what the ends agreed on."""
    found = re.search(r"Speed: (\d+)Mb/s", text)
    return int(found[1]) if found else None


def duplex(text: str) -> str | None:
    """Of `ethtool eth0`: "Full" or "Half"."""
    found = re.search(r"Duplex: (Full|Half)", text)
    return found[1] if found else None


def received_dbm(text: str) -> float | None:
    """Of `ethtool -m`: the light that arrives; None: there is no module."""
    found = re.search(r"Receiver signal average optical power\s*:.*/ *(-?[\d.]+) dBm", text)
    return float(found[1]) if found else None


def least_dbm(text: str) -> float | None:
    """Of `ethtool -m`: the threshold of its warning."""
    found = re.search(r"Laser rx power low warning threshold\s*:.*/ *(-?[\d.]+) dBm", text)
    return float(found[1]) if found else None


def rx_usecs(text: str) -> int:
    """Of `ethtool -c`: how long an interrupt may wait (us)."""
    found = re.search(r"^rx-usecs: (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def counters(text: str) -> dict[str, int]:
    """Of `ethtool -S`: the driver's own counters."""
    return {name: int(count) for name, count in re.findall(r"^ +(\w+): (\d+)$", text, re.MULTILINE)}
