"""The map of appendix A: rows and the chapter's cells are of one piece, nothing is missing. Runs nothing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

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


def test_no_row_is_there_twice() -> None:
    assert len(ZOO.ROWS.read_text().splitlines()) == 1 + len(ROWS)


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


def test_the_page_offers_the_rows() -> None:
    assert "{download}`map.csv\n<../book/data/zoo/map.csv>`" in ZOO.CHAPTER.read_text()


def test_what_made_the_rows_is_kept() -> None:
    made_by = json.loads(ZOO.MADE_BY.read_text())
    assert set(made_by) == {"kernel", "kernel key", "labkit", "seeds"}
    assert all(made_by.values())
    assert {int(row["seed"]) for row in ROWS.values()} == set(made_by["seeds"])


@pytest.fixture
def again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The script on a copy of three rows, and what it measures."""
    three = list(POINTS.values())[:3]
    found: list[dict[str, Any]] = []

    def measured(point: dict[str, Any], *_: object) -> dict[str, str]:
        found.append(point)
        return ROWS[ZOO.key(point)]

    monkeypatch.setattr(ZOO, "points", lambda zoo: three)
    monkeypatch.setattr(ZOO, "measured", measured)
    monkeypatch.setattr(ZOO, "made_by", lambda: json.loads(made_by))
    made_by = ZOO.MADE_BY.read_text()
    for name in ("FOLDER", "ROWS", "MADE_BY"):
        monkeypatch.setattr(ZOO, name, tmp_path / getattr(ZOO, name).name)
    ZOO.FOLDER.mkdir()
    ZOO.write(ROWS[ZOO.key(point)] for point in three)
    ZOO.MADE_BY.write_text(made_by)
    return found


def test_nothing_is_measured_that_is_there(again: list[dict[str, Any]]) -> None:
    assert ZOO.main() == 0
    assert again == []


def test_a_row_of_another_experiment_is_measured_again(again: list[dict[str, Any]]) -> None:
    rows = ZOO.kept()
    kept, old, _ = rows.values()
    ZOO.write([kept, old | {"spec": "0" * 12}])  # and the third is missing
    ZOO.main()
    assert [ZOO.key(point) for point in again] == list(rows)[1:]
    assert ZOO.kept() == rows


def test_rows_of_another_labkit_stay(again: list[dict[str, Any]]) -> None:
    ZOO.MADE_BY.write_text(json.dumps(ZOO.made_by() | {"labkit": "0.0.1"}))
    ZOO.main()
    assert again == []


def test_rows_of_another_kernel_are_all_measured_again(again: list[dict[str, Any]]) -> None:
    rows, made_by = ZOO.kept(), ZOO.made_by()
    ZOO.MADE_BY.write_text(json.dumps(made_by | {"kernel": "6.1.0"}))
    ZOO.main()
    assert [ZOO.key(point) for point in again] == list(rows)
    assert json.loads(ZOO.MADE_BY.read_text()) == made_by
