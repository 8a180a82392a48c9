"""SJTU's page: nothing published is left out; what it says of a number is a test. Runs nothing."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from labkit.models import fairness
from tests.project.test_tree import ROOT, script

CASES = script("cases")
SJTU = CASES.CASES["sjtu"]
KNOWN = json.loads((ROOT / "book/data/sjtu.json").read_text())
PAGE = SJTU.page.read_text(encoding="utf-8")
SHARE = 1448 / 1514
"""Payload of a full frame."""


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


def numbers(name: str, path: str) -> list[float]:
    """An axis of a file, in the figures that the source writes."""
    return [float(str(value).rstrip("%mbits")) for value in SJTU.file(name).grid[path]]


def test_every_point_of_the_sweeps_is_measured() -> None:
    known = KNOWN["sweeps"]
    assert numbers("bandwidth", "links.s1-s2.rate") == known["bandwidth_mbit_s"]
    assert numbers("delay", "links.s1-s2.delay") == known["delay_ms"]
    for name, way in (("both-ways", ""), ("data", "forward."), ("acks", "backward.")):
        assert numbers(f"loss-{name}", f"links.s1-s2.{way}loss") == known["loss_percent"]
    assert numbers("loss-elsewhere", "links.s1-h3.loss") == known["loss_percent"]


def test_every_finding_is_on_the_page() -> None:
    text = " ".join(PAGE.split()).lower()
    for finding in KNOWN["findings"]:
        for part in finding.split(":")[0].lower().split(", "):
            assert part in text, part
    for part in KNOWN["sharing"]["finding"].lower().split("; "):
        assert part.removesuffix(" and fills the link better") in text, part


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
    assert ratio.unstack()[2].between(0.97, 1.03).all()


def test_both_at_once_are_alike_over_a_short_queue_and_reno_has_nearly_all_over_a_long_one() -> None:
    found = means("first-together", "links.s1-s2.forward.queue", "flows", "flow").unstack("flow")
    ratio = found["vegas"] / found["reno"]
    assert ratio[4].between(0.8, 1.25).all() and ratio[10].between(0.7, 1.3).all()
    assert (ratio[1000] < 0.1).all()


def test_chance_does_not_tell_the_two_apart() -> None:
    found = by_cc("first-random-loss", "links.s1-s2.forward.loss")
    assert (found["vegas"] / found["reno"]).between(0.8, 1.25).all()


def test_without_sack_reno_falls_far_behind_and_with_it_does_not() -> None:
    found = by_cc("first-without-sack", "sysctls", "links.s1-s2.delay")
    without, today = found.loc["without SACK"], found.loc["with SACK"]
    assert (today["vegas"] / today["reno"]).between(0.9, 1.2).all()
    ratio = without["vegas"] / without["reno"]
    assert (ratio[[0.005, 0.007, 0.008, 0.01]] > 3).all()
    assert without["reno"][0.007] < KNOWN["single"]["reno_mbit_s"] < without["reno"][0.005]
    assert without["vegas"][0.02] < 4 < 95 < without["vegas"][0.01] + 1


def test_bandwidth_is_filled_by_both() -> None:
    found = means("bandwidth", "links.s1-s2.rate")
    assert (found / (found.index / 1e6 * SHARE)).between(0.998, 1.001).all()
    assert len(set(by_cc("bandwidth", "links.s1-s2.rate").diff(axis=1)["vegas"].abs() < 0.05)) == 1


def test_jitter_on_the_way_of_the_acks_puts_reno_above_vegas() -> None:
    found = by_cc("bandwidth-jitter", "links.s1-s2.backward.jitter", "links.s1-s2.rate")
    lag = found["vegas"] / found["reno"]
    assert lag[0].between(0.95, 1.05).all()
    assert lag[0.0007][1e8] < 0.9 and lag[0.0007][1e8] < lag[0.0007][2e7]


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


def test_loss_of_data_leaves_little_and_loss_of_acks_nearly_all() -> None:
    both = by_cc("loss-both-ways", "links.s1-s2.loss")
    data = by_cc("loss-data", "links.s1-s2.forward.loss")
    for found in (both, data):
        assert (found.loc[0.1] < 40).all() and (found.loc[0.35:] < 2).all().all()
    acks = by_cc("loss-acks", "links.s1-s2.backward.loss")
    assert (acks.loc[:0.3] > 0.9 * 100 * SHARE).all().all()
    elsewhere = by_cc("loss-elsewhere", "links.s1-h3.loss")
    assert elsewhere.nunique().tolist() == [1, 1]


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
    by = ["links.s1-s2.forward.queue", "links.s1-s2.delay", "flows.cc"]
    found = CASES.kept(SJTU, "sharing-four").table.groupby(by)["goodput_sum"].mean()
    assert found[4, 0.01, "reno"] == pytest.approx(KNOWN["sharing"]["reno_total_mbit_s"], abs=0.6)
    assert found[1000, 0.0, "reno"] == pytest.approx(45 * SHARE, rel=0.002)


def test_vegas_total_is_what_the_link_can_carry() -> None:
    assert round(45 * SHARE) == KNOWN["sharing"]["vegas_total_mbit_s"]
