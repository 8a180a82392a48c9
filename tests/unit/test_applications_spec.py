"""Pages, sessions, streams, calls and their codes as descriptions: what is wrong is said in one message."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labkit.compile.compiler import compile_experiment
from labkit.errors import SpecError
from labkit.spec import (
    Call,
    Experiment,
    Interactive,
    Parity,
    ReedSolomon,
    Repetition,
    Stream,
    WebObject,
    WebPage,
)
from labkit.spec.paths import with_field
from labkit.spec.shaken import shaken
from labkit.spec.topologies import pair
from labkit.traffic.exchanges import Exchange, Pool, exchanges_record
from labkit.traffic.fec import as_fec, usable
from labkit.traffic.kind import Context, Ended

NET = pair(rate="10mbit", delay="10ms")
PAGE = WebPage(
    "left", "right", objects=[WebObject("page", "30kB"), WebObject("picture", "20kB", after=("page",))]
)
SESSION = Interactive("left", "right", duration="10s")
STREAM = Stream("left", "right", length="60s")
CALL = Call("left", "right", duration="10s")
ALL = [PAGE, SESSION, STREAM, CALL, CALL.replace(fec=ReedSolomon(6, 4)), CALL.replace(transport="tcp")]
CONTEXT = Context(
    number=3,
    src_ns=0,
    dst_ns=1,
    saddr="10.0.0.1",
    daddr="10.0.0.2",
    sport=20000,
    dport=30000,
    seed=7,
    longest_s=0.02,
)


@pytest.mark.parametrize("flow", ALL, ids=lambda flow: f"{flow.kind} {getattr(flow, 'transport', '')}")
def test_an_experiment_with_it_goes_through_json(flow: Any) -> None:
    exp = Experiment(NET, flows=[flow])
    again = Experiment.from_json(exp.to_json())
    assert again == exp and again.digest() == exp.digest()
    assert compile_experiment(again).program == compile_experiment(exp).program
    assert type(again.flows[0]) is type(flow)


@pytest.mark.parametrize("flow", ALL, ids=lambda flow: f"{flow.kind} {getattr(flow, 'transport', '')}")
def test_shaking_moves_its_start_and_nothing_else_of_it(flow: Any) -> None:
    exp = Experiment(NET, flows=[flow])
    moved = shaken(exp, 3).flows[0]
    assert moved.start > 0 and moved.replace(start=0.0) == exp.flows[0]


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "no objects": (lambda: PAGE.replace(objects=[]), "objects: Value should have at least 1 item"),
    "two objects of one name": (
        lambda: PAGE.replace(objects=[WebObject("a", 1), WebObject("a", 1)]),
        r"objects\[1\]\.name='a': two objects",
    ),
    "an object that waits for nobody": (
        lambda: PAGE.replace(objects=[WebObject("a", 1, after=("b",)), WebObject("b", 1)]),
        r"objects\[0\]\.after='b': must name an object that stands before 'a'",
    ),
    "an object that waits for itself": (
        lambda: PAGE.replace(objects=[WebObject("a", 1, after=("a",))]),
        "must name an object that stands before 'a'",
    ),
    "an empty object": (lambda: WebObject("a", 0), "size=0"),
    "connections of HTTP/2": (
        lambda: PAGE.replace(http="2", connections=3),
        "connections: HTTP/2 has one: leave it out",
    ),
    "no connections": (lambda: PAGE.replace(connections=0), "connections=0"),
    "HTTP/3": (lambda: PAGE.replace(http="3"), "http='3': must be"),
    "an old TLS": (lambda: PAGE.replace(tls="1.0"), "tls='1.0': must be"),
    "a page to itself": (lambda: PAGE.replace(dst="left"), "dst='left': the same host as src"),
    "a page with a cc that nobody has": (
        lambda: Experiment(NET, flows=[PAGE.replace(cc="cubik")]),
        "no such congestion control .did you mean .cubic",
    ),
    "a session without end": (lambda: Interactive("left", "right"), "duration: missing"),
    "too many keys": (lambda: SESSION.replace(every="2us", duration="9s"), "over 500,000 keystrokes"),
    "a falling ladder": (
        lambda: STREAM.replace(ladder=["2mbit", "1mbit"]),
        r"ladder\[1\]=1000000: must be above",
    ),
    "no ladder": (lambda: STREAM.replace(ladder=[]), "ladder"),
    "a small buffer": (lambda: STREAM.replace(buffer="1s"), "buffer=1.0: holds no segment of 4.0 s"),
    "a late beginning": (lambda: STREAM.replace(begin="31s"), "begin=31.0: the buffer never holds so much"),
    "endless segments": (
        lambda: STREAM.replace(length="9h", segment="1ms", buffer="1s"),
        "over 100,000 segments",
    ),
    "segments of nothing": (
        lambda: STREAM.replace(ladder=["100bit"], segment="1ms", buffer="1s", length="1s"),
        "segments of 0 bytes",
    ),
    "a rule of nobody": (lambda: STREAM.replace(rule="best"), "rule='best': must be"),
    "a call over TCP with FEC": (
        lambda: CALL.replace(transport="tcp", fec=Parity(4)),
        'fec: TCP repairs by itself: only with transport="udp"',
    ),
    "a datagram without room": (lambda: CALL.replace(size=7), "size=7: a datagram carries its number"),
    "congestion control of UDP": (lambda: CALL.replace(cc="reno"), 'cc: only with transport="tcp"'),
    "too long a call": (lambda: CALL.replace(duration="20h", fec=Repetition(2)), "7,200,000 packets"),
    "a code of nobody": (lambda: CALL.replace(fec="xor"), r"fec='xor': must be Repetition\(2\), Parity"),
    "a code that adds nothing": (lambda: ReedSolomon(4, 4), "n=4: must be above k=4"),
    "one copy": (lambda: Repetition(1), "copies=1"),
    "a block of nothing": (lambda: Parity(0), "k=0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    make, said = WRONG[name]
    with pytest.raises(SpecError, match=said):
        make()


# --- pages


def test_objects_come_from_a_file(tmp_path: Path) -> None:
    rows = [{"name": "page", "size": "30kB"}, {"name": "picture", "size": 20_000, "after": ["page"]}]
    path = tmp_path / "page.json"
    path.write_text(json.dumps(rows))
    assert PAGE.replace(objects=str(path)) == PAGE == PAGE.replace(objects=path)
    (tmp_path / "page.yaml").write_text(
        "- {name: page, size: 30kB}\n- {name: picture, size: 20kB, after: [page]}\n"
    )
    assert PAGE.replace(objects=str(tmp_path / "page.yaml")) == PAGE


def test_a_file_that_is_wrong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_text('[{"name": "page"}]')
    with pytest.raises(SpecError, match=r"size: missing"):
        PAGE.replace(objects=str(path))
    path.write_text("[")
    with pytest.raises(SpecError, match=r"page\.json.*not JSON"):
        PAGE.replace(objects=str(path))


def test_those_that_wait_for_none_are_compiled_in_order_of_time() -> None:
    """The agent starts one after the other; nobody waits for one that stands behind it."""
    page = PAGE.replace(
        objects=[WebObject("late", 1, wait="2s"), WebObject("b", 1, after=("late",)), WebObject("now", 1)]
    )
    facts = page.facts(CONTEXT)
    assert facts["objects"] == ["now", "late", "b"]


def test_followers_are_those_that_wait() -> None:
    """Behind the pool: count and number of followers; each exchange; the list."""
    rows = [Exchange(1, 2), Exchange(3, 4, after=(0,), wait=0.5), Exchange(5, 6, after=(0, 1), service=0.25)]
    body = exchanges_record(CONTEXT, Pool("cubic"), rows, 0.0).body
    count, followers = struct.unpack_from("<QQ", body, 152)
    unpacked = [struct.unpack_from("<QQQQQII", body, 168 + 48 * i) for i in range(count)]
    assert (count, followers) == (3, 3)
    assert [row[4] for row in unpacked] == [0, 1, 2]
    assert [row[5:] for row in unpacked] == [(0, 2), (2, 1), (3, 0)]
    assert struct.unpack_from("<III", body, 168 + 48 * 3) == (1, 2, 2)
    assert unpacked[1][0] == 500_000_000 and unpacked[2][3] == 250_000_000


# --- a sweep's paths


def test_a_sweep_may_name_its_fields() -> None:
    exp = Experiment(NET, flows=[PAGE, CALL.replace(fec=ReedSolomon(6, 4), name="call")])
    assert with_field(exp, "flows.left-right.http", "2").flows[0].http == "2"  # type: ignore[attr-defined]
    assert with_field(exp, "flows.call.fec", Parity(3)).flows[1].fec == Parity(3)  # type: ignore[attr-defined]


# --- codes


def test_repetition_sends_each_packet_so_often_and_so_far_apart() -> None:
    sent = [(one.at, one.packet) for one in Repetition(2, gap=2).sent(3)]
    assert sent == [(0, 0), (1, 1), (2, 2), (2, 0), (3, 1), (4, 2)]


def test_a_block_is_followed_by_what_repairs_it() -> None:
    sent = [(round(one.at, 3), one.packet, one.block) for one in ReedSolomon(5, 3).sent(4)]
    assert sent == [
        *((0, 0, 0), (1, 1, 0), (2, 2, 0), (2.333, -1, 0), (2.667, -1, 0)),
        *((3, 3, 1), (3.333, -1, 1), (3.667, -1, 1)),
    ]


@pytest.mark.parametrize(
    "code", [Repetition(2), Repetition(3, gap=4), Parity(4), ReedSolomon(7, 4)], ids=repr
)
def test_times_ascend_and_the_overhead_is_what_is_sent(code: Any) -> None:
    sent = list(code.sent(400))
    assert [one.at for one in sent] == sorted(one.at for one in sent)
    assert len(sent) / 400 - 1 == pytest.approx(code.overhead())
    assert sorted({one.packet for one in sent} - {-1}) == list(range(400))


def test_any_k_of_a_block_restore_it_and_the_last_of_them_says_when() -> None:
    nan = float("nan")
    arrived = np.array([1.0, nan, 3.0, 4.0, nan])  # three packets, then two that repair, of which one came
    came, used = usable(ReedSolomon(5, 3), 3, arrived)
    np.testing.assert_array_equal(came, [1.0, nan, 3.0])
    np.testing.assert_array_equal(used, [1.0, 4.0, 3.0])
    _, used = usable(ReedSolomon(5, 3), 3, np.array([1.0, nan, nan, 4.0, nan]))
    np.testing.assert_array_equal(used, [1.0, nan, nan])


def test_a_short_last_block_needs_as_many_as_it_has() -> None:
    nan = float("nan")
    _, used = usable(Parity(3), 4, np.array([1.0, 2.0, 3.0, 4.0, nan, 6.0]))
    np.testing.assert_array_equal(used, [1.0, 2.0, 3.0, 6.0])


def test_codes_are_read_from_plain_values() -> None:
    for code in (Repetition(3, gap=2), Parity(4), ReedSolomon(6, 4)):
        assert as_fec(code.model_dump()) == code
    assert as_fec(None) is None


@pytest.mark.parametrize("kind", [PAGE, STREAM], ids=["page", "stream"])
def test_the_time_of_what_has_no_duration_is_over_when_it_ends(kind: WebPage | Stream) -> None:
    """So that the goodput of every run with one can be told."""
    cut = Ended(complete=False, start_s=1.0, last_byte_s=2.0, end_s=3.0)
    assert kind.until(cut, 9.0) == 3.0


def test_the_time_of_a_page_is_over_when_all_of_it_has_come() -> None:
    assert PAGE.until(Ended(complete=True, start_s=1.0, last_byte_s=2.0, end_s=3.0), 9.0) == 2.0
