"""CAIA's competing streams: each scenario of the talk has its file, and what the page says is in the rows.

Runs nothing.
"""

from __future__ import annotations

import json
from functools import cache

import pandas as pd
import pytest

from labkit.models.estimates import mean
from tests.project.test_tree import ROOT, script

CASES = script("cases")
CAIA = CASES.CASES["caia"]
TALK = json.loads((ROOT / "book/data/caia.json").read_text())
SCENARIOS = {  # as the talk has them -> our file
    "control: two equal flows": "1-control",
    "control, staggered start": "2-control-staggered",
    "different RTTs (near and far)": "3-near-far",
    "different RTTs, staggered start": "4-near-far-staggered",
    "long-running with different RTTs": "5-long-running",
    "short bursts of far traffic against a near flow": "6-far-bursts",
    "short bursts of near traffic against a far flow": "7-near-bursts",
    "window size varied": "8-window",
}
REMEDIES = {
    "delay-based congestion control": "9-delay-based",
    "QoS or a cap per stream": "9-quality-of-service",
}

MODEL = {"10-model", "10-model-both", "10-model-delay", "10-model-queue", "10-model-stacks"}
"""The files of the model: test_caia_model_page.py."""

LINE = 5 * 1448 / 1514  # Mbit/s of payload
LEFT = LINE - 4 * 0.5 * 8 / 45  # less the bursts of 45 s


@cache
def rows(name: str) -> pd.DataFrame:
    found: pd.DataFrame = CASES.kept(CAIA, name).table
    return found


def goodput(name: str, flow: str, **at: object) -> pd.Series:
    """The runs of a point, by seed; axes by the ends of their paths, dots as underscores."""
    found = rows(name)
    for key, value in at.items():
        axis = next(column for column in found if str(column).replace(".", "_").endswith(key))
        found = found[found[axis] == value]
    found = found[found["flow"] == flow].set_index("seed")["goodput"]
    assert len(found) == 10, f"{name} {flow} {at}: not one point"
    return found


def test_nothing_of_the_talk_is_left_out() -> None:
    assert list(SCENARIOS) == TALK["competing_streams"] and list(REMEDIES) == TALK["remedies_sharing"]
    assert {*SCENARIOS.values(), *REMEDIES.values(), *MODEL} == set(CAIA.names())
    page = CAIA.page.read_text(encoding="utf-8")
    for name in (*SCENARIOS, *REMEDIES):
        assert f'"{name}"' in page, name
    for conclusion in TALK["conclusions"]:
        assert f'"{conclusion}"' in " ".join(page.split()), conclusion


@pytest.mark.parametrize("name", [*SCENARIOS.values(), *REMEDIES.values()])
def test_the_talk_has_no_figures_and_the_files_say_so(name: str) -> None:
    published = CAIA.file(name).published
    assert published.rows == () and "no figure is given" in published.source
    assert CAIA.file(name).seeds == 10


def both(name: str, **at: object) -> tuple[pd.Series, pd.Series]:
    return goodput(name, "near", **at), goodput(name, "far", **at)


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_1_two_equal_flows_have_half_each(cc: str) -> None:
    first, second = (goodput("1-control", flow, cc=cc) for flow in ("first", "second"))
    assert not mean(first - second).excludes(0)


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_2_ten_seconds_alone_are_what_the_first_has_more(cc: str) -> None:
    first, second = (goodput("2-control-staggered", flow, cc=cc) for flow in ("first", "second"))
    alone = (10 * LINE + 50 * LINE / 2) / 60
    assert alone == pytest.approx(2.79, abs=0.01)
    assert 0 < first.mean() - alone < 0.12 and 0 < LINE / 2 - second.mean() < 0.15


def test_3_the_far_one_loses_in_all_eighty_runs() -> None:
    found = rows("3-near-far")
    by_run = found[found["flow"] != "trickle"].pivot(
        index=["links.far-router.delay", "flows.cc", "seed"], columns="flow", values="goodput"
    )
    assert len(by_run) == 80 and (by_run["near"] > by_run["far"]).all()
    reno = by_run.xs("reno", level="flows.cc")["far"].groupby(level=0).mean()
    rtts = [reno[label] for label in ("40 ms", "100 ms", "200 ms", "400 ms")]
    assert rtts == sorted(rtts, reverse=True) and rtts[-1] < 0.1 * LINE
    cubic = by_run.xs("cubic", level="flows.cc")["far"].groupby(level=0).mean()
    assert all(cubic[label] > reno[label] for label in ("100 ms", "200 ms", "400 ms"))
    assert cubic["400 ms"] > cubic["200 ms"]


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_4_to_come_first_does_not_help_the_far_one(cc: str) -> None:
    late, early = (
        goodput("4-near-far-staggered", "far", flows=order, cc=cc) for order in ("near first", "far first")
    )
    head_start = 10 * LINE / 60
    assert head_start == pytest.approx(0.80, abs=0.005)
    assert abs(early.mean() - head_start - late.mean()) < 0.3


def test_5_five_minutes_are_as_one_for_reno_and_worse_for_cubic() -> None:
    far = {
        cc: [goodput("5-long-running", "far", duration=s, cc=cc).mean() for s in (20.0, 60.0, 300.0)]
        for cc in ("reno", "cubic")
    }
    assert far["reno"][2] == pytest.approx(far["reno"][1], abs=0.05)
    assert far["cubic"][0] > far["cubic"][1] > far["cubic"][2]


def bursts(name: str, scenario: str, cc: str) -> pd.Series:
    found = rows(name)
    found = found[(found["flows"] == scenario) & (found["flows.cc"] == cc)]
    found = found[found["flow"].str.startswith("burst")]
    assert len(found) == 40 and (found["complete"] == 1).all()
    return found["goodput"]


@pytest.mark.parametrize(("cc", "low", "high"), [("reno", 0.15, 0.25), ("cubic", 0.33, 0.45)])
def test_6_far_bursts_suffer_and_near_hardly_notices(cc: str, low: float, high: float) -> None:
    alone, against = (bursts("6-far-bursts", scenario, cc) for scenario in ("alone", "against near"))
    assert alone.median() == pytest.approx(2.29, abs=0.005)
    assert low < against.median() / alone.median() < high
    assert goodput("6-far-bursts", "near", flows="against near", cc=cc).mean() == pytest.approx(
        LEFT, abs=0.01
    )


@pytest.mark.parametrize(("cc", "low", "high", "far"), [("reno", 0.55, 0.68, 3.4), ("cubic", 0.4, 0.5, 3.9)])
def test_7_near_bursts_cost_the_far_one_more_than_they_carry(
    cc: str, low: float, high: float, far: float
) -> None:
    alone, against = (bursts("7-near-bursts", scenario, cc) for scenario in ("alone", "against far"))
    assert low < against.median() / alone.median() < high
    kept = goodput("7-near-bursts", "far", flows="against far", cc=cc).mean()
    assert kept == pytest.approx(far, abs=0.05) and kept < LEFT - 0.4


def test_8_a_window_per_round_trip_below_and_a_kinder_share_between() -> None:
    small = {flow: goodput("8-window", flow, rcvbuf=16000, cc="reno").mean() for flow in ("near", "far")}
    assert small["near"] + small["far"] < 0.65 * LINE and 9 < small["near"] / small["far"] < 11
    middle = {flow: goodput("8-window", flow, rcvbuf=64000, cc="reno").mean() for flow in ("near", "far")}
    assert middle["near"] + middle["far"] > 0.99 * LINE
    large = goodput("8-window", "far", rcvbuf=4e6, cc="reno").mean()
    assert 1.7 < middle["far"] / large < 2


def test_9_with_control_by_delay_the_near_one_loses() -> None:
    near, far = both("9-delay-based", cc="vegas")
    assert (far > 2 * near).all() and (far < 2.4 * near).all()
    near, far = both("9-delay-based", cc="bbr")
    assert mean(far / near).above(3)
    for cc in ("reno", "cubic"):
        near, far = both("9-delay-based", cc=cc)
        assert (far < near).all()


@pytest.mark.parametrize("cc", ["reno", "cubic"])
@pytest.mark.parametrize("queue", ["cap", "HTB", "fq"])
def test_10_a_cap_and_shares_of_their_own_make_them_equal(queue: str, cc: str) -> None:
    near, far = both("9-quality-of-service", queue=queue, cc=cc)
    assert 7 / 8 < far.mean() / near.mean() < 1
    assert near.std() < 0.01 * near.mean() and far.std() < 0.01 * far.mean()


@pytest.mark.parametrize("cc", ["reno", "cubic"])
def test_10_priority_turns_it_round_and_codel_leaves_it(cc: str) -> None:
    near, far = both("9-quality-of-service", queue="prio", cc=cc)
    assert (far > 6 * near).all()
    _, far = both("9-quality-of-service", queue="FQ-CoDel", cc=cc)
    assert (far < 0.46 * LINE).all()
    _, alike = both("9-quality-of-service", queue="fq", cc=cc)
    assert (alike > 0.48 * LINE).all()


def test_10_red_is_no_remedy() -> None:
    fifo, red = (
        {cc: both("9-quality-of-service", queue=queue, cc=cc)[1].mean() for cc in ("reno", "cubic")}
        for queue in ("FIFO", "RED")
    )
    assert red["cubic"] < fifo["cubic"] / 2 and red["reno"] < fifo["reno"]
