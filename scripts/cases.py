"""Case files, measured: runs book/data/CASE/*.yaml, keeps the rows, fills the tables of the case's page.

`cases.py geni` runs every file of GENI's (half an hour), `cases.py geni 4-loss` those that are named,
`cases.py geni --tables` none. What is in the result cache is not run again. Tests hold rows, files, page and
kernel against each other.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from labkit import SweepFile
from labkit.execute.guest.kernel.build import kernel
from labkit.measures.named_measure import NamedMeasure
from labkit.measures.vocabulary import as_measure
from labkit.models import estimates
from labkit.sweeps import Sweep
from labkit.sweeps.plan import Plan

ROOT = Path(__file__).parents[1]
DATA = ROOT / "book/data"
SHOWN: dict[str, str] = json.loads((DATA / "measures.json").read_bytes())
"""What a measure is called in a table."""


class Case(NamedTuple):
    """A source: the folder of its files under book/data, its page, and of `columns.json` in that folder what
    its tables' columns are called (heads), and whether a line below each says of how many runs it is.

    A table stands on the page between `<!-- geni: FILE MEASURE... AXIS=LABEL... -->` and `<!-- geni: end -->`
    and shows the measures that it names, or those that the source has, where axes have these labels
    (AXIS!=LABEL: any but this one; ~ for a blank).
    """

    name: str
    heads: Mapping[str, str]
    says_runs: bool

    @property
    def files(self) -> Path:
        return DATA / self.name

    @property
    def rows(self) -> Path:
        return self.files / "measured"

    @property
    def made_by(self) -> Path:
        return self.rows / "made-by.json"

    @property
    def page(self) -> Path:
        return ROOT / f"book/{self.name}.md"

    @property
    def block(self) -> re.Pattern[str]:
        """A table on the page; its second group is the file's name, its third the measures that it names."""
        return re.compile(
            rf"(<!-- {self.name}: (\S+)((?: \S+)*) -->\n).*?(<!-- {self.name}: end -->)", re.DOTALL
        )

    def names(self) -> list[str]:
        """Of all its files, in order."""
        return sorted(path.stem for path in self.files.glob("*.yaml"))

    def file(self, name: str) -> SweepFile:
        """Raises SpecError, OSError."""
        return SweepFile.load(self.files / f"{name}.yaml")


def _case(folder: Path) -> Case:
    return Case(folder.name, **json.loads((folder / "columns.json").read_bytes()))


CASES = {path.parent.name: _case(path.parent) for path in sorted(DATA.glob("*/columns.json"))}


def plan(file: SweepFile) -> Plan:
    """What a file runs."""
    return Plan.of(file.template, file.grid, file.seeds)


def made_by() -> dict[str, str]:
    """Releases of the lab kernel and of labkit."""
    return {"kernel": kernel().release, "labkit": version("labkit")}


def measure(case: Case, name: str) -> None:
    """Run a file and keep its rows. Raises SweepError."""
    case.made_by.write_text(json.dumps(made_by()) + "\n")
    case.file(name).run(on_error="raise").to_csv(case.rows / f"{name}.csv")


def kept(case: Case, name: str) -> Sweep:
    """The rows of a file, as the sweep that they are of."""
    file = case.file(name)
    measured, planned = as_measure(file.measure), plan(file)
    assert isinstance(measured, NamedMeasure)
    texts = [axis.path for axis in planned.axes if not axis.numeric] + [*measured.keys, "error"]
    rows = pd.read_csv(case.rows / f"{name}.csv", dtype=dict.fromkeys(texts, str)).fillna({"error": ""})
    rows = rows.drop(columns=[column for column in map(str, rows) if column.startswith("published ")])
    published = None if file.published is None else file.published.bound(planned.axes, measured)
    records = [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]
    return Sweep(planned.axes, records, published=published)


def table(case: Case, swept: Sweep, wanted: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each point that the source tells apart; published, and a column for each of our settings.

    Of a source without figures it is the first axis that makes the rows, and the flows. wanted: see Case.
    """
    assert swept.published is not None
    summary, figures = _shown(swept, wanted), swept.published.figures
    paths = [axis.path for axis in swept.axes if len(axis.labels) > 1]
    named = {name for figure in figures for name in figure.at} if figures else {*paths[:1], *swept.keys}
    settings = [path for path in paths if path not in named]
    points = [path for path in paths if path in named]
    points += [key for key in swept.keys if key in named and summary[key].nunique() > 1]
    several = ["measure"] if len(set(summary["measure"])) > 1 else []
    written = {a.path: dict(zip(a.labels, map(_text, a.values, a.labels), strict=True)) for a in swept.axes}
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for record in summary.to_dict("records"):
        shown = {name: written.get(name, {}).get(record[name], record[name]) for name in [*points, *settings]}
        shown |= {"measure": SHOWN.get(record["measure"], record["measure"])}
        row = rows.setdefault(tuple(str(shown[name]) for name in [*points, *several]), {})
        if summary["published"].notna().any():
            row["Published"] = _number(record["published"], 4)
        row[", ".join(str(shown[name]) for name in settings) or "Measured"] = _spread(record, swept)
    heads = [case.heads.get(name, "Mbit/s") for name in [*points, *several]]
    if len(rows) == 2 and settings:  # two columns of figures rather than two lines: they fit a phone
        lines = next(iter(rows.values()))
        columns = {", ".join(point): [row[line] for line in lines] for point, row in rows.items()}
        return pd.DataFrame({"Mbit/s": list(lines), **columns})
    return pd.DataFrame([dict(zip(heads, point, strict=True)) | row for point, row in rows.items()])


def _shown(swept: Sweep, wanted: Sequence[str]) -> pd.DataFrame:
    """The summary, less what the source has nothing of: other measures, and flows that it does not name."""
    assert swept.published is not None
    summary, figures = swept.summary(), swept.published.figures
    for column, label in (word.split("=") for word in wanted if "=" in word):
        found = summary[column.removesuffix("!")] == label.replace("~", " ")
        summary = summary[~found if column.endswith("!") else found]
    if measures := [word for word in wanted if "=" not in word]:
        return summary[summary["measure"].isin(measures)]
    of = [(f.measure, f.at.get("protocol")) for f in figures]
    known = zip(summary["measure"], summary.get("protocol", [None] * len(summary)), strict=True)
    if figures:
        summary = summary[[(name, protocol) in of or (name, None) in of for name, protocol in known]]
    if flows := {f.at["flow"] for f in figures if "flow" in f.at}:
        summary = summary[summary["flow"].isin(flows)]
    return summary


def _text(value: object, label: object) -> str:
    return value if isinstance(value, str) and not isinstance(label, str) else str(label)


def _number(value: float, digits: int = 3) -> str:
    """Rounded; never as 4e-07. Of two digits the second goes where a value is that small."""
    if math.isnan(value):
        return ""
    if 0 < abs(value) < 0.01:
        return np.format_float_positional(float(f"{value:.{digits if digits > 2 else 1}g}"), trim="-")
    return f"{value:.{digits}g}" if abs(value) < 100 else f"{value:.0f}"


def _spread(record: Mapping[Hashable, Any], swept: Sweep) -> str:
    """Mean, and half of its 95 % interval where there is one and it says anything.

    Where some runs did not complete: how many did, Wilson's interval of that share, and from what to what all
    runs had. Where runs differ by more than a mean tells: the median, and from what to what.
    """
    values, incomplete = _runs(record, swept)
    least, most = _number(min(values), 2), _number(max(values), 2)
    if incomplete:
        found = estimates.share(len(values) - incomplete, len(values))
        arrived = f"{found.k} of {found.n} ({100 * found.low:.0f} to {100 * found.high:.0f}\u00a0%)"
        return f"{arrived}; {least}" + (f" to\u00a0{most}" if least != most else "")
    half = (record["high"] - record["low"]) / 2
    if half > 0 and (record["low"] < 0 or record["std"] > record["mean"] / 2):
        return f"{_number(float(pd.Series(values).median()))} ({least} to {most})"
    written = f"{half:.2g}" if half < 100 else f"{half:.0f}"  # never as 2.7e+02
    return _number(record["mean"]) + (f" ±\u00a0{written}" if half > 0 else "")


def _runs(record: Mapping[Hashable, Any], swept: Sweep) -> tuple[list[float], int]:
    """A point's values, and how many of them are of flows that did not complete.

    The column `incomplete` counts all flows of a run: where there are several, `complete` must be measured.
    """
    found = swept.table
    for name in [*(axis.path for axis in swept.axes), *swept.keys]:
        found = found[found[name] == record[name]]
    cut = (found["complete"] == 0).sum() if "complete" in found else (found["incomplete"] > 0).sum()
    return found[str(record["measure"])].dropna().to_list(), int(cut)


def filled(case: Case, page: str) -> str:
    """The page with every table as the rows have it."""

    def block(match: re.Match[str]) -> str:
        swept = kept(case, match[2])
        found = table(case, swept, match[3].split())
        lines = ["| " + " | ".join(found.columns) + " |", "|" + "---|" * len(found.columns), *_lines(found)]
        if case.says_runs:
            runs = swept.table["seed"].nunique()
            lines += [
                "",
                f"{runs} runs for each figure." if runs > 1 else "Nothing is random here: one run each.",
            ]
        return match[1] + "\n" + "\n".join(lines) + "\n\n" + match[4]

    return case.block.sub(block, page)


def _lines(found: pd.DataFrame) -> Iterator[str]:
    for row in found.itertuples(index=False):
        yield "| " + " | ".join(row) + " |"


def main(given: list[str]) -> int:
    """Measure, then write the page. Returns the exit code."""
    if not given or given[0] not in CASES:
        print(f"which case: {', '.join(CASES)}", file=sys.stderr)
        return 2
    case, wanted = CASES[given[0]], given[1:]
    known = case.names()
    if unknown := [name for name in wanted if name not in (*known, "--tables")]:
        print(f"{unknown[0]}: no such file of {case.name}: there are {', '.join(known)}", file=sys.stderr)
        return 2
    for name in [] if "--tables" in wanted else wanted or known:
        measure(case, name)
    case.page.write_text(filled(case, case.page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
