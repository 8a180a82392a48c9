"""Claims about the drawn network: nothing on top of anything else, the same each time."""

from __future__ import annotations

import itertools
import math

import pytest

from labkit.charts.link_text import duration, loss, parts, percent, scaled
from labkit.charts.placement import positions
from labkit.charts.sketch import sketch
from labkit.spec import (
    ContinuousGilbertElliott,
    Direction,
    DropPackets,
    EveryNth,
    GilbertElliott,
    Link,
    RandomLoss,
    Switch,
    Topology,
)
from labkit.spec.topologies import dumbbell, pair, parking_lot, star, tree

LINK = {"rate": "10mbit", "delay": "10ms", "queue": "100p", "loss": "1%"}
RING = Topology(["a", "b", "c", "d"], [Link("a", "b"), Link("b", "c"), Link("c", "d"), Link("d", "a")])
NETWORKS = {
    "alone": Topology(["a"]),
    "apart": Topology(["a", "b", "c"]),
    "pair": pair(**LINK),
    "chain": Topology(["left", "router", "right"], [Link("left", "router"), Link("router", "right", **LINK)]),
    "dumbbell": dumbbell(**LINK),
    "dumbbell-2": dumbbell(2, **LINK),
    "dumbbell-5": dumbbell(5, **LINK),
    "star": star("left", "right", "top", "bottom", **LINK),
    "switched": star("h1", "h2", "h3", center=Switch("s1"), **LINK),
    "star-12": star(*(f"h{i}" for i in range(12)), **LINK),
    "parking-lot": parking_lot(2, **LINK),
    "parking-lot-4": parking_lot(4, **LINK),
    "tree": tree(2, 2, **LINK),
    "tree-3-3": tree(3, 3, **LINK),
    "tree-1-2": tree(1, 2),
    "ring": RING,
}
every_network = pytest.mark.parametrize("name", sorted(NETWORKS))


@every_network
def test_every_host_has_a_place_of_its_own(name: str) -> None:
    hosts = sketch(NETWORKS[name]).hosts
    assert sorted(hosts["name"]) == sorted(NETWORKS[name].names)
    size = sketch(NETWORKS[name]).size
    for a, b in itertools.combinations(hosts[["x", "y"]].to_numpy().tolist(), 2):
        assert math.dist(a, b) > size


@every_network
def test_no_link_runs_through_a_third_host(name: str) -> None:
    drawn = sketch(NETWORKS[name])
    places = {row["name"]: (row["x"], row["y"]) for row in drawn.hosts.to_dict("records")}
    for link in NETWORKS[name].links:
        (x, y), (x2, y2) = places[link.a], places[link.b]
        for other in places.keys() - link.ends:
            px, py = places[other]
            along = ((px - x) * (x2 - x) + (py - y) * (y2 - y)) / math.dist((x, y), (x2, y2)) ** 2
            if 0 <= along <= 1:
                assert math.dist((px, py), (x + along * (x2 - x), y + along * (y2 - y))) > drawn.size / 2


@every_network
def test_names_do_not_lie_on_each_other(name: str) -> None:
    names = sketch(NETWORKS[name]).hosts
    boxes = []
    for row in names.to_dict("records"):
        width, height = 7.0 * len(row["name"]), 12.0
        if row["turn"]:
            boxes.append((row["name_x"] - height / 2, row["name_y"], height, width))
        else:
            shift = {"center": width / 2, "left": 0, "right": width}[row["align"]]
            boxes.append((row["name_x"] - shift, row["name_y"] - height / 2, width, height))
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(boxes, 2):
        assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


@every_network
def test_a_network_fits_its_frame_and_its_frame_the_page(name: str) -> None:
    drawn = sketch(NETWORKS[name])
    left, right, top, bottom = drawn.frame
    for table in (drawn.hosts, drawn.labels, drawn.queues, drawn.note):
        assert table["x"].between(left, right).all()
        assert table["y"].between(top, bottom).all()
    assert right - left <= 760


@every_network
def test_positions_are_the_same_each_time(name: str) -> None:
    assert positions(NETWORKS[name]) == positions(NETWORKS[name])


def test_a_dumbbell_has_its_bottleneck_level_and_its_hosts_in_columns() -> None:
    places = positions(dumbbell(3))
    assert places["r1"][1] == places["r2"][1] == 0
    for side in ("left", "right"):
        assert len({places[f"{side}{i}"][0] for i in (1, 2, 3)}) == 1
    assert places["left1"][0] < places["r1"][0] < places["r2"][0] < places["right1"][0]


def test_a_parking_lot_has_its_routers_in_a_row_and_cross_traffic_below() -> None:
    places = positions(parking_lot(3))
    row = ["left", "r1", "r2", "r3", "r4", "right"]
    assert [places[name][1] for name in row] == [0] * 6
    assert sorted(row, key=lambda name: places[name][0]) == row
    assert all(places[f"{side}{i}"][1] < 0 for side in ("left", "right") for i in (1, 2, 3))


def test_a_tree_has_its_root_on_top_and_its_leaves_in_a_row() -> None:
    places = positions(tree(2, 3))
    assert places["r"][1] > places["r1"][1] > places["h1-1"][1]
    assert len({y for name, (_, y) in places.items() if name.startswith("h")}) == 1


def test_a_star_has_its_center_in_the_middle() -> None:
    assert positions(star("a", "b", "c", center="hub"))["hub"] == (0, 0)


def test_each_queue_is_drawn_at_the_host_that_holds_it() -> None:
    drawn = sketch(pair(rate="10mbit", backward={"rate": None, "queue": None}))
    (queue,) = drawn.queues.to_dict("records")
    left = drawn.hosts.set_index("name").loc["left"]
    assert math.dist((queue["x"], queue["y"]), (left["x"], left["y"])) < 40


def test_what_only_one_way_does_stands_behind_an_arrow() -> None:
    (label,) = sketch(pair(**LINK)).labels["text"]
    assert label == "10 Mbit/s · 10 ms\nqueue 100 packets\n→ 1 % loss"
    turned = Topology(["b", "a"], [Link("a", "b", forward={"loss": "1%"})])
    assert sketch(turned).labels["text"].tolist() == ["← 1 % loss"], "a stands to the right of b"


def test_words_that_many_links_share_stand_once() -> None:
    drawn = sketch(star("a", "b", "c", rate="1mbit"))
    assert drawn.labels.empty
    assert drawn.note["text"].tolist() == ["Each unlabelled link: 1 Mbit/s · queue 100 packets"]


def test_a_link_is_said_in_the_units_of_the_field() -> None:
    way = Direction(
        rate="1.5gbit", queue="64kB", delay="0.25ms", jitter="50us", corrupt="0.1%", wire_limit="9p"
    )
    said = ["1.5 Gbit/s", "0.25 ms ± 50 µs", "0.1 % corrupt", "queue 64 kB", "wire holds 9"]
    assert parts(way) == said
    assert parts(Direction(rate="1mbit", queue="fq_codel"))[1] == "fq_codel"
    assert [
        loss(kind) for kind in (RandomLoss("5%"), EveryNth(100), DropPackets([300]), DropPackets([1, 2]))
    ] == [
        "5 % loss",
        "1 in 100 lost",
        "packet 300 lost",
        "2 packets lost",
    ]
    assert loss(GilbertElliott("1%", "30%")) == "bursty loss"
    assert loss(ContinuousGilbertElliott("1s", "50ms")) == "bursty loss"
    assert (scaled(500, "bit/s"), duration(1.5), duration(5e-5), percent(0.5)) == (
        "500 bit/s",
        "1.5 s",
        "50 µs",
        "50 %",
    )
