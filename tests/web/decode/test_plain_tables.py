"""Plain tables are declared once: both languages make the same rows of the same records, whatever is in them.

The records are made here, field by field as the agent's structs and each table's columns have them; the
traced events are those of the recorded run of tests/unit/test_result.py. How long the time of each flow was,
which `goodput` shows, is declared by its kind.
"""

from __future__ import annotations

import errno
import json
import random
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from labkit import probes
from labkit.compile.compiler import compile_experiment
from labkit.decode import refusals
from labkit.decode.plain_tables import EventTable, PlainTable, RecordTable
from labkit.program.records import Record, packed
from labkit.program.structs import FLOW_OUT, HEADS, Kind
from labkit.results.result import Result
from labkit.traffic import KINDS, TABLES
from tests import fuzz
from tests.web.decode.decoded import (
    Answer,
    Question,
    Refusal,
    by_javascript,
    by_python,
    differences,
    needs_node,
)
from tests.web.decode.experiments import experiments

RECORDED = Path(__file__).parents[2] / "unit/data/small-run.zip"
END_NS = 6 * 10**9
CUT_S = 1.2  # before some of what was to last has lasted
NEVER = -1
PLAIN: dict[str, PlainTable] = {
    name: table
    for name, table in [
        ("errors", refusals.ERRORS),
        *TABLES.items(),
        *(pair for probe in probes.KINDS.values() for pair in probe.tables.items()),
    ]
    if isinstance(table, RecordTable | EventTable)
}
OF_RECORDS = {name: table for name, table in PLAIN.items() if isinstance(table, RecordTable)}
OF_SOME = {name for name, table in OF_RECORDS.items() if table.since}
OF_EVENTS = [name for name in PLAIN if name not in OF_RECORDS]


@pytest.fixture(autouse=True)
def node() -> None:
    needs_node()


@cache
def compiled() -> tuple[str, str]:
    """An experiment with every kind of traffic, and its layout, as JSON."""
    known = experiments()
    more = [*known["pages"].flows, *known["tunnel"].flows]
    named = [flow if flow.name == "vpn" else flow.replace(name=f"more {i}") for i, flow in enumerate(more)]
    exp = known["traffic"].replace(flows=[*known["traffic"].flows, *named])
    assert {type(flow) for flow in exp.flows} == {*KINDS.values()}
    return exp.to_json(), json.dumps(compile_experiment(exp).layout)


def record(kind: Kind, body: bytes, at_ns: int = 0) -> bytes:
    """Of a raw file; it has the same header as one of a program."""
    return packed(Record(kind, body, at_ns=at_ns))  # type: ignore[arg-type]


def made(table: RecordTable, flow: Mapping[str, Any], chance: random.Random) -> bytes:
    """A record of a table and a flow of its kind, with something in every field."""
    struct = HEADS[table.record]
    instants = iter(sorted(chance.randrange(END_NS) for _ in struct.names))
    lists = {
        column.fields[0]: column.given
        for column in table.columns.values()
        if column.word.startswith("listed")
    }
    values: dict[str, Any] = {}
    for name, kind in zip(struct.names, struct.types, strict=True):
        if name in lists:
            of, first = lists[name]
            values[name] = first + chance.randrange(len(flow[of]))
        elif kind == "i8":
            at_ns = next(instants)
            values[name] = chance.choice((NEVER, 0, at_ns, at_ns, at_ns))
        else:
            most = 2 ** (8 * int(kind[1]) - (kind[0] == "i")) - 1
            values[name] = chance.choice((0, 1, 2, 110, 10**6, most))
    behind = chance.choice((b"", b"why \xc3\xa4\xff\0behind"))
    at_ns = chance.choice((NEVER, chance.randrange(END_NS)))
    return record(
        table.record, struct.pack(**values | ({"flow": flow["id"]} if flow else {})) + behind, at_ns
    )


def ended(flow: Mapping[str, Any], chance: random.Random) -> bytes:
    """The record of a flow's end."""
    instants = sorted(chance.randrange(END_NS) for _ in range(4))
    when = ("established_ns", "first_ns", "last_ns", "end_ns")
    times = dict(zip(when, instants[: chance.choice((4, 4, 4, 3, 0))] + 4 * [NEVER], strict=False))
    names = ("sent", "received", "sent_packets", "received_packets")
    counts = {name: chance.randrange(10**6) for name in names}
    error = chance.choice((0, 0, errno.ETIME))
    return record(Kind.FLOW, FLOW_OUT.pack(id=flow["id"], error=error, **times, **counts))


def a_raw_file(chance: random.Random) -> Iterator[bytes]:
    """Records of every table, those of a type in any order."""
    flows = json.loads(compiled()[1])["flows"]
    found = [
        made(table, flow, chance)
        for table in OF_RECORDS.values()
        for flow in ([one for one in flows if one.get("kind") == table.flows] if table.flows else [{}])
        for _ in range(chance.randrange(1, 12))
    ]
    found += [ended(flow, chance) for flow in flows if chance.random() < 0.9]
    chance.shuffle(found)
    yield from found
    yield record(Kind.END, HEADS[Kind.END].pack(reason=0, lost_trace_events=0), END_NS)


def a_run(folder: Path, raw: bytes) -> Result:
    """A folder with these records in it."""
    folder.mkdir()
    with zipfile.ZipFile(RECORDED) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    exp, layout = (json.loads(text) for text in compiled())
    for name in ("manifest_sha256", "files"):
        manifest.pop(name, None)
    made_up = {"experiment": exp, "layout": layout, "virtual_s": CUT_S}
    (folder / "manifest.json").write_text(json.dumps(manifest | made_up))
    (folder / "raw").write_bytes(raw)
    return Result(folder)


def both(result: Result, names: list[str]) -> dict[str, tuple[Answer, Answer]]:
    """Table -> what Python and what JavaScript make of it."""
    asked = [("table", name) for name in names]
    (theirs,) = by_javascript([Question(result.folder / "raw", result.folder / "manifest.json", asked)])
    return {name: (by_python(result, one), it) for name, one, it in zip(names, asked, theirs, strict=True)}


def rows(answer: Answer) -> int:
    assert isinstance(answer, list), answer
    return len(answer[0].values)


@pytest.mark.fuzz
def test_records_give_the_same_rows_in_both_languages(tmp_path: Path) -> None:
    seed = fuzz.seed()
    for number in range(fuzz.examples(6)):
        chance = random.Random(f"{seed} {number}")
        result = a_run(tmp_path / str(number), b"".join(a_raw_file(chance)))
        answers = both(result, [*OF_RECORDS, "flows", "goodput"])
        unlike = {name: found for name, (ours, its) in answers.items() if (found := differences(ours, its))}
        assert not unlike, f"seed {seed}, number {number}"
        assert {name for name, (ours, _) in answers.items() if not rows(ours)} <= OF_SOME


def test_events_give_the_same_rows_in_both_languages(tmp_path: Path) -> None:
    with zipfile.ZipFile(RECORDED) as archive:
        archive.extractall(tmp_path / "run")
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    manifest["experiment"]["probes"] = sorted(probes.ALL)  # each event that they need is in this run
    (tmp_path / "run/manifest.json").write_text(json.dumps(manifest))
    with_a_state_beyond(Result(tmp_path / "run"))
    for ours, theirs in both(Result(tmp_path / "run"), OF_EVENTS).values():
        assert rows(ours)
        assert differences(ours, theirs) == []


def with_a_state_beyond(result: Result) -> None:
    """The first congestion state becomes one that nobody knows, in the file."""
    changes = result.traced().occurrences("tcp/tcp_cong_state_set")
    assert changes.format.dtype.fields
    raw = bytearray((result.folder / "raw").read_bytes())
    raw[changes.offset[0] + changes.format.dtype.fields["cong_state"][1]] = 9
    (result.folder / "raw").write_bytes(raw)


def test_every_column_has_its_word_in_both_languages_and_every_field_is_one_of_the_struct() -> None:
    for table in OF_RECORDS.values():
        fields = {field for column in table.columns.values() for field in column.fields}
        assert fields | {*table.order} <= {*HEADS[table.record].names, "at_ns"}
        assert not table.since or table.since in HEADS[table.record].names


@pytest.mark.parametrize(
    ("name", "field", "value", "said"),
    [
        ("requests", "flow", 77, "a record of type REQUEST of flow 77, which there is not"),
        ("trains", "flow", 78, "a record of type TRAIN of flow 78, which there is not"),
        ("segments", "rate", 3, "a record of type SEGMENT has rate 3: its flow has 3 ladder"),
        ("objects", "number", 3, "a record of type EXCHANGE has number 3: its flow has 2 objects"),
        ("objects", "number", 0, "a record of type EXCHANGE has number 0: its flow has 2 objects"),
    ],
)
def test_what_cannot_be_is_damage_in_both_languages(
    tmp_path: Path, name: str, field: str, value: int, said: str
) -> None:
    table = OF_RECORDS[name]
    flows = json.loads(compiled()[1])["flows"]
    flow = next(one for one in flows if one.get("kind") == table.flows)
    struct = HEADS[table.record]
    values = dict.fromkeys(struct.names, 1) | {"flow": flow["id"]}
    good, bad = (record(table.record, struct.pack(**values | more)) for more in ({}, {field: value}))
    ((ours, theirs),) = both(a_run(tmp_path / "run", good + bad + good), [name]).values()
    text = f"raw file damaged at byte {len(good) + 16}: {said}: delete this result and run again"
    assert ours == theirs == Refusal("RawFormatError", text)
