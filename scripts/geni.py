"""GENI's exercises, measured: runs book/data/geni/*.yaml, keeps the rows, fills the tables of book/geni.md.

`geni.py` runs every exercise (half an hour), `geni.py 4-loss` those that are named, `geni.py --tables` none.
What is in the result cache is not run again. Tests hold rows, files, page and kernel against each other.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Hashable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from labkit import SweepFile
from labkit.execute.guest.kernel.build import kernel
from labkit.sweeps import Sweep
from labkit.sweeps.measures import Named, as_measure
from labkit.sweeps.plan import Plan

ROOT = Path(__file__).parents[1]
FILES, ROWS, PAGE = ROOT / "book/data/geni", ROOT / "book/data/geni/measured", ROOT / "book/geni.md"
MADE_BY = ROWS / "made-by.json"
BLOCK = re.compile(r"(<!-- geni: (\S+) -->\n).*?(<!-- geni: end -->)", re.DOTALL)
SHOWN = {
    "goodput_sum": "sum",
    "goodput_min": "least",
    "goodput_max": "most",
    "datagrams_lost": "lost share",
}
NAMES = {
    "flows.cc": "Algorithm",
    "protocol": "Protocol",
    "second": "Second",
    "flows": "Flows",
    "sysctls": "`tcp_reordering`",
    "links.center-left.forward": "Way to left",
    "links.center-left.forward.loss": "Loss",
    "sysctls.net.ipv4.tcp_sack": "`tcp_sack`",
}


def names() -> list[str]:
    """Of all exercises' files, in order."""
    return sorted(path.stem for path in FILES.glob("*.yaml"))


def plan(file: SweepFile) -> Plan:
    """What a file runs."""
    return Plan.of(file.template, file.grid, file.seeds)


def made_by() -> dict[str, str]:
    """Releases of the lab kernel and of labkit."""
    return {"kernel": kernel().release, "labkit": version("labkit")}


def measure(name: str) -> None:
    """Run an exercise and keep its rows. Raises SweepError."""
    MADE_BY.write_text(json.dumps(made_by()) + "\n")
    SweepFile.load(FILES / f"{name}.yaml").run(on_error="raise").to_csv(ROWS / f"{name}.csv")


def kept(name: str) -> Sweep:
    """The rows of an exercise, as the sweep that they are of."""
    file = SweepFile.load(FILES / f"{name}.yaml")
    measured, planned = as_measure(file.measure), plan(file)
    assert isinstance(measured, Named)
    texts = [axis.path for axis in planned.axes if not axis.numeric] + [*measured.keys, "error"]
    rows = pd.read_csv(ROWS / f"{name}.csv", dtype=dict.fromkeys(texts, str)).fillna({"error": ""})
    rows = rows.drop(columns=[column for column in map(str, rows) if column.startswith("published ")])
    published = None if file.published is None else file.published.bound(planned.axes, measured)
    records = [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]
    return Sweep(planned.axes, records, published=published)


def table(swept: Sweep) -> pd.DataFrame:
    """A row for each case that the source tells apart; published, and a column for each of our settings."""
    assert swept.published is not None
    summary = swept.summary()
    named = {name for figure in swept.published.figures for name in figure.at}
    paths = [axis.path for axis in swept.axes if len(axis.labels) > 1]
    settings = [path for path in paths if path not in named]
    cases = [path for path in paths if path in named] + [key for key in swept.keys if key in named]
    several = ["measure"] if len(swept.measures) > 1 else []
    of = [(f.measure, f.at.get("protocol")) for f in swept.published.figures]
    known = zip(summary["measure"], summary.get("protocol", [None] * len(summary)), strict=True)
    summary = summary[[(name, protocol) in of or (name, None) in of for name, protocol in known]]
    written = {a.path: dict(zip(a.labels, map(_text, a.values, a.labels), strict=True)) for a in swept.axes}
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for record in summary.to_dict("records"):
        shown = {name: written.get(name, {}).get(record[name], record[name]) for name in [*cases, *settings]}
        shown |= {"measure": SHOWN.get(record["measure"], record["measure"])}
        row = rows.setdefault(tuple(str(shown[name]) for name in [*cases, *several]), {})
        row["Published"] = _number(record["published"])
        row[", ".join(str(shown[name]) for name in settings) or "Measured"] = _spread(record)
    heads = [NAMES.get(name, "Mbit/s") for name in [*cases, *several]]
    if len(rows) == 2 and settings:  # two columns of figures rather than two lines: they fit a phone
        lines = next(iter(rows.values()))
        columns = {", ".join(case): [row[line] for line in lines] for case, row in rows.items()}
        return pd.DataFrame({"Mbit/s": list(lines), **columns})
    return pd.DataFrame([dict(zip(heads, case, strict=True)) | row for case, row in rows.items()])


def _text(value: object, label: object) -> str:
    return value if isinstance(value, str) and not isinstance(label, str) else str(label)


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _spread(record: Mapping[Hashable, Any]) -> str:
    """Mean, and half of its 95 % interval where there is one and it says anything."""
    half = (record["high"] - record["low"]) / 2
    return _number(record["mean"]) + (f" ± {half:.2g}" if half > 0 else "")


def filled(page: str) -> str:
    """The page with every table as the rows have it."""

    def block(match: re.Match[str]) -> str:
        found = table(kept(match[2]))
        lines = ["| " + " | ".join(found.columns) + " |", "|" + "---|" * len(found.columns), *_lines(found)]
        return match[1] + "\n" + "\n".join(lines) + "\n\n" + match[3]

    return BLOCK.sub(block, page)


def _lines(found: pd.DataFrame) -> Iterator[str]:
    for row in found.itertuples(index=False):
        yield "| " + " | ".join(row) + " |"


def main(given: list[str]) -> int:
    """Measure, then write the page. Returns the exit code."""
    known = names()
    if unknown := [name for name in given if name not in (*known, "--tables")]:
        print(f"{unknown[0]}: no such exercise: there are {', '.join(known)}", file=sys.stderr)
        return 2
    for name in [] if "--tables" in given else given or known:
        measure(name)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
