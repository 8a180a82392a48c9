"""Case files on the lab kernel: a kept row of each file comes out again."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from labkit import run
from labkit.measures.vocabulary import as_measure
from labkit.sweeps.rows import rows_of
from tests.project.test_tree import script

CASES = script("cases")
LONG = {"2-delay-1800s", "3-parallel-1800s"}
FILES = [(case, name) for case in CASES.CASES.values() for name in case.names() if name not in LONG]


def shortest(table: pd.DataFrame, measure: str) -> str:
    """The digest of the run of fewest packets among those that did not stall, or among all if each did."""
    done = table[table["incomplete"] == 0]
    of = (done if len(done) else table).groupby("spec_digest")
    return str((of[measure].sum() * of["virtual_s"].first()).idxmin())


@pytest.mark.parametrize(("case", "name"), FILES, ids=[f"{case.name}-{name}" for case, name in FILES])
def test_a_kept_row_comes_out_again_to_the_last_bit(case, name: str) -> None:
    if json.loads(case.made_by.read_text())["kernel"] != CASES.made_by()["kernel"]:
        pytest.skip("the rows are of another kernel; what they show is tested elsewhere")
    file, kept = case.file(name), CASES.kept(case, name)
    least = shortest(kept.table, kept.measures[0])
    planned = CASES.plan(file)
    exp = next(exp for exp in map(planned.experiment, planned.keys()) if exp.digest() == least)
    measured = rows_of(as_measure(file.measure)(run(exp, cache=False)))
    table = kept.table[kept.table["spec_digest"] == least]
    for row, (_, before) in zip(measured, table.iterrows(), strict=True):
        for figure in kept.measures:
            assert (None if pd.isna(before[figure]) else before[figure]) == row[figure]
