"""What a queue may be given: a fault is found where it is written, at its option. What a kind declares."""

from __future__ import annotations

import re
from typing import Any

import pytest

from labkit.decode import aqm
from labkit.errors import SpecError
from labkit.execute.guest.kernel.config import FRAGMENT, LOADABLE
from labkit.qdiscs import KINDS, REFUSED
from labkit.spec import Change, Link, Queue

BUILT_IN = {"pfifo", "bfifo", "pfifo_fast"}


def refusal(kind: str, **given: Any) -> str:
    with pytest.raises(SpecError) as caught:
        Queue(kind, **given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("fq_codel", {"target": "5m"}, "target='5m': unknown unit 'm': write \"20ms\" or 0.02 (seconds)"),
        ("codel", {"target": "2ns"}, "target='2ns': is counted in whole microseconds"),
        ("codel", {"ecn": "yes"}, "ecn='yes': write True or False"),
        ("fq", {"buckets": 1000}, "buckets=1000: write a power of two"),
        ("cake", {"diffserv": "diffserv5"}, "diffserv='diffserv5': must be one of besteffort, precedence"),
        ("hhf", {"quantum": "8GiB"}, "quantum='8GiB': must be from 0 to 4294967295"),
        ("codel", {"targt": "5ms"}, 'targt: codel has no such option (did you mean "target"?): it takes ce_'),
        ("pfifo", {"packet": 5}, 'packet: pfifo has no such option (did you mean "packets"?)'),
        ("pfifo_fast", {"bands": 3}, "bands: pfifo_fast has no such option: it takes no options"),
        ("pfifo", {"bytes": "64kB"}, "bytes: pfifo is limited in packets: leave bytes out"),
        ("prio", {"packets": 5}, "packets: prio is limited in nothing: leave packets out"),
        ("cake", {"bytes": "1MB", "memlimit": "2MB"}, "memlimit= and bytes= say the same: give one of them"),
        ("bfifo", {}, 'bfifo has no limit of its own: write bytes="64kB"'),
        ("red", {}, 'red has no limit of its own: write bytes="64kB"'),
        ("choke", {}, "choke has no limit of its own: write packets=100"),
        ("red", {"bytes": 64_000, "max": 70_000}, "red: max=70000: must not exceed limit=64000"),
        (
            "red",
            {"bytes": 64_000, "nodrop": True},
            "red: nodrop marks in place of dropping: write ecn=True as well",
        ),
        ("prio", {"bands": 17}, "prio: bands=17: 2 to 16"),
    ],
)
def test_a_fault_of_a_queue_says_where_and_what_is_right(
    kind: str, given: dict[str, Any], message: str
) -> None:
    assert message in refusal(kind, **given)


def test_every_fault_of_a_queue_has_its_line() -> None:
    lines = refusal("codel", target="soon", interval="later", limt=3).splitlines()
    assert [line.split("=")[0].split(":")[0] for line in lines] == ["target", "interval", "limt"]


def test_a_fault_is_found_where_the_queue_is_written() -> None:
    with pytest.raises(SpecError, match=r"^queue\.target='5m': unknown unit"):
        Link("a", "b", rate="1mbit", queue={"kind": "codel", "target": "5m"})
    with pytest.raises(SpecError, match=r"^forward\.queue\.target='5m'"):
        Link("a", "b", rate="1mbit", forward={"queue": {"kind": "codel", "target": "5m"}})
    with pytest.raises(SpecError, match=r"queue\.target='5m': unknown unit"):
        Change("1s", ("a", "b"), queue={"kind": "codel", "target": "5m"})


@pytest.mark.parametrize(
    ("kind", "tcs", "ours"),
    [
        ("codel", {"noecn": True}, {"ecn": False}),
        ("cake", {"diffserv4": True}, {"diffserv": "diffserv4"}),
        ("cake", {"dual-srchost": True}, {"isolation": "dual-srchost"}),
        ("cake", {"ack-filter-aggressive": True}, {"ack_filter": "aggressive"}),
        ("fq", {"nopacing": True}, {"pacing": False}),
    ],
)
def test_words_of_tc_stand_for_an_option_with_a_value(
    kind: str, tcs: dict[str, Any], ours: dict[str, Any]
) -> None:
    assert KINDS[kind].keywords(None, None, tcs) == KINDS[kind].keywords(None, None, ours)


def test_no_kind_is_both_taken_and_refused() -> None:
    assert not KINDS.keys() & REFUSED.keys()
    assert all(kind == qdisc.kind for kind, qdisc in KINDS.items())


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - BUILT_IN))
def test_the_lab_kernel_has_every_kind_built_in_or_as_a_module(kind: str) -> None:
    built_in = re.search(f"^CONFIG_NET_SCH_{kind.upper()}=y$", FRAGMENT.read_text(), re.MULTILINE)
    assert (KINDS[kind].module in LOADABLE) is (built_in is None)


def test_columns_of_a_kind_are_in_the_table_with_their_units() -> None:
    declared = {name for qdisc in KINDS.values() for name in qdisc.columns}
    assert declared <= aqm.UNITS.keys()
    assert list(aqm.UNITS)[:4] == ["time_s", "host", "peer", "kind"]
