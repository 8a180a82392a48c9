"""What SJTU's page says of no SACK and late acknowledgements together, for its first table. Runs nothing."""

from __future__ import annotations

import pandas as pd
import pytest

from labkit.models import estimates
from tests.project.test_sjtu_page import CASES, KNOWN, SJTU, by_cc

CAUSES = ["links.s1-s2.backward.jitter", "sysctls"]
NEAR = ["links.s1-s2.delay", "links.s1-s2.backward.jitter", "links.s1-s2.forward.queue"]


def in_its_interval(rows: pd.DataFrame) -> dict[str, bool]:
    """Of runs on one network: whether the first table's figure lies in the 95 % interval of their mean."""
    single = {cc: KNOWN["single"][f"{cc}_mbit_s"] for cc in ("reno", "vegas")}
    means = {cc: estimates.mean(goodput) for cc, goodput in rows.groupby("flows.cc")["goodput"]}
    return {cc: found.low < single[cc] < found.high for cc, found in means.items()}


def test_two_causes_make_a_figure_each_and_the_factor_together() -> None:
    found = by_cc("first-both-causes", *CAUSES)
    alone = {"reno": ("ACKs in time", "without SACK"), "vegas": ("ACKs late", "with SACK")}
    assert found.loc[("ACKs in time", "with SACK")].min() > 95
    for cc, other in (("reno", "vegas"), ("vegas", "reno")):
        assert found.loc[alone[cc], cc] < 40 and found.loc[alone[cc], other] > 95
    both = found.loc[("ACKs late", "without SACK")]
    assert both["vegas"] / both["reno"] == pytest.approx(3.2, abs=0.05)
    assert KNOWN["single"]["vegas_mbit_s"] / KNOWN["single"]["reno_mbit_s"] == pytest.approx(3.3, abs=0.05)


def test_with_fresh_seeds_vegas_figure_is_outside_its_interval() -> None:
    rows = CASES.kept(SJTU, "first-both-causes").table
    both = rows[(rows[CAUSES] == ["ACKs late", "without SACK"]).all(axis=1)]
    assert both["seed"].min() > 20 and len(both) == 40
    assert in_its_interval(both) == {"reno": True, "vegas": False}
    vegas = both[both["flows.cc"] == "vegas"]["goodput"]
    assert (vegas > KNOWN["single"]["vegas_mbit_s"]).sum() == 4


def test_none_of_its_neighbours_has_both_figures() -> None:
    rows = CASES.kept(SJTU, "first-both-causes-near").table
    networks = [in_its_interval(group) for _, group in rows.groupby(NEAR)]
    assert len(networks) == 18 and not any(all(found.values()) for found in networks)


def test_the_delay_sets_renos_figure_over_a_long_queue_and_the_jitter_sets_vegas() -> None:
    found = by_cc("first-both-causes-near", *NEAR)
    reno, vegas = (found[cc].unstack(NEAR[2]) for cc in ("reno", "vegas"))
    by_delay = reno[1000].unstack(NEAR[1])
    assert (by_delay.max(axis=1) / by_delay.min(axis=1) < 1.35).all()
    assert (by_delay.loc[0.005].min() > 1.5 * by_delay.loc[0.006]).all()
    assert (by_delay.loc[0.006].min() > 1.2 * by_delay.loc[0.007]).all()
    assert vegas[500].equals(vegas[1000].rename(500))
    by_jitter = vegas[1000].unstack(NEAR[1])
    assert (by_jitter.pct_change(axis=1).iloc[:, 1:] < -0.2).all().all()
    assert (by_jitter.max(axis=1) / by_jitter.min(axis=1)).min() > (by_jitter.max() / by_jitter.min()).max()
    rows = CASES.kept(SJTU, "first-both-causes-near").table
    short = rows[(rows[NEAR[2]] == 500) & (rows["flows.cc"] == "reno")]["goodput"]
    assert 4 < short.min() < 5 and 85 < short.max() < 90
