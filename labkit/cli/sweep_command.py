"""`labkit sweep`: an experiment over a grid, from a file; means with confidence intervals as a table."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.cli import FAILED, LIMIT, OK
from labkit.cli.text import dump, table

if TYPE_CHECKING:
    from labkit.sweeps import Sweep


def main(arguments: argparse.Namespace) -> int:
    """Run, print, save. Raises LabkitError, OSError."""
    from labkit.sweeps.file import SweepFile
    from labkit.sweeps.swept import SweepError

    file = SweepFile.load(arguments.file)
    if arguments.csv:
        Path(arguments.csv).touch()  # what cannot be written is said now, not after the last run
    pool = nullcontext() if arguments.workers is None else ThreadPoolExecutor(arguments.workers)
    with pool as executor:
        try:
            swept = file.run(executor=executor, cache=not arguments.no_cache, on_error="raise")
        except SweepError as error:
            swept = error.sweep
    print(as_json(swept, arguments.interval) if arguments.json else as_text(swept, arguments.interval))
    if arguments.csv:
        swept.to_csv(arguments.csv)
    if swept.failed.empty:
        return OK
    print(f"labkit: {swept.failures()}", file=sys.stderr)
    return LIMIT if swept.limits == len(swept.failed) else FAILED


def as_json(swept: Sweep, interval: Any) -> str:
    """One object: rows, summary, and how its intervals were had."""
    summary = swept.summary(interval)
    return dump(
        {
            "rows": swept.table.to_dict("records"),
            "summary": summary.to_dict("records"),
            "interval": summary.attrs["interval"],
            **({} if swept.published is None else {"published": swept.published.source}),
            "units": swept.table.attrs["units"],
        }
    )


def as_text(swept: Sweep, interval: Any) -> str:
    """The summary as a table, and one line about it."""
    summary = swept.summary(interval).drop(columns="std")
    numbers = frozenset(i for i, name in enumerate(summary) if summary[name].dtype.kind in "if")
    rows = [[_cell(value) for value in row] for row in summary.itertuples(index=False)]
    shown = [table([str(name) for name in summary], rows, right=numbers)] if rows else []
    source = [] if swept.published is None else [f"published: {swept.published.source}"]
    return "\n\n".join([*shown, f"{swept.runs} runs; low, high: {summary.attrs['interval']}", *source])


def _cell(value: Any) -> str:
    if value != value:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
