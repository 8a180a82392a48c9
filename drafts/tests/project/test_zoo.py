"""The map of chapter 14: rows and the chapter's cells are of one piece, nothing is missing. Runs nothing."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from labkit.traffic.kind import LAB_CONGESTION_CONTROLS
from tests.project.test_tree import script

ZOO = script("zoo")
ROWS = ZOO.kept()
NAMES, PLACE, _ = ZOO.cells()
POINTS = {ZOO.key(point): point for point in ZOO.points(NAMES)}


def test_the_chapter_has_the_seventeen_of_the_lab_kernel() -> None:
    assert sorted(NAMES) == sorted(LAB_CONGESTION_CONTROLS)
    assert len(NAMES) == 17


def test_every_run_has_its_row_and_every_row_is_of_a_run() -> None:
    assert set(ROWS) == set(POINTS), "scripts/zoo.py"


def test_all_seventeen_are_at_each_place() -> None:
    places = Counter(tuple(row[name] for name in ZOO.POINT[1:]) for row in ROWS.values())
    assert set(places.values()) == {17}


def test_each_row_is_of_the_experiment_that_the_chapter_describes() -> None:
    for key, row in ROWS.items():
        assert PLACE(**POINTS[key]).digest()[:12] == row["spec"], "scripts/zoo.py"


@pytest.mark.parametrize("column", ["it", "queue_ms", "again"])
def test_no_figure_is_missing(column: str) -> None:
    assert all(float(row[column]) >= 0 for row in ROWS.values())


def test_a_second_flow_has_its_share_where_there_is_one() -> None:
    assert all((row["other"] == "") == (row["beside"] == "nobody") for row in ROWS.values())


def test_shares_add_up_to_the_line() -> None:
    # More than the line: what came while a hole was open is acknowledged when it is filled.
    totals = [float(row["it"]) + float(row["other"] or 0) for row in ROWS.values()]
    assert max(totals) < 1.1


def test_the_rows_are_small_enough_to_be_downloaded() -> None:
    assert ZOO.ROWS.stat().st_size <= 300_000


def test_what_made_the_rows_is_kept() -> None:
    assert set(json.loads(ZOO.MADE_BY.read_text())) == {"kernel", "labkit"}
