"""Claims about the ready-made networks."""

from __future__ import annotations

import pytest

from labkit.errors import SpecError
from labkit.spec import Direction, Queue, RandomLoss, Topology
from labkit.spec.topologies import dumbbell, pair, parking_lot, star, tree


def joined(topology: Topology) -> list[str]:
    return [f"{link.a}-{link.b}" for link in topology.links]


def test_pair_is_one_link_that_loses_data_but_no_acks() -> None:
    link = pair(rate="10mbit", delay="10ms", loss="1%").link("left", "right")
    assert link.forward == Direction(rate=10**7, queue="100p", delay=0.01, loss=0.01)
    assert link.backward == Direction(rate=10**7, queue="100p", delay=0.01)


def test_dumbbell_of_one_has_left_and_right_behind_two_routers() -> None:
    assert joined(dumbbell()) == ["left-r1", "r1-r2", "r2-right"]


def test_dumbbell_of_several_numbers_its_hosts() -> None:
    assert dumbbell(2).names == ("left1", "left2", "r1", "r2", "right1", "right2")


def test_access_links_are_ten_times_faster_and_without_delay() -> None:
    access = dumbbell(rate="10mbit", delay="10ms", loss="1%").link("left", "r1")
    assert access.forward == access.backward == Direction(rate="100mbit", queue="1000p")


def test_access_links_are_as_given() -> None:
    access = dumbbell(rate="10mbit", access_rate="20mbit", access_delay="3ms").link("r2", "right")
    assert (access.forward.rate, access.forward.delay) == (20_000_000, 0.003)


def test_a_network_without_rate_has_no_queue_anywhere() -> None:
    assert all(way.queue is None for link in dumbbell().links for way in (link.forward, link.backward))


def test_acks_are_lost_when_the_way_back_says_so() -> None:
    link = dumbbell(loss="1%", backward={"loss": "3%"}).link("r1", "r2")
    assert (link.forward.loss, link.backward.loss) == (RandomLoss(0.01), RandomLoss(0.03))


def test_mtu_holds_for_the_whole_dumbbell() -> None:
    assert {link.mtu for link in dumbbell(mtu=9000).links} == {9000}


def test_star_joins_every_leaf_to_its_center() -> None:
    topology = star("left", "right", center="hub", rate="1mbit", queue="fq_codel")
    assert joined(topology) == ["hub-left", "hub-right"]
    assert topology.link("left", "hub").backward.queue == Queue("fq_codel")


def test_each_hop_of_a_parking_lot_is_a_bottleneck_with_its_own_cross_traffic() -> None:
    topology = parking_lot(2, rate="1mbit")
    hops = ["left-r1", "left1-r1", "r1-r2", "r2-right1", "left2-r2", "r2-r3", "r3-right2", "r3-right"]
    assert joined(topology) == hops


@pytest.mark.parametrize(("depth", "fanout", "hosts"), [(1, 1, 2), (2, 2, 7), (3, 3, 40)])
def test_a_tree_has_all_its_hosts_as_leaves(depth: int, fanout: int, hosts: int) -> None:
    topology = tree(depth, fanout)
    assert len(topology.names) == hosts == len(topology.links) + 1
    assert sum(name.startswith("h") for name in topology.names) == fanout**depth


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: dumbbell(0), "n=0: must be a whole number"),
        (lambda: dumbbell(500), "makes 1002 hosts: at most 1000"),
        (lambda: dumbbell(loss="5"), "^loss='5': write \"5%\" or 0.05$"),
        (lambda: dumbbell(rate="fast"), "^rate='fast': not a rate"),
        (lambda: dumbbell(lost=1), 'no such field .did you mean "loss"'),
        (lambda: star(), "star: has no leaves"),
        (lambda: star("a", center="a"), "joins 'a' with itself"),
        (lambda: tree(8, 9), "makes .* hosts"),
        (lambda: tree(9, 1), "at most 8"),
        (lambda: parking_lot(True), "hops=True"),
    ],
)
def test_a_wrong_network_is_refused_in_one_line(build, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpecError, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_whoever_asked_for_neighbours_has_the_same_topology() -> None:
    net = dumbbell(rate="10mbit")
    before = repr(net)
    assert net.neighbours("r1") == ["left", "r2"]
    assert repr(net) == before
    assert net.replace() == dumbbell(rate="10mbit")
