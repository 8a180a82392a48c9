"""The bench for congestion controls: what its figures and its score are made of. Nothing is run here."""

from __future__ import annotations

import pandas as pd
import pytest

from labkit.sweeps import trial


def rows(**second: float) -> pd.DataFrame:
    """Each algorithm has half of a line and half of a delay everywhere; second: what CUBIC has beside it."""
    table = pd.DataFrame(
        [
            {"cc": cc, "name": name, "throughput": 0.5, "delay": 0.25, "second": value, "fair": 0.9}
            for cc, value in second.items()
            for name in trial.NETWORKS
        ]
    )
    return table.set_index(["cc", "name"])


def test_friendliness_is_what_is_left_to_cubic_of_what_it_has_beside_itself() -> None:
    found = trial.table(rows(cubic=5.0, greedy=1.0, meek=9.0))
    assert found.friendliness.to_dict() == pytest.approx({"cubic": 1, "greedy": 0.2, "meek": 1})


def test_throughput_and_delay_are_geometric_means_over_the_networks_with_one_flow() -> None:
    given = rows(cubic=5.0)
    given.loc[("cubic", "lossy"), "throughput"] = 0.5 / 32
    given.loc[("cubic", "CUBIC"), "throughput"] = 0.01  # two flows: does not count
    found = trial.table(given)
    assert found.throughput["cubic"] == pytest.approx(0.25)
    assert found.delay["cubic"] == pytest.approx(0.25)


def test_the_score_is_the_geometric_mean_and_nothing_makes_up_for_nothing() -> None:
    figures = {"throughput": 0.5, "delay": 0.5, "fairness": 1.0, "friendliness": 0.25}
    assert trial.score(figures) == pytest.approx(0.5)
    assert trial.score(figures | {"friendliness": 0.0}) == 0


def test_twice_of_one_makes_up_for_half_of_another() -> None:
    one = {"throughput": 0.8, "delay": 0.4, "fairness": 1.0, "friendliness": 0.5}
    other = {"throughput": 0.4, "delay": 0.8, "fairness": 1.0, "friendliness": 0.5}
    assert trial.score(one) == pytest.approx(trial.score(other))


def test_queues_are_the_multiples_of_a_bandwidth_delay_product_that_they_are_said_to_be() -> None:
    def products(name: str) -> float:
        known = trial.NETWORKS[name]
        return known["queue"] * 1514 * 8 / (trial.RATE * known["rtt"])

    assert [round(products(name), 1) for name in ("fitting", "deep", "long")] == [1.0, 8.0, 1.0]
    assert products("shallow") == pytest.approx(0.25, abs=0.01)


def test_the_networks_with_two_flows_have_cubic_or_itself_beside_it() -> None:
    ccs = {
        name: [flow.sockets().cc for flow in trial.network("vegas", name).flows] for name in trial.NETWORKS
    }
    assert ccs["itself"] == ["vegas", "vegas"] and ccs["CUBIC"] == ["vegas", "cubic"]
    assert all(ccs[name] == ["vegas"] for name in trial.ALONE)
