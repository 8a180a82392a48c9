"""What GENI's page says of its rows: each test is a sentence of the page. Runs nothing."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.project.test_tree import script

CASES = script("cases")
GENI = CASES.CASES["geni"]


def rows(name: str) -> pd.DataFrame:
    return CASES.kept(GENI, name).table


def test_2_a_window_of_1_18_mb_makes_30_3_mbit_s_of_both() -> None:
    found = rows("2-delay-60s")
    assert found[found["sysctls"] == "at most 1.18 MB"]["goodput"].between(30.25, 30.35).all()


def test_9_with_that_window_one_reno_flow_has_what_the_sheet_has() -> None:
    found = rows("9-exp-delay").set_index(["flows", "flows.cc", "sysctls"])["goodput_sum"]
    assert found["one", "reno", "nearer to 2008"].to_list() == pytest.approx([17.7, 17.7], abs=0.05)


def spread(name: str) -> pd.DataFrame:
    """Fastest over slowest of thirty flows, means over seeds; and the slowest."""
    found = rows(name)
    found = found[found["flows"] == "thirty"]
    settings = [axis.path for axis in CASES.kept(GENI, name).axes if axis.path != "flows"]
    means = found.assign(ratio=found["goodput_max"] / found["goodput_min"]).groupby(settings)
    return means[["ratio", "goodput_min"]].mean()


def test_9_a_full_netem_is_not_fair() -> None:
    found = spread("9-exp-delay")["ratio"].unstack("links.center-left.forward.wire_limit")
    reno, exp = found.xs("reno", level="flows.cc"), found.xs("exp", level="flows.cc")
    assert reno["1000 packets"].between(2.7, 3.5).all() and exp["1000 packets"].between(6, 7.5).all()
    assert (found["no limit"] > 1.5 * found["1000 packets"]).all()


def test_9_with_random_losses_thirty_flows_fare_alike() -> None:
    found = spread("9-exp-loss")
    assert found["ratio"].between(1, 1.25).all()
    assert found.xs("exp", level="flows.cc")["goodput_min"].min() > 74.3 / 30


def test_9_with_both_the_fastest_has_twice_the_slowest_and_that_is_above_the_sheets_mean() -> None:
    found = spread("9-exp-both")
    assert found["ratio"].between(1.6, 2.6).all()
    least = found["goodput_min"].groupby("flows.cc").min()
    assert least["reno"] > 2.05 / 30 and least["exp"] > 3.45 / 30
