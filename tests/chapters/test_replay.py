"""The two ways of replaying, tried on a chapter of three cells: each must be able to fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.chapters import replay, rounding

CHART = {"data": {"values": [{"x": 1.0, "y": 2.5}]}}
SHOW = "from IPython.display import display\ndisplay({'application/vnd.vegalite.v5+json': %r}, raw=True)"


MADE_BY = "Linux 6.12.1, labkit 0.1.0, seed 1"


def chapter(
    path: Path,
    *,
    goodput: str = "9.5",
    claim: str = "9 < goodput < 10",
    y: float = 2.5,
    made_by: str = MADE_BY,
) -> Path:
    """A notebook whose recording says `goodput`, `y` and `made_by`; run, it says 9.5, 2.5 and MADE_BY."""
    cells = [
        new_code_cell(
            f"goodput = 9.5\nassert {claim}\nprint(goodput, 'Mbit/s')",
            outputs=[new_output("stream", name="stdout", text=f"{goodput} Mbit/s\n")],
        ),
        new_code_cell(
            SHOW % CHART,
            outputs=[
                new_output(
                    "display_data",
                    data={"application/vnd.vegalite.v5+json": {"data": {"values": [{"x": 1.0, "y": y}]}}},
                )
            ],
        ),
        new_code_cell(
            f"print({MADE_BY!r})", outputs=[new_output("stream", name="stdout", text=f"{made_by}\n")]
        ),
    ]
    for number, cell in enumerate(cells):
        cell["id"], cell["execution_count"] = f"cell-{number:03d}", number + 1
    notebook = new_notebook(
        cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    target = path / "chapter.ipynb"
    nbformat.write(notebook, target)
    return target


def test_a_recording_says_what_made_it(tmp_path: Path) -> None:
    assert replay.made_by(chapter(tmp_path)) == ("6.12.1", "0.1.0")


def test_a_true_recording_passes_strictly(tmp_path: Path) -> None:
    assert replay.strictly(chapter(tmp_path), replay.environment(tmp_path)) == ""


def test_a_version_of_labkit_that_moved_passes_strictly(tmp_path: Path) -> None:
    older = chapter(tmp_path, made_by=MADE_BY.replace("labkit 0.1.0", "labkit 0.0.12"))
    assert replay.made_by(older) == ("6.12.1", "0.0.12")
    assert replay.strictly(older, replay.environment(tmp_path)) == ""


@pytest.mark.parametrize(
    "said",
    ["Linux 6.12.2, labkit 0.1.0, seed 1", "Linux 6.12.1, labkit 0.1.0, seed 2"],
    ids=["kernel", "seed"],
)
def test_of_that_line_only_the_version_may_move(tmp_path: Path, said: str) -> None:
    assert "1 failed" in replay.strictly(chapter(tmp_path, made_by=said), replay.environment(tmp_path))


@pytest.mark.parametrize(
    "change",
    [{"goodput": "9.4"}, {"y": 2.4}, {"goodput": "9.4", "made_by": MADE_BY.replace("0.1.0", "0.0.12")}],
    ids=["text", "figure", "text of an older labkit"],
)
def test_a_number_that_moved_fails_strictly(tmp_path: Path, change: dict[str, Any]) -> None:
    assert "1 failed" in replay.strictly(chapter(tmp_path, **change), replay.environment(tmp_path))


def test_a_number_of_all_digits_may_move_in_the_last_ones(tmp_path: Path) -> None:
    env = replay.environment(tmp_path)
    assert replay.strictly(chapter(tmp_path, y=2.5000000000000004), env) == ""
    assert "1 failed" in replay.strictly(chapter(tmp_path, y=2.500000001), env)
    assert "1 failed" in replay.strictly(chapter(tmp_path, y=2.500000001000001), env)


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (0.30000000000000004, 0.3),
        (1 / 3, 0.3333333333),
        (12.123456789, 12.123456789),
        ("0.30000000000000004 s", "0.3 s"),
        ({"y": [-1.0000000000000002e-07, "a 12.123456789"]}, {"y": [-1e-07, "a 12.123456789"]}),
    ],
)
def test_only_numbers_of_all_digits_are_rounded(number: object, kept: object) -> None:
    assert rounding.rounded(number) == kept


def test_a_number_that_moved_is_reported_tolerantly(tmp_path: Path) -> None:
    lines = replay.tolerantly(chapter(tmp_path, goodput="9.4", y=2.0), replay.environment(tmp_path))
    assert len(lines) == 2
    assert re.search(
        r"cell-000 \(goodput = 9.5\): 1 of 1 numbers moved, most from 9.4 to 9.5 \(\+1.1%\)", lines[0]
    )
    assert re.search(r"cell-001 .*: 1 of 2 numbers moved, most from 2 to 2.5 \(\+25.0%\)", lines[1])


def test_nothing_is_reported_of_a_true_recording(tmp_path: Path) -> None:
    assert replay.tolerantly(chapter(tmp_path), replay.environment(tmp_path)) == []


def test_a_claim_that_does_not_hold_fails_tolerantly_too(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="AssertionError"):
        replay.tolerantly(chapter(tmp_path, claim="goodput < 9"), replay.environment(tmp_path))


def test_changed_words_are_reported(tmp_path: Path) -> None:
    lines = replay.tolerantly(chapter(tmp_path, goodput="no goodput at 9.5"), replay.environment(tmp_path))
    assert "its words or the length of its data changed" in lines[0]
