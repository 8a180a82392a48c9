"""Pages load in the time that their round trips, their connections and the line make them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from labkit.lab.laboratory import Lab
from labkit.results.result import Result
from labkit.spec import DropPackets, Experiment, Requests, WebObject, WebPage
from labkit.spec.topologies import pair
from tests.guest.helpers import NOTHING, fresh

RTT = 0.020
MSS, FRAME, ACK = 1448, 1514, 66  # bytes: of payload; with all headers; of headers alone
EXACT = 20e-6  # s: some ticks of the lab's clock, one for each event of many
LINE = pair(delay="10ms")
SMALL = [WebObject(f"o{i}", 1000) for i in range(12)]


def loaded(objects: Any = SMALL, network: Any = LINE, seed: int = 1, **fields: Any) -> Result:
    page = WebPage("left", "right", objects=objects, **fields)
    return fresh(Experiment(network, flows=[page], seed=seed, probes=NOTHING))


def load_s(*args: Any, **fields: Any) -> float:
    pages = loaded(*args, **fields).pages
    assert pages["complete"].all()
    return float(pages["load_s"].iloc[0])


@pytest.mark.parametrize(("tls", "rounds"), [(None, 1), ("1.3", 2), ("1.2", 3)])
@pytest.mark.parametrize("http", ["1.1", "2"])
def test_an_object_takes_a_handshake_and_a_round_trip(http: str, tls: str | None, rounds: int) -> None:
    """TCP's handshake, then as many of TLS as the RFCs have (5246: two, 8446: one), then the object."""
    assert load_s(SMALL[:1], http=http, tls=tls) == pytest.approx((1 + rounds) * RTT, abs=EXACT)


@pytest.mark.parametrize(("connections", "rounds"), [(1, 12), (5, 3), (6, 2), (12, 1), (None, 2)])
def test_with_http_1_small_objects_take_turns_on_their_connections(
    connections: int | None, rounds: int
) -> None:
    """Twelve objects, a round trip each, one at a time on each connection. Six is what browsers have."""
    result = loaded(connections=connections)
    assert result.pages["load_s"].iloc[0] == pytest.approx((1 + rounds) * RTT, abs=EXACT)
    assert result.pages["connections"].iloc[0] == (connections or 6)
    assert (result.objects.groupby("connection").size() == 12 / (connections or 6)).all() or connections == 5


def test_with_http_2_they_share_a_round_trip() -> None:
    """Twelve responses of 1000 bytes fit into the first ten segments (RFC 6928)."""
    result = loaded(http="2")
    assert result.pages["load_s"].iloc[0] == pytest.approx(2 * RTT, abs=EXACT)
    assert (result.objects["connection"] == 1).all()


def test_what_waits_for_others_is_asked_for_when_they_are_there() -> None:
    objects = [
        WebObject("page", 1000),
        WebObject("script", 1000, after=("page",), wait="30ms"),
        WebObject("picture", 1000, after=("page", "script")),
        WebObject("late", 1000, wait="500ms"),
    ]
    table = loaded(objects, http="2").objects.set_index("object")
    done, ready = table["done_s"], table["ready_s"]
    assert ready["page"] == pytest.approx(0, abs=EXACT)
    assert ready["script"] == pytest.approx(done["page"] + 0.030, abs=EXACT)
    assert ready["picture"] == pytest.approx(done["script"], abs=EXACT)
    assert ready["late"] == pytest.approx(0.5, abs=EXACT)
    np.testing.assert_allclose(done - table["sent_s"], RTT, atol=EXACT)


def test_service_adds_itself_once_a_round_trip() -> None:
    assert load_s(service="7ms", connections=6) == pytest.approx(3 * RTT + 2 * 0.007, abs=EXACT)
    assert load_s(service="7ms", http="2") == pytest.approx(2 * RTT + 0.007, abs=EXACT)


def test_a_page_of_one_object_is_a_request() -> None:
    """The same bytes over the same connection, measured by another part of the agent."""
    network = pair(rate="10mbit", delay="10ms", queue="50p", loss="1%")
    asked = Requests("left", "right", request=400, response="300kB", count=1, nodelay=True)
    for seed in range(3):
        ours = fresh(Experiment(network, flows=[asked], seed=seed, probes=NOTHING)).requests["done_s"].iloc[0]
        page = load_s([WebObject("o", "300kB")], network, seed=seed)
        assert page == pytest.approx(ours, rel=1e-3), seed


def test_responses_take_turns_frame_by_frame() -> None:
    """Two objects of 160 kB over one connection end within a frame of each other; with HTTP/1.1 over one
    connection the second begins when the first is there."""
    two, network = [WebObject("a", 163_840), WebObject("b", 163_840)], pair(rate="10mbit", delay="10ms")
    a, b = loaded(two, network, http="2").objects["done_s"]
    frame_s = 16_384 / MSS * FRAME * 8 / 10e6
    assert b - a == pytest.approx(frame_s, rel=0.1)
    one = loaded(two, network, connections=1).objects
    assert one["sent_s"][1] == pytest.approx(one["done_s"][0], abs=EXACT)


def test_a_line_carries_all_bytes_and_no_more() -> None:
    """A page of a megabyte at 10 Mbit/s takes its frames' time, and round trips to begin with."""
    objects = [WebObject(f"o{i}", "50kB") for i in range(20)]
    network = pair(rate="10mbit", delay="10ms", queue="200p")
    wire_s = 1e6 / MSS * FRAME * 8 / 10e6
    for http in ("1.1", "2"):
        taken = load_s(objects, network, http=http)
        assert wire_s < taken < wire_s + 8 * RTT, http


def test_one_lost_segment_holds_up_all_behind_it_on_its_connection_and_nothing_else() -> None:
    """Head-of-line blocking. The server's 7th packet is the second with data of nine (4,800 bytes of requests
    bring four ACKs): eleven responses wait a round trip for its copy. With a connection each, the 14th is a
    response behind twelve handshakes: alone, it waits for a timeout."""
    lost = {"loss": DropPackets([7])}
    shared = loaded(SMALL, pair(delay="10ms", backward=lost), http="2").objects["done_s"]
    np.testing.assert_allclose(shared, [2 * RTT] + [3 * RTT] * 11, atol=EXACT)
    lost = {"loss": DropPackets([14])}
    apart = loaded(SMALL, pair(delay="10ms", backward=lost), connections=12).objects["done_s"]
    assert apart[0] > 2 * RTT + 0.2
    np.testing.assert_allclose(apart[1:], 2 * RTT, atol=EXACT)


def test_the_same_seed_gives_the_same_page_and_another_one_another() -> None:
    network = pair(rate="10mbit", delay="10ms", queue="50p", loss="2%")
    objects = [WebObject(f"o{i}", "20kB") for i in range(20)]
    first, again, other = (loaded(objects, network, seed=seed).objects for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert not first["done_s"].equals(other["done_s"])


def test_a_page_that_is_cut_says_what_came() -> None:
    page = WebPage("left", "right", objects=[WebObject("a", 1000), WebObject("b", "9GB", after=("a",))])
    result = fresh(Experiment(LINE, flows=[page], duration="1s", probes=NOTHING))
    row = result.pages.iloc[0]
    assert (row["objects"], row["complete"]) == (1, False)
    assert np.isnan(row["load_s"]) and row["first_object_s"] == pytest.approx(2 * RTT, abs=EXACT)
    assert result.objects["complete"].tolist() == [True, False]
    assert result.flows["error"].tolist() == ["ETIME"]


def test_a_server_that_nobody_reaches_is_an_error_of_the_page() -> None:
    network = pair(delay="10ms", loss=1.0)
    page = WebPage("left", "right", objects=SMALL)
    result = fresh(Experiment(network, flows=[page], time_limit="300s", probes=NOTHING))
    assert result.flows["error"].tolist() == ["ETIMEDOUT"]
    assert result.objects["ready_s"].notna().all() and result.objects["sent_s"].isna().all()


def test_its_packets_bear_its_name() -> None:
    exp = Experiment(LINE, flows=[WebPage("left", "right", objects=SMALL)], probes=NOTHING, capture=["left"])
    packets = fresh(exp).packet_table("left")
    assert (packets["flow"].astype(str) == "left-right").all()
    payload = packets.groupby("way", observed=True)["payload"].sum()
    assert payload.to_dict() == {"data": 12 * 400, "ack": 12 * 1000}


def test_a_page_loads_in_an_open_laboratory_as_in_a_run() -> None:
    with Lab(LINE, probes=NOTHING) as lab:
        for _ in range(2):
            lab.start(WebPage("left", "right", objects=SMALL))
            lab.advance("1s")
        objects = lab.result().objects.groupby("flow", observed=True)
    taken = objects["done_s"].max() - objects["ready_s"].min()
    np.testing.assert_allclose(taken, 3 * RTT, atol=EXACT)
