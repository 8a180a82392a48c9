"""What `ping` prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANSWER = re.compile(r"icmp_seq=(\d+) ttl=\d+ time=([\d.]+) ms( \(DUP!\))?")
_TOTAL = re.compile(r"(\d+) packets transmitted, (\d+) received")


@dataclass(frozen=True)
class Pinged:
    """sent: packets; answered: their numbers in the order of first answers; rtts_ms: of these; duplicates:
    answers that came once more."""

    sent: int
    answered: tuple[int, ...]
    rtts_ms: tuple[float, ...]
    duplicates: int

    @property
    def lost(self) -> int:
        """Packets without an answer."""
        return self.sent - len(self.answered)

    @property
    def runs(self) -> list[int]:
        """How many are missing in a row, for each such row."""
        there, found, row = set(self.answered), list[int](), 0
        for number in range(1, self.sent + 2):
            if number in there or number > self.sent:
                found += [row] if row else []
                row = 0
            else:
                row += 1
        return found

    @property
    def overtaken(self) -> int:
        """Answers that came after a later packet's."""
        latest, count = 0, 0
        for number in self.answered:
            count += number < latest
            latest = max(latest, number)
        return count

    @property
    def least_ms(self) -> float:
        """The shortest round trip; NaN without an answer."""
        return min(self.rtts_ms, default=float("nan"))

    @property
    def median_ms(self) -> float:
        """The round trip in the middle; NaN without an answer."""
        return sorted(self.rtts_ms)[len(self.rtts_ms) // 2] if self.rtts_ms else float("nan")

    @property
    def most_ms(self) -> float:
        """The longest round trip; NaN without an answer."""
        return max(self.rtts_ms, default=float("nan"))


def read(text: str) -> Pinged:
    """A whole transcript of ping."""
    answered, rtts, twice = list[int](), list[float](), 0
    for number, ms, dup in _ANSWER.findall(text):
        if dup:
            twice += 1
        else:
            answered.append(int(number))
            rtts.append(float(ms))
    total = _TOTAL.search(text)
    return Pinged(int(total[1]) if total else max(answered, default=0), tuple(answered), tuple(rtts), twice)
