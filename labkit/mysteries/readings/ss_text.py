"""What `ss -toinm` and `ss -ltn` print."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SOCKET = re.compile(
    r"^(ESTAB|SYN-SENT|CLOSE-WAIT|FIN-WAIT-\d|LAST-ACK) +(\d+) +(\d+) +(\S+):(\d+) +(\S+):(\d+)"
)
_FLAGS = ("ts", "sack", "ecn", "ecnseen", "app_limited")


@dataclass(frozen=True)
class Socket:
    """A connection: recv_q and send_q in bytes; flags that TCP has agreed on; numbers by their name."""

    state: str
    recv_q: int
    send_q: int
    peer: str
    flags: frozenset[str]
    values: dict[str, float] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)

    def share(self, name: str) -> float:
        """Of the time in which there was something to send, that limited by the receiver's window
        ("rwnd_limited") or the send buffer ("sndbuf_limited"): 0 to 1."""
        return self.shares.get(name, 0.0)


def sockets(text: str) -> list[Socket]:
    """All connections that are there."""
    found = []
    lines = text.splitlines()
    for i, line in enumerate(lines):
        head = _SOCKET.match(line)
        if head:
            detail = lines[i + 1] if i + 1 < len(lines) and lines[i + 1].startswith("\t") else ""
            found.append(_socket(head, detail))
    return found


def _socket(head: re.Match[str], detail: str) -> Socket:
    words = detail.split()
    values = {name: float(v) for name, v in re.findall(r"\b(\w+):([\d.]+)", detail)}
    shares = {name: float(v) / 100 for name, v in re.findall(r"(\w+_limited):\d+ms\(([\d.]+)%\)", detail)}
    flags = frozenset(word for word in words if word in _FLAGS)
    return Socket(head[1], int(head[2]), int(head[3]), head[6], flags, values, shares)


def backlogs(text: str) -> dict[int, tuple[int, int]]:
    """Of `ss -ltn`: port -> connections that wait to be accepted, and how many may."""
    found = re.findall(r"^LISTEN +(\d+) +(\d+) +\S+:(\d+)", text, re.MULTILINE)
    return {int(port): (int(waiting), int(most)) for waiting, most, port in found}
