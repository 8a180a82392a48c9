"""How long the tests took when they last ran here: as a whole, by folder, and the slowest.

The suite itself keeps the times (tests/times.py); nothing is measured here. A worker-minute is a minute of
one of the workers that share the tests: what the suite costs, whatever their number.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from labkit.execute.artifacts import cache

FILE = cache.place("tests") / "times.json"
NONE = "No times are kept here yet: `make test` keeps them."
_SLOWEST = 20


def text(file: Path = FILE) -> str:
    """A few lines for people."""
    if not file.exists():
        return NONE
    kept = json.loads(file.read_text())
    shares = ", ".join(f"{folder} {minutes:.1f}" for folder, minutes in by_folder(kept).most_common())
    slowest = sorted(kept["tests"].items(), key=lambda item: -item[1])[:_SLOWEST]
    lines = [f"{seconds:7.1f} s  {test}" for test, seconds in slowest]
    return "\n".join([f"{_whole(kept)}: {shares}", f"The slowest {len(slowest)}:", *lines])


def markdown(file: Path = FILE) -> str:
    """A row for each folder of tests, and what all of them came to."""
    if not file.exists():
        return NONE
    kept = json.loads(file.read_text())
    tests = Counter(_folder(test) for test in kept["tests"])
    rows = [
        f"| `tests/{folder}` | {tests[folder]} | {minutes:.1f} |"
        for folder, minutes in by_folder(kept).most_common()
    ]
    return "\n".join(["| folder | tests | worker-minutes |", "|---|---|---|", *rows, "", f"{_whole(kept)}."])


def by_folder(kept: dict[str, Any]) -> Counter[str]:
    """Worker-minutes of each folder below tests/."""
    found: Counter[str] = Counter()
    for test, seconds in kept["tests"].items():
        found[_folder(test)] += seconds / 60
    return found


def _folder(test: str) -> str:
    return test.split("/")[1]


def _whole(kept: dict[str, Any]) -> str:
    return (
        f"The last run of the tests: {len(kept['tests'])} tests, {sum(kept['tests'].values()) / 60:.1f} "
        f"worker-minutes, {kept['wall_s'] / 60:.1f} minutes on {kept['workers']} workers"
    )
