"""The map of appendix A on the lab kernel: some of its rows come out again."""

from __future__ import annotations

import pytest

from tests.project.test_tree import script

ZOO = script("zoo")
NAMES, PLACE, SEEN = ZOO.cells()
SAMPLE = [
    {"cc": "bbr", "beside": "cubic", "loss": "1%", "rtt": 20, "queue": "short", "rate": 10, "seed": 2},
    {"cc": "dctcp", "beside": "itself", "loss": "0%", "rtt": 20, "queue": "marks", "rate": 10, "seed": 1},
    {"cc": "cdg", "beside": "nobody", "loss": "0%", "rtt": 160, "queue": "deep", "rate": 10, "seed": 1},
    {"cc": "hybla", "beside": "nobody", "loss": "1%", "rtt": 160, "queue": "marks", "rate": 50, "seed": 3},
]


@pytest.mark.parametrize("point", SAMPLE, ids=lambda point: point["cc"])
def test_a_kept_row_of_the_map_comes_out_again_to_the_last_digit(point: dict[str, object]) -> None:
    if not ZOO.made_here():
        pytest.skip("the rows are of another kernel or labkit; the chapter runs a part of the map itself")
    row = ZOO.kept()[ZOO.key(point)]
    assert ZOO.measured(point, PLACE(**point), SEEN, cache=False) == row
