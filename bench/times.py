"""How long `make test` took when it was last run here: as a whole, by part, and its slowest twenty.

The suite itself keeps the times (tests/times.py); nothing is measured here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

FILE = Path(__file__).parent.parent / "_build/times.json"
_SLOWEST = 20


def text(file: Path = FILE) -> str:
    """A few lines for people."""
    if not file.exists():
        return "make test: no times are kept yet: run it once."
    kept = json.loads(file.read_text())
    parts: dict[str, float] = defaultdict(float)
    for test, seconds in kept["tests"].items():
        parts[test.split("/")[1]] += seconds
    shares = ", ".join(f"{part} {s / 60:.1f}" for part, s in sorted(parts.items(), key=lambda item: -item[1]))
    slowest = sorted(kept["tests"].items(), key=lambda item: -item[1])[:_SLOWEST]
    whole = f"make test: {kept['wall_s'] / 60:.1f} minutes on {kept['workers']} workers"
    lines = [f"{seconds:7.1f} s  {test}" for test, seconds in slowest]
    return "\n".join([f"{whole}, whose minutes were: {shares}", f"Its slowest {len(slowest)}:", *lines])
