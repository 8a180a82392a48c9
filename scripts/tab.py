"""The tab beside the guest: twenty experiments, every table of theirs, cell by cell. Keeps book/data/tab.csv.

scripts/tab.py [WORD]    only experiments with this word in their names; nothing is kept then
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from labkit import Experiment, run
from tests.tab.cells import DRAWN, compared
from tests.tab.experiments import EXPERIMENTS

KEPT = Path(__file__).parents[1] / "book" / "data" / "tab.csv"


def row(name: str, exp: Experiment) -> dict[str, object]:
    """What is kept of an experiment. Numbers that a kernel draws are named apart."""
    guest, tab = run(exp), run(exp, place="tab")
    sums = [int(result.flows["received_bytes"].sum()) for result in (guest, tab)]
    found = compared(guest, tab)
    drawn = sorted({column for columns in found.values() for column in columns if column in DRAWN})
    unequal = {
        table: {column: rows for column, rows in columns.items() if column not in DRAWN}
        for table, columns in found.items()
    }
    said = (
        f"{table} ({', '.join(f'{column} {rows}' for column, rows in columns.items())})"
        for table, columns in unequal.items()
        if columns
    )
    made = {
        "experiment": name,
        "received_guest": sums[0],
        "received_tab": sums[1],
        "difference_percent": round(100 * (sums[1] / sums[0] - 1), 4),
        "retransmits_guest": int(guest.retransmits().fillna(0).sum()),
        "retransmits_tab": int(tab.retransmits().fillna(0).sum()),
        "equal": ", ".join(table for table, columns in unequal.items() if not columns),
        "drawn": ", ".join(drawn),
        "differ": "; ".join(said),
    }
    print(*(f"{key}: {value}" for key, value in made.items()), sep="\n  ", flush=True)
    return made


def main(word: str = "") -> None:
    """Compare, print, and keep unless only some were asked for."""
    rows = [row(name, exp) for name, exp in EXPERIMENTS.items() if word in name]
    if not word:
        pd.DataFrame(rows).to_csv(KEPT, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
