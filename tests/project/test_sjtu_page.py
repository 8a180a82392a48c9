"""SJTU's page: nothing published is left out; what it says of a number is a test. Runs nothing."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from labkit.models import estimates, fairness
from tests.project.test_tree import ROOT, script

CASES = script("cases")
SJTU = CASES.CASES["sjtu"]
KNOWN = json.loads((ROOT / "book/data/sjtu.json").read_text())
PAGE = SJTU.page.read_text(encoding="utf-8")
SHARE = 1448 / 1514
"""Payload of a full frame."""
LOSSES = {  # our readings of "0 to 60 %": file -> its axis
    "loss-both-ways": "links.s1-s2.loss",
    "loss-data": "links.s1-s2.forward.loss",
    "loss-acks": "changes",
    "loss-elsewhere": "links.s1-h3.loss",
    "loss-percent": "links.s1-s2.loss",
}


def means(name: str, *by: str) -> pd.Series:
    return CASES.kept(SJTU, name).table.groupby(list(by))["goodput"].mean()


def by_cc(name: str, *by: str) -> pd.DataFrame:
    return means(name, *by, "flows.cc").unstack("flows.cc")


# What was published.


@pytest.mark.parametrize("name", [name for name in SJTU.names() if name.startswith("first")])
def test_the_first_table_stands_beside_each_explanation(name: str) -> None:
    rows = SJTU.file(name).published.rows
    found = {row.get("flows.cc", row.get("flow")): row["goodput"] for row in rows}
    assert found == {"reno": KNOWN["single"]["reno_mbit_s"], "vegas": KNOWN["single"]["vegas_mbit_s"]}


@pytest.mark.parametrize("name", ["sharing-four", "sharing-five"])
def test_the_totals_stand_beside_ours(name: str) -> None:
    found = {row["flows.cc"]: row["goodput_sum"] for row in SJTU.file(name).published.rows}
    known = KNOWN["sharing"]
    assert found == {"reno": known["reno_total_mbit_s"], "vegas": known["vegas_total_mbit_s"]}


def summary() -> list[list[str]]:
    """The rows of the table at the page's top: what was published, ours, what makes it."""
    block = PAGE.split("| Published | Here |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()[2:]]


def test_each_published_row_stands_beside_ours_in_the_order_of_the_source() -> None:
    single, sharing = KNOWN["single"], KNOWN["sharing"]
    grows, falls, slightly, puzzle = KNOWN["findings"]
    assert [row[0] for row in summary()] == [
        f"Reno alone: {single['reno_mbit_s']} Mbit/s",
        f"Vegas alone: {single['vegas_mbit_s']} Mbit/s",
        grows,
        falls,
        slightly,
        puzzle.split(", a puzzle")[0],
        f"Reno's pairs together: {sharing['reno_total_mbit_s']} Mbit/s",
        f"Vegas's pairs together: {sharing['vegas_total_mbit_s']} Mbit/s",
        sharing["finding"],
    ]
    assert all(len(row) == 3 and all(row) for row in summary())


def test_the_figures_beside_them_are_of_the_kept_rows() -> None:
    said = [[float(number) for number in re.findall(r"\d+\.\d+", row[1])] for row in summary()]
    first = means("first", "flows.cc", "links.s1-s2.forward.queue")
    queues = means("first-without-sack-queues", "flows.cc", "links.s1-s2.forward.queue", "links.s1-s2.delay")
    lost = by_cc("loss-percent", "links.s1-s2.loss").loc[0.006]
    away = by_cc("loss-both-ways", "links.s1-s2.loss").loc[0.6]
    totals = sums("sharing-four")
    both = by_cc("first-both-causes", "links.s1-s2.backward.jitter", "sysctls").loc[
        "ACKs late", "without SACK"
    ]
    assert away.max() < 0.005
    assert said == [
        pytest.approx([first["reno", 1000], queues["reno", 300, 0.008]], abs=0.05),
        pytest.approx([first["vegas", 1000], both["vegas"], both["reno"]], abs=0.05),
        [],
        [],
        pytest.approx([lost["reno"], lost["vegas"]], abs=0.05),
        pytest.approx([0, lost["reno"], 0.6], abs=0.05),
        pytest.approx([totals[1000, 0.0, "reno"], totals[4, 0.01, "reno"]], abs=0.05),
        pytest.approx([totals[1000, 0.0, "vegas"]], abs=0.05),
        [],
    ]


def sums(name: str) -> pd.Series:
    by = ["links.s1-s2.forward.queue", "links.s1-s2.delay", "flows.cc"]
    return CASES.kept(SJTU, name).table.groupby(by)["goodput_sum"].mean()


def numbers(name: str, path: str) -> list[float]:
    """An axis of a file, in the figures that the source writes."""
    return [float(re.match(r"[\d.]+", str(value))[0]) for value in SJTU.file(name).grid[path]]


def test_every_point_of_the_sweeps_is_measured() -> None:
    known = KNOWN["sweeps"]
    assert numbers("bandwidth", "links.s1-s2.rate") == known["bandwidth_mbit_s"]
    assert numbers("delay", "links.s1-s2.delay") == known["delay_ms"]
    for name, axis in LOSSES.items():
        scale = 100 if name == "loss-percent" else 1
        assert [scale * p for p in numbers(name, axis)] == pytest.approx(known["loss_percent"])


def test_every_finding_is_quoted_where_it_is_looked_into() -> None:
    text = " ".join(PAGE.split("## The first table")[1].split()).lower()
    for finding in KNOWN["findings"]:
        for part in finding.split(":")[0].lower().split(", "):
            assert part in text, part
    assert KNOWN["sharing"]["finding"].lower() in text


def test_the_pairs_are_the_sources() -> None:
    links = SJTU.file("sharing-four").template.topology.links
    rates = {link.a: link.forward.rate / 1e6 for link in links if link.a.startswith("h")}
    assert rates == KNOWN["sharing"]["pairs"]
    assert links[0].forward.rate == KNOWN["sharing"]["bottleneck_mbit_s"] * 1e6


# What the page says of ours.


def test_first_there_is_no_difference() -> None:
    found = means("first", "flows.cc")
    assert found["reno"] == found["vegas"] == pytest.approx(100 * SHARE, rel=0.001)


def test_a_short_queue_makes_a_factor_of_one_and_a_half_at_most() -> None:
    found = by_cc("first-short-queue", "links.s1-s2.delay", "links.s1-s2.forward.queue")
    ratio = found["vegas"] / found["reno"]
    assert 1.4 < ratio.max() < 1.55 and ratio.min() > 0.95


def test_both_at_once_are_alike_over_a_short_queue_and_reno_has_nearly_all_over_a_long_one() -> None:
    found = means("first-together", "links.s1-s2.forward.queue", "flows", "flow").unstack("flow")
    ratio = found["vegas"] / found["reno"]
    assert ratio[4].between(0.8, 1.25).all() and ratio[10].between(0.7, 1.3).all()
    assert (ratio[1000] < 0.1).all()


def test_chance_does_not_tell_the_two_apart() -> None:
    found = by_cc("first-random-loss", "links.s1-s2.forward.loss")
    assert (found["vegas"] / found["reno"]).between(0.8, 1).all()


def test_without_sack_reno_falls_far_behind_and_with_it_does_not() -> None:
    found = by_cc("first-without-sack", "sysctls", "links.s1-s2.delay")
    without, today = found.loc["without SACK"], found.loc["with SACK"]
    assert (today["vegas"] / today["reno"]).between(0.9, 1.2).all()
    ratio = without["vegas"] / without["reno"]
    assert (ratio[[0.005, 0.007, 0.008, 0.01]] > 3).all()
    assert without["reno"][0.007] < KNOWN["single"]["reno_mbit_s"] < without["reno"][0.005]
    assert without["vegas"][0.02] < 4 < 95 < without["vegas"][0.01] + 1


def test_no_queue_and_delay_give_both_figures_of_the_first_table() -> None:
    found = means("first-without-sack-queues", "flows.cc", "links.s1-s2.forward.queue", "links.s1-s2.delay")
    reno, vegas = found["reno"], found["vegas"]
    single = KNOWN["single"]
    assert len(vegas) == 36
    assert reno[300, 0.008] == pytest.approx(single["reno_mbit_s"], abs=0.2)
    assert vegas[300, 0.008] == pytest.approx(95, abs=0.2)
    factor = (vegas / reno) / (single["vegas_mbit_s"] / single["reno_mbit_s"])
    near = factor.between(1 / 1.4, 1.4)
    assert not (near & (vegas / single["vegas_mbit_s"]).between(1 / 1.4, 1.4)).any()
    assert near[vegas < 90].sum() == 1 and near[500, 0.012]
    assert [round(reno[500, 0.012], 1), round(vegas[500, 0.012], 1)] == [2.6, 10.1]


def test_bandwidth_is_filled_by_both() -> None:
    found = means("bandwidth", "links.s1-s2.rate")
    assert (found / (found.index / 1e6 * SHARE)).between(0.998, 1.001).all()
    assert len(set(by_cc("bandwidth", "links.s1-s2.rate").diff(axis=1)["vegas"].abs() < 0.05)) == 1


def test_jitter_on_the_way_of_the_acks_puts_reno_above_vegas() -> None:
    found = by_cc("bandwidth-jitter", "links.s1-s2.backward.jitter", "links.s1-s2.rate")
    lag = found["vegas"] / found["reno"]
    assert lag[0].between(0.95, 1.05).all()
    assert lag[0.0007][1e8] < 0.5 and 0.8 < lag[0.0007][2e7] < 0.9
    assert found["reno"][0.0007][1e8] == pytest.approx(found["reno"][0][1e8], rel=0.01)


def test_delay_hurts_both_alike() -> None:
    found = by_cc("delay", "links.s1-s2.forward.wire_limit", "links.s1-s2.delay")
    assert (found["vegas"] / found["reno"]).between(0.97, 1.03).all()
    for _, rows in found["reno"].groupby(level=0):
        assert rows.is_monotonic_decreasing
    kept, free = found["reno"]["1000 packets"], found["reno"]["no limit"]
    assert (kept[:0.12] == free[:0.12]).all() and (kept[0.2:] / free[0.2:]).between(0.5, 0.8).all()


def test_vegas_is_better_over_short_queues_and_small_delays() -> None:
    found = by_cc("delay-short-queue", "links.s1-s2.forward.queue", "links.s1-s2.delay")
    ahead = found["vegas"] / found["reno"]
    assert (ahead[20][[0.005, 0.01]] > 1.1).all() and ahead[4][0.01] > 1.4
    assert ahead[4][0.02:].between(0.98, 1.05).all() and ahead[20][0.02:].between(0.98, 1.05).all()


def test_loss_of_data_leaves_little() -> None:
    both = by_cc("loss-both-ways", "links.s1-s2.loss")
    data = by_cc("loss-data", "links.s1-s2.forward.loss")
    for found in (both, data):
        assert (found.loc[0.1] < 40).all() and (found.loc[0.35:] < 2).all().all()


def test_loss_of_acks_leaves_all_to_reno_and_little_to_vegas() -> None:
    acks = by_cc("loss-acks", "changes")
    assert (acks["reno"] > 0.99 * 100 * SHARE).all()
    assert acks["vegas"]["0 %"] == pytest.approx(100 * SHARE, rel=0.001)
    assert acks["vegas"]["60 %"] < 100 * SHARE / 30


def test_loss_that_the_flow_does_not_meet_has_no_effect() -> None:
    assert by_cc("loss-elsewhere", "links.s1-h3.loss").nunique().tolist() == [1, 1]


def test_a_share_taken_for_per_cent_has_almost_no_effect_and_reno_is_slightly_better() -> None:
    found = by_cc("loss-percent", "links.s1-s2.loss")
    assert (found > 0.9 * 100 * SHARE).all().all() and (found["reno"] > 0.99 * 100 * SHARE).all()
    rows = CASES.kept(SJTU, "loss-percent").table
    lossy = rows[rows["links.s1-s2.loss"] >= 0.003]
    runs = lossy.pivot_table(index=["links.s1-s2.loss", "seed"], columns="flows.cc", values="goodput")
    assert estimates.paired(runs["reno"], runs["vegas"]).above(0)
    assert round(1.22 / 0.006**0.5) == 16


PAIRS = means("sharing-four-each", "links.s1-s2.forward.queue", "links.s1-s2.delay", "flows.cc", "flow")
FAIR = [5 * SHARE, 10 * SHARE, 15 * SHARE, 15 * SHARE]


def test_over_a_long_queue_vegas_gives_max_min_shares_and_reno_leaves_the_slowest_a_quarter() -> None:
    assert [round(rate, 1) for rate in FAIR] == [4.8, 9.6, 14.3, 14.3]
    vegas, reno = (PAIRS[1000, 0.0, cc].to_numpy() for cc in ("vegas", "reno"))
    assert abs(vegas - FAIR).max() < 0.5
    assert reno[0] < 0.27 * FAIR[0]


def test_over_four_packets_the_published_finding_comes_out() -> None:
    vegas, reno = (PAIRS[4, 0.0, cc].to_numpy() for cc in ("vegas", "reno"))
    assert vegas.sum() > reno.sum() and vegas[3] > reno[3] + 1
    assert fairness.jain(vegas, FAIR) < fairness.jain(reno, FAIR)


def test_reno_has_its_40_over_a_short_queue_with_a_delay() -> None:
    found = sums("sharing-four")
    assert found[4, 0.01, "reno"] == pytest.approx(KNOWN["sharing"]["reno_total_mbit_s"], abs=0.6)
    assert found[1000, 0.0, "reno"] == pytest.approx(45 * SHARE, rel=0.002)


def test_vegas_total_is_what_the_link_can_carry() -> None:
    assert round(45 * SHARE) == KNOWN["sharing"]["vegas_total_mbit_s"]
