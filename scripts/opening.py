"""What moves on the book's first page: films of the runs behind chapter 1's explorer, one for each loss and
algorithm that a reader may choose there.

`python -m scripts.opening` makes book/data/opening.json. Goodput is not in it: book/extensions/opening.py
takes that from the chapter's recording. The same kernel gives the same bytes: a test makes it again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from labkit import Result, run
from labkit.player import player

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book/extensions"))

from live import slices  # noqa: E402

FILE = ROOT / "book/data/opening.json"
CHAPTER, WIDGET = "01-a-network-in-a-notebook", "window"
KNOBS = ("loss", "cc")
"""Those that the page has; the explorer's others stand where they start."""
LONG_S = 0.6
FROM_S = 20.0  # slow start is long over
BEFORE_S = 0.1


def films() -> dict[str, dict[str, Any]]:
    """By the point of the explorer. sha256: of what the run in a page gives."""
    space = slices.widget(CHAPTER, WIDGET).space
    fixed = {i for i, name in enumerate(space.knobs) if name not in KNOBS}
    points = [p for p in space.grid() if all(p[i] == space.default[i] for i in fixed)]
    found = {}
    for point in points:
        result = run(space.experiment(point), place="wasm")
        made = player(result, between=span(result), name="opening").film
        raw = hashlib.sha256((result.folder / "raw").read_bytes()).hexdigest()
        found[",".join(map(str, point))] = {"sha256": raw, "film": made}
    return found


def span(result: Result) -> tuple[float, float]:
    """From shortly before a packet is lost on the wire; without such losses, when none is lost at all."""
    drops = result.drops
    wire = drops.loc[(drops["place"] == "wire") & (drops["time_s"] > FROM_S + BEFORE_S), "time_s"]
    begin = round(wire.min() - BEFORE_S, 3) if len(wire) else FROM_S
    while not len(wire) and drops["time_s"].between(begin, begin + LONG_S).any():
        begin += LONG_S
    return begin, round(begin + LONG_S, 3)


def text(found: dict[str, dict[str, Any]]) -> str:
    """A film a line."""
    lines = (f"{json.dumps(key)}: {json.dumps(one, separators=(',', ':'))}" for key, one in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text(films()), encoding="utf-8")
