"""How fair a sharing is, against the examples of the sources; and what a round trip does to a share."""

from __future__ import annotations

import numpy as np
import pytest

from labkit.models import fairness, rtt_bias

# Bertsekas and Gallager, section 6.5.2: five sessions; the links that fill up in its three steps.
DATA_NETWORKS = {"2-3": 1.0, "3-5": 1.0, "4-5": 1.0}
SESSIONS = {"1": ["3-5"], "2": ["2-3"], "3": ["2-3", "3-5"], "4": ["4-5"], "5": ["2-3"]}


def parking_lot(hops: int) -> tuple[dict[str, float], dict[str, list[str]]]:
    links = {f"hop{i}": 10.0 for i in range(hops)}
    return links, {"long": list(links)} | {f"short{i}": [f"hop{i}"] for i in range(hops)}


def test_an_index_of_a_tenth_is_unfair_to_nine_users_of_ten() -> None:
    # the abstract of DEC-TR-301
    assert fairness.jain([20.0] + 9 * [0.0]) == pytest.approx(0.1)
    assert fairness.jain(10 * [3.0]) == pytest.approx(1.0)


def test_jains_example_of_normalised_rates_gives_077() -> None:
    # ATM Forum 99-0045: measured 50, 30, 50, fair 50, 10, 10; (1 + 3 + 5)^2 / (3 (1 + 9 + 25)) = 81/105
    assert fairness.jain([50, 30, 50], fair=[50, 10, 10]) == pytest.approx(81 / 105)


def test_jains_index_takes_a_run_per_row_and_says_nothing_of_nobody() -> None:
    found = fairness.jain(np.array([[1, 1], [1, 0], [0, 0]]))
    assert found[:2] == pytest.approx([1, 0.5]) and np.isnan(found[2])


def test_harm_lies_between_none_and_all_for_rates_and_for_delays() -> None:
    # HotNets 2019, section 4: the share of the performance alone that is gone
    assert fairness.harm([10, 10, 10], [10, 5, 0]) == pytest.approx([0, 0.5, 1])
    assert fairness.harm(20, 80, more_is_better=False) == pytest.approx(0.75)


def test_max_min_of_data_networks_example() -> None:
    rates = fairness.max_min(DATA_NETWORKS, SESSIONS)
    assert rates == pytest.approx({"1": 2 / 3, "2": 1 / 3, "3": 1 / 3, "4": 1, "5": 1 / 3})


def test_max_min_heeds_weights_and_demands() -> None:
    one, flows = {"link": 12.0}, {"a": ["link"], "b": ["link"], "c": ["link"]}
    assert fairness.max_min(one, flows, weights={"a": 2}) == pytest.approx({"a": 6, "b": 3, "c": 3})
    assert fairness.max_min(one, flows, demands={"a": 2}) == pytest.approx({"a": 2, "b": 5, "c": 5})


def test_max_min_leaves_nobody_who_could_have_more_without_taking_from_a_poorer_one() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        capacity = {f"l{i}": float(rng.uniform(1, 9)) for i in range(5)}
        routes = {f"f{i}": [f"l{j}" for j in rng.choice(5, rng.integers(1, 4), False)] for i in range(7)}
        rates = fairness.max_min(capacity, routes)
        load = {link: sum(x for f, x in rates.items() if link in routes[f]) for link in capacity}
        assert all(load[link] <= capacity[link] * (1 + 1e-9) for link in capacity)
        for flow, route in routes.items():  # each has a bottleneck: full, and nobody has more there
            at = [
                link
                for link in route
                if load[link] > capacity[link] * (1 - 1e-9)
                and all(rates[f] <= rates[flow] + 1e-9 for f in routes if link in routes[f])
            ]
            assert at, (flow, rates)


@pytest.mark.parametrize("hops", [1, 2, 3, 5])
def test_a_parking_lots_long_flow_has_the_share_that_massoulie_and_roberts_print(hops: int) -> None:
    links, routes = parking_lot(hops)
    assert fairness.proportional(links, routes)["long"] == pytest.approx(10 / (1 + hops), rel=1e-5)
    for alpha in (0.7, 1.0, 2.0, 6.0):
        found = fairness.alpha_fair(links, routes, alpha)["long"]
        assert found == pytest.approx(10 * rtt_bias.long_flow(hops, alpha), rel=1e-4)
    assert fairness.max_min(links, routes)["long"] == pytest.approx(10 * rtt_bias.long_flow(hops, np.inf))


def test_a_large_alpha_comes_towards_max_min() -> None:
    found = fairness.alpha_fair(DATA_NETWORKS, SESSIONS, 20)
    assert found == pytest.approx(fairness.max_min(DATA_NETWORKS, SESSIONS), rel=0.06)


def test_on_one_bottleneck_proportional_and_max_min_agree() -> None:
    # SJTU's tree: four access links into one line of 45 Mbit/s
    links = {"line": 45.0} | {f"h{i}": 5.0 * i for i in (1, 2, 3, 4)}
    routes = {f"h{i}": [f"h{i}", "line"] for i in (1, 2, 3, 4)}
    fair = {"h1": 5, "h2": 10, "h3": 15, "h4": 15}
    assert fairness.max_min(links, routes) == pytest.approx(fair)
    assert fairness.proportional(links, routes) == pytest.approx(fair, rel=1e-5)


def test_faults_are_named() -> None:
    with pytest.raises(ValueError, match="nothing limits it"):
        fairness.max_min({"a": 1}, {"f": []})
    with pytest.raises(ValueError, match="which has no capacity"):
        fairness.max_min({"a": 1}, {"f": ["b"]})
    with pytest.raises(ValueError, match="above 0"):
        fairness.alpha_fair({"a": 1}, {"f": ["a"]}, 0)
    with pytest.raises(ValueError, match="weights: f=0: must be above 0"):
        fairness.proportional({"a": 1}, {"f": ["a"]}, {"f": 0})


def test_exponents_of_the_round_trip() -> None:
    # Lakshman and Madhow: 1 to 2; the BIC paper: 1/(1-d), 2, 5.56, infinite; RFC 9438, 3.3: CUBIC's is 1
    assert rtt_bias.exponent(rtt_bias.RENO, False) == -1
    assert rtt_bias.exponent(rtt_bias.RENO, True) == -2
    assert rtt_bias.exponent(rtt_bias.Response(0, 0.82), True) == pytest.approx(-5.56, abs=0.01)
    assert rtt_bias.exponent(rtt_bias.SCALABLE, True) == -np.inf
    assert rtt_bias.exponent(rtt_bias.CUBIC, True) == pytest.approx(-1)
    assert rtt_bias.exponent(rtt_bias.CUBIC, False) == -0.25


def test_shares_add_up_and_follow_the_exponent() -> None:
    found = rtt_bias.shares(rtt_bias.RENO, [[0.02, 0.04], [0.02, 0.08]], True)
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[:, 0] / found[:, 1] == pytest.approx([4, 16])
    assert rtt_bias.ratio(rtt_bias.RENO, 0.02, [0.04, 0.08], True) == pytest.approx([4, 16])


def test_counting_who_was_hit_leads_from_one_exponent_to_the_other() -> None:
    rtts = np.array([0.02, 0.08])
    for response in (rtt_bias.RENO, rtt_bias.CUBIC):
        together = rtt_bias.shares(response, rtts, True)
        assert rtt_bias.by_events(response, rtts, [7, 7]) == pytest.approx(together)
        by_chance = rtt_bias.shares(response, rtts, False)
        assert rtt_bias.by_events(response, rtts, 40 * by_chance) == pytest.approx(by_chance)
    with pytest.raises(ValueError, match="events of each flow"):
        rtt_bias.by_events(rtt_bias.RENO, rtts, [3, 0])
