"""The decoder in JavaScript reads what labkit's Python reads from the same bytes, whole or damaged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit.decode.mapped_file import MappedFile
from labkit.decode.raw import Raw, RawFormatError
from labkit.errors import LimitReached
from labkit.lab.laboratory import Lab
from labkit.program.structs import Kind
from labkit.results.packets import frames_of
from labkit.results.pcapng import write
from labkit.results.result import Result
from labkit.results.run import run
from labkit.spec import ALL_PROBES, Change, Flow
from labkit.spec.topologies import dumbbell
from tests import fuzz
from tests.web.decode.decoded import (
    Answer,
    Asked,
    Column,
    Question,
    Refusal,
    by_javascript,
    by_python,
    differences,
    needs_node,
)
from tests.web.decode.experiments import experiments

EXPERIMENTS = experiments()
TABLES = (
    *("flows", "goodput", "tcp_info", "tcp_probe", "backlog", "queue", "drops", "aqm", "classes", "cc_info"),
    *("retransmit", "retransmissions", "cong_states", "qdiscs", "counters", "softnet", "interfaces"),
    *("loss_states", "commands", "errors", "requests", "transfers", "pings", "trains", "objects", "pages"),
    *("keystrokes", "segments", "playback", "calls"),
)
CRAFTED = ("errors",)  # a run that has any gives no result: tests/unit/test_decode_js.py
FAR_S = 2**53 / 1e9
"""Differences of instants beyond it are those of doubles in JavaScript, in Python exact: 104 days."""
SUM = "stalled_s"
DIFFERENCES = (
    *("wait_s", "latency_s", "rtt_s", "duration_s"),
    *("delay_s", "startup_s", "load_s", "first_object_s"),
)


@cache
def result_of(name: str) -> Result:
    """Of an experiment, however it ended."""
    try:
        return run(EXPERIMENTS[name])
    except LimitReached as limit:
        return limit.result


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


def hosts(result: Result) -> list[str]:
    return sorted({capture.host for capture in result.experiment.capture})


def asked_of(result: Result) -> list[Asked]:
    captured: list[Asked] = [("packets", host) for host in hosts(result)]
    return [("table", name) for name in TABLES] + captured


def files(result: Result) -> tuple[Path, Path]:
    return result.folder / "raw", result.folder / "manifest.json"


def unlike(result: Result, asked: Asked, javascript: Answer) -> list[str]:
    """Of playback, how long it stood still is a sum: numpy adds pairwise, so its last bit may differ."""
    python = by_python(result, asked)
    if asked == ("table", "playback") and isinstance(python, list) and isinstance(javascript, list):
        python, ours = without(python, SUM)
        javascript, theirs = without(javascript, SUM)
        if ours != pytest.approx(theirs, rel=2**-52, abs=0):
            return [f"{SUM}: {ours}, in JavaScript {theirs}"]
    return differences(python, javascript)


def without(columns: list[Column], name: str) -> tuple[list[Column], list[Any]]:
    """The other columns, and what is in this one."""
    (found,) = [column for column in columns if column.name == name]
    return [column for column in columns if column.name != name], found.values


def assert_alike(result: Result) -> None:
    """Every table, every event as the kernel has it, the packets of every host."""
    asked = [*asked_of(result), *(("trace", event) for event in result.traced().formats)]
    (answers,) = by_javascript([Question(*files(result), asked)])
    found = {" ".join(one): unlike(result, one, it) for one, it in zip(asked, answers, strict=True)}
    assert not {one: texts for one, texts in found.items() if texts}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_of_every_table_is_the_same(name: str) -> None:
    assert_alike(result_of(name))


def test_so_it_is_of_an_open_laboratory_whose_file_has_several_programs() -> None:
    network = dumbbell(rate="10mbit", delay="10ms", queue="20p")
    with Lab(network, probes=ALL_PROBES, capture=["left", "right"]) as lab:
        lab.start(Flow("left", "right", size="300kB"))
        lab.advance("100ms")
        lab.change(Change(0, ("r1", "r2"), loss="5%"))
        lab.run("left", "ping -c 3 -i 0.1 right")
        lab.advance("1s")
        result = lab.result()
    assert len(result.tcp_probe)
    assert_alike(result)


@pytest.mark.parametrize("name", [name for name, exp in EXPERIMENTS.items() if exp.capture])
def test_the_capture_file_is_the_same(name: str, tmp_path: Path) -> None:
    result = result_of(name)
    write(tmp_path / "python.pcapng", *frames_of(result, None))
    ((answer,),) = by_javascript([Question(*files(result), [("pcapng",)])])
    assert answer == (tmp_path / "python.pcapng").read_bytes()


def columns(result: Result, table: str) -> list[Column]:
    """None of a table that was not recorded."""
    answer = by_python(result, ("table", table))
    return answer if isinstance(answer, list) else []


def test_the_experiments_fill_every_table() -> None:
    """So that none of them is held against an empty one only."""
    rows = dict.fromkeys(TABLES, 0)
    for name in EXPERIMENTS:
        for table in TABLES:
            rows[table] += sum(len(column.values) for column in columns(result_of(name), table)[:1])
    assert [table for table, count in rows.items() if not count] == list(CRAFTED)


def test_the_experiments_lose_packets_for_many_causes() -> None:
    found: set[tuple[str, str]] = set()
    for name in EXPERIMENTS:
        table = {column.name: column.values for column in columns(result_of(name), "drops")}
        found |= set(zip(table["place"], table["cause"], strict=True))
    wanted = {
        ("queue", "queue full"),
        ("queue", "early drop"),
        ("queue", "queue replaced"),
        ("queue", "link down"),
        ("wire", "wire loss"),
        ("wire", "burst loss"),
        ("wire", "wire full"),
        ("hook", "named loss"),
        ("port", "frame check failed"),
        ("port", "ring full"),
        ("stack", "corrupted"),
        ("stack", "accept queue full"),
        ("stack", "no socket"),
        ("stack", "flow over"),
    }
    assert wanted <= found


# -- damaged


def damaged(raw: bytes, chance: random.Random) -> bytes:
    """Cut off, with bytes left out, or with some of some records overwritten."""
    hurt = bytearray(raw)
    how = chance.randrange(8)
    if how == 0:
        del hurt[chance.randrange(len(hurt)) :]
    elif how == 1:
        at = chance.randrange(len(hurt))
        del hurt[at : at + chance.choice((1, 8, 16, 4096))]
    else:
        for at in places(raw, chance):
            if chance.random() < 0.5:
                hurt[at] ^= 1 << chance.randrange(8)
            else:
                four = chance.choice((bytes(4), b"\xff" * 4, chance.randbytes(4), b"\xff\xff\xff\x7f"))
                hurt[at : at + 4] = four
    return bytes(hurt)


def places(raw: bytes, chance: random.Random) -> Iterator[int]:
    """In records of kinds that are drawn first: few of one kind are met as often as many of another."""
    whole = Raw(raw)
    kinds = [kind for kind in Kind if len(whole.records(kind))]
    for _ in range(chance.choice((1, 1, 2, 5))):
        records = whole.records(chance.choice(kinds))
        i = chance.randrange(len(records))
        inside = min(int(records.size[i]), chance.choice((8, 48, 400, 1 << 20)))
        yield int(records.offset[i]) - 16 + chance.randrange(inside + 16)


def read_damaged(result: Result, file: Path, asked: Asked) -> Answer:
    """By Python. Raises what is no LabkitError: then there is nothing to compare with."""
    hurt = Result(result.folder)
    hurt._held["raw"] = MappedFile(file)
    return by_python(hurt, asked)


def near(answer: Answer) -> bool:
    """Are all its instants within what a double tells to the nanosecond?"""
    if not isinstance(answer, list):
        return True
    times = [column for column in answer if column.kind == "float" and column.name.endswith("_s")]
    return all(abs(value) < FAR_S for column in times for value in column.values if value is not None)


def shown(answer: Answer, whole: bool) -> Answer:
    if whole or not isinstance(answer, list):
        return answer
    return [column for column in answer if column.name not in DIFFERENCES]


@pytest.mark.fuzz
@pytest.mark.parametrize("name", ["refused", "changes", "cards", "classes", "wires", "traffic", "pages"])
def test_damaged_bytes_give_the_same_rows_or_the_same_error(name: str, tmp_path: Path) -> None:
    result = result_of(name)
    raw = (result.folder / "raw").read_bytes()
    asked = asked_of(result)
    seed = fuzz.seed()
    questions = []
    for number in range(fuzz.examples(6)):
        file = tmp_path / str(number)
        file.write_bytes(damaged(raw, random.Random(f"{seed} {name} {number}")))
        questions.append(Question(file, result.folder / "manifest.json", asked))
    for question, answers in zip(questions, by_javascript(questions), strict=True):
        for one, theirs in zip(asked, answers, strict=True):
            ours = read_damaged(result, question.raw, one)
            whole = near(ours)
            found = differences(shown(ours, whole), shown(theirs, whole))
            assert not found, f"seed {seed}, {name} number {question.raw.name}, {one}: {found}"


def test_what_python_says_of_damage_is_what_javascript_says(tmp_path: Path) -> None:
    result = result_of("pages")
    (tmp_path / "raw").write_bytes((result.folder / "raw").read_bytes() + b"\xff" * 40)
    with pytest.raises(RawFormatError) as said:
        Raw.open(tmp_path / "raw")
    ((answer,),) = by_javascript([Question(tmp_path / "raw", files(result)[1], [("table", "flows")])])
    assert answer == Refusal("RawFormatError", str(said.value))
