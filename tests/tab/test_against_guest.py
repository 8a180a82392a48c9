"""The tab beside the guest: the same cells in every table, but for numbers that a kernel draws.

Of all twenty experiments book/data/tab.csv says it (scripts/tab.py); here are some that reach far apart.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from labkit import run
from labkit.execute.tab.pieces import Pieces
from tests.tab.cells import DRAWN, compared
from tests.tab.experiments import EXPERIMENTS

KEPT = Path(__file__).parents[2] / "book" / "data" / "tab.csv"
UNEQUAL = {"a tunnel over TCP"}
"""A nearly full TUN device loses other packets: its ring's entries are free again 32 at a time where pointers
have 32 bits, 16 at a time in the guest (include/linux/ptr_ring.h)."""


@pytest.mark.parametrize(
    "name", ["CUBIC, 1 % loss, all probes", "these packets", "pings and trains", "the teaching NIC"]
)
def test_every_cell_is_the_same(tab: Pieces, name: str) -> None:
    guest, emulated = (run(EXPERIMENTS[name], place=place, cache=False) for place in ("guest", "tab"))
    found = compared(guest, emulated)
    unequal = {table: set(columns) - DRAWN for table, columns in found.items()}
    assert {table: columns for table, columns in unequal.items() if columns} == {}
    assert len(found) > 4


def test_what_is_kept_of_twenty_says_the_same() -> None:
    kept = pd.read_csv(KEPT, keep_default_na=False).set_index("experiment")
    assert set(kept.index) == set(EXPERIMENTS)
    assert (kept["difference_percent"].abs() < 1).all()
    assert set(kept.index[kept["differ"] != ""]) <= UNEQUAL
