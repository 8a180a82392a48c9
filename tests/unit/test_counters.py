"""Counters before and after a run: of several programs, of cut runs, and of a thousand hosts in no time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from labkit.decode.counters import nstat, softnet
from labkit.decode.raw import KeptFile, RawFormatError
from labkit.program.structs import PHASE_AFTER, PHASE_BEFORE

SNMP, SOFTNET = "/proc/net/snmp", "/proc/net/softnet_stat"


@dataclass
class Kept:
    """The part of a raw file that counts here. rows: phase, namespace, path, text."""

    rows: list[tuple[int, int, str, str]]

    def files(self) -> Iterator[KeptFile]:
        for i, row in enumerate(self.rows):
            yield KeptFile(row[0], row[1], row[2], row[3], i)


def read(kept: list[tuple[int, int, str, str]]) -> list[tuple[Any, ...]]:
    found = nstat(Kept(kept), {1: "left", 2: "right"})  # type: ignore[arg-type]
    return list(found.itertuples(index=False, name=None))


def test_the_first_value_before_and_the_last_one_after_count() -> None:
    """Of two programs of an open laboratory; with a counter that appears meanwhile, and one that goes."""
    found = read(
        [
            (PHASE_BEFORE, 1, SNMP, "Tcp: In Gone\nTcp: 1 7\n"),
            (PHASE_AFTER, 1, SNMP, "Tcp: In\nTcp: 2\n"),
            (PHASE_BEFORE, 1, SNMP, "Tcp: In\nTcp: 3\n"),
            (PHASE_AFTER, 1, SNMP, "Tcp: In Out\nTcp: 4 5\nUdp: In\nUdp: 9"),
            (PHASE_AFTER, 3, SNMP, "Tcp: In\nTcp: 99\n"),  # of no host
        ]
    )
    assert found == [
        ("left", "TcpIn", 1, 4, 3),
        ("left", "TcpOut", 0, 5, 5),
        ("left", "UdpIn", 0, 9, 9),
        ("left", "TcpGone", 7, 0, -7),
    ]


def test_rows_of_what_was_read_before_alone_are_the_last_files_first() -> None:
    """As they always were: the page's twin has them so. What was not read after the run is missing."""
    texts = [(PHASE_BEFORE, ns, SNMP, f"Tcp: A B\nTcp: {ns} 5\n") for ns in (1, 2)]
    table = nstat(Kept(texts), {1: "left", 2: "right"})  # type: ignore[arg-type]
    rows = list(table[["host", "name", "before"]].itertuples(index=False, name=None))
    assert rows == [("right", "TcpA", 2), ("right", "TcpB", 5), ("left", "TcpA", 1), ("left", "TcpB", 5)]
    assert table["after"].isna().all() and table["delta"].isna().all()


def test_processors_stay_in_their_order() -> None:
    text = "00000001 00000002 00000003\n0000000a 0000000b 0000000c\n"
    for phase in (PHASE_BEFORE, PHASE_AFTER):
        table = softnet(Kept([(phase, 0, SOFTNET, text)]))  # type: ignore[arg-type]
        assert table["cpu"].tolist() == [0, 0, 0, 1, 1, 1]
        assert table["name"].tolist() == 2 * ["processed", "dropped", "time_squeeze"]


def test_no_number_is_damage() -> None:
    with pytest.raises(RawFormatError, match="no table of counters"):
        read([(PHASE_AFTER, 1, SNMP, f"Tcp: In\nTcp: {1 << 70}\n")])


def test_a_thousand_hosts_take_as_long_each_as_ten() -> None:
    """Processor time, so that a busy machine is none the slower: 0.2 s, and it was 25."""
    names, values = " ".join(f"Counter{i}" for i in range(120)), " ".join(map(str, range(120)))
    text = f"Tcp: {names}\nTcp: {values}\n"
    rows = [(phase, ns, SNMP, text) for phase in (PHASE_BEFORE, PHASE_AFTER) for ns in range(2000)]
    began = time.process_time()
    table = nstat(Kept(rows), {ns: f"h{ns}" for ns in range(2000)})  # type: ignore[arg-type]
    assert time.process_time() - began < 3
    assert len(table) == 240_000 and (table["delta"] == 0).all()
