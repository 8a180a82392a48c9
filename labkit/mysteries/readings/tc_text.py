"""What `tc -s qdisc` prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QDISC = re.compile(r"^qdisc (\w+) \S+ (?:dev (\S+) )?", re.MULTILINE)


@dataclass(frozen=True)
class Qdisc:
    """Its kind, device, limit (packets; 0: not said), and what it counted; backlog in packets."""

    kind: str
    device: str
    limit: int
    sent_bytes: int
    sent: int
    dropped: int
    backlog: int
    marked: int


def qdiscs(text: str) -> list[Qdisc]:
    """All of a host, as they are printed."""
    parts = _QDISC.split(text)[1:]
    return [_qdisc(*parts[at : at + 3]) for at in range(0, len(parts), 3)]


def _qdisc(kind: str, device: str, text: str) -> Qdisc:
    sent = re.search(r"Sent (\d+) bytes (\d+) pkt \(dropped (\d+)", text)
    numbers = (int(sent[1]), int(sent[2]), int(sent[3])) if sent else (0, 0, 0)
    limit, backlog = re.search(r"limit (\d+)p", text), re.search(r"backlog \S+ (\d+)p", text)
    marked = re.search(r"ecn_mark (\d+)", text)
    (most,) = _ints(limit)
    return Qdisc(kind, device or "", most, *numbers, *_ints(backlog, marked))


def _ints(*found: re.Match[str] | None) -> list[int]:
    return [int(one[1]) if one else 0 for one in found]
