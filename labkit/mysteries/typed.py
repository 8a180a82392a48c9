"""The commands of an examination, as they are typed: which tool, on which host, at which moment."""

from __future__ import annotations

from labkit.mysteries.patient import CHECK_S, TRANSFER_S

Key = tuple[str, str, str]
"""When, host, command."""

MOMENTS: dict[str, float] = {
    "before": 1.0,
    "rest": 8.0,
    "handshake": TRANSFER_S - 0.5,
    "during": TRANSFER_S + 1.8,
    "check": CHECK_S + 1.6,
    "after": CHECK_S + 6.0,
}
"""Seconds into the run: nobody sends; nobody yet; just before the transfer; in it; in the check; silence."""

PING = "ping -c 300 -i 0.005 right"
LARGE_PING = "ping -c 3 -i 0.5 -W 1 -M do -s 1472 right"
NEXT_HOPS = {"left": "r1", "right": "r2"}
LOADED_PING = "ping -c 40 -i 0.02 right"
TRACE = "tracepath -n -m 6 right"
SOCKETS = "ss -toinm"
LISTENERS = "ss -ltn"
QUEUES = "tc -s qdisc"
LINKS = "ip -s -s link"
COUNTERS = "nstat -as"
WITH_PORTS = {"left": "eth0", "r1": "eth0", "r2": "eth2", "right": "eth0"}
CAPTURED = (("left", "eth0"), ("r1", "eth1"), ("r2", "eth0"), ("r2", "eth2"))
AROUND = {"r1": (CAPTURED[0], CAPTURED[1]), "r2": (CAPTURED[2], CAPTURED[3])}
"""Of the captures those in front of a box and behind it."""


def capture(interface: str) -> str:
    """The first packets of the transfer, both ways."""
    return f"tcpdump --immediate-mode -lnv -c 8 -i {interface} tcp and not port 80"


def ethtool(option: str, interface: str) -> str:
    """One question to a card."""
    return f"ethtool {option}{interface}"


def round_trip(hop: str) -> str:
    """A short ping to a neighbour."""
    return f"ping -c 10 -i 0.02 {hop}"
