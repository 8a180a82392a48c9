"""What `nstat -as` prints."""

from __future__ import annotations

import re
from collections import defaultdict


def counters(text: str) -> defaultdict[str, int]:
    """By name; what is not printed is 0."""
    found = re.findall(r"^(\w+) +(\d+) +[\d.]+$", text, re.MULTILINE)
    return defaultdict(int, {name: int(count) for name, count in found})
