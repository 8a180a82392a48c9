"""The map of appendix A, measured: every algorithm at every place, by the chapter's own cells.

`scripts/zoo.py` runs what book/data/zoo/map.csv does not have yet, a quarter of an hour on one processor for
all, and writes its rows every now and then: an interruption costs little. A row whose experiment is another
one by now is measured again, and all are on another kernel: made-by.json holds for every row, but for
labkit's version, which is that of the last run.
"""

from __future__ import annotations

import csv
import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jupytext
import numpy as np

import labkit
from labkit import Experiment, Result, run
from labkit.execute.guest.kernel.build import kernel

ROOT = Path(__file__).parents[1]
CHAPTER = ROOT / "chapters/A-the-whole-zoo.md"
FOLDER = ROOT / "book/data/zoo"
ROWS, MADE_BY = FOLDER / "map.csv", FOLDER / "made-by.json"

GRID: dict[str, list[Any]] = {
    "loss": ["0%", "1%"],
    "rate": [10, 50],
    "rtt": [20, 160],
    "queue": ["short", "deep", "marks"],
    "beside": ["nobody", "itself", "cubic"],
}
SEEDS = (1, 2, 3)
POINT = ("cc", "beside", "loss", "rtt", "queue", "rate", "seed")
DIGITS = {"it": 4, "other": 4, "queue_ms": 3, "again": 4}
COLUMNS = (*POINT, *DIGITS, "stalled", "spec")
Row = dict[str, str]


def cells() -> tuple[list[str], Callable[..., Experiment], Callable[[Result], dict[str, float]]]:
    """What the chapter calls ZOO, place and seen: the algorithms, an experiment of the map, its figures."""
    names: dict[str, Any] = {"np": np} | {name: getattr(labkit, name) for name in labkit.__all__}
    for cell in jupytext.read(CHAPTER, fmt="md:myst").cells:
        if cell.source.startswith(("ZOO = ", "def place(", "def seen(")):
            exec(cell.source, names)  # our own text
    return names["ZOO"], names["place"], names["seen"]


def points(zoo: list[str]) -> Iterator[dict[str, Any]]:
    """Every run: each algorithm at each place, three draws of starts and losses."""
    for seed in SEEDS:
        for values in itertools.product(*GRID.values()):
            yield from ({"cc": cc, **dict(zip(GRID, values, strict=True)), "seed": seed} for cc in zoo)


def key(row: dict[str, Any]) -> tuple[str, ...]:
    """Which run a row is of."""
    return tuple(str(row[name]) for name in POINT)


def kept() -> dict[tuple[str, ...], Row]:
    """The rows that there are."""
    if not ROWS.exists():
        return {}
    with ROWS.open(newline="") as file:
        return {key(row): row for row in csv.DictReader(file)}


def measured(
    point: dict[str, Any],
    exp: Experiment,
    seen: Callable[[Result], dict[str, float]],
    cache: bool = True,
) -> Row:
    """A row as it is kept."""
    found = seen(run(exp, cache=cache))
    figures = {name: f"{found[name]:.{n}f}" if name in found else "" for name, n in DIGITS.items()}
    rest = {"stalled": str(found["stalled"]), "spec": exp.digest()[:12]}
    return {name: str(value) for name, value in point.items()} | figures | rest


def main() -> int:
    """Measure what is missing, then put all rows in order. Returns the exit code."""
    zoo, place, seen = cells()
    FOLDER.mkdir(exist_ok=True)
    if not made_here():
        ROWS.unlink(missing_ok=True)
    MADE_BY.write_text(json.dumps(made_by()) + "\n")
    rows, wanted = kept(), list(points(zoo))
    for number, point in enumerate(wanted, 1):
        exp = place(**point)
        if rows.get(key(point), {}).get("spec") != exp.digest()[:12]:
            rows[key(point)] = measured(point, exp, seen)
            if number % 50 == 0:
                write(rows.values())
    write(rows[key(point)] for point in wanted)
    return 0


def made_by() -> dict[str, Any]:
    """What makes rows here. The kernel's key tells those of two compilers or configurations apart."""
    lab = kernel()
    return {"kernel": lab.release, "kernel key": lab.key, "labkit": version("labkit"), "seeds": list(SEEDS)}


def made_here() -> bool:
    """Whether a kernel of this release made the rows that there are."""
    if not MADE_BY.exists():
        return False
    return bool(json.loads(MADE_BY.read_text())["kernel"] == made_by()["kernel"])


def write(rows: Iterable[Row]) -> None:
    """The file with these rows, whole or not at all."""
    new = ROWS.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(ROWS)


if __name__ == "__main__":
    sys.exit(main())
