"""Limits of what a run may write: fields, bytes of a program, words; and reading what was written."""

from __future__ import annotations

import struct
import time

import pytest

from labkit.compile.compiler import compile_experiment
from labkit.decode import commands
from labkit.decode.raw import Raw
from labkit.errors import SpecError
from labkit.execute.run.limits import in_words, too_much
from labkit.program.structs import Kind, Op
from labkit.spec import Command, Experiment
from labkit.spec.topologies import pair

EXP = Experiment(pair(), commands=[Command("left", "yes")], capture=["right"])
FIELDS = ("raw_limit", "output_limit", "capture_limit", "trace_limit")


def record(kind: int, body: bytes, ns: int = 0, at_ns: int = 0) -> bytes:
    """One record of a raw file."""
    size = 16 + len(body)
    return struct.pack("<HHIq", kind, ns, size, at_ns) + body + b"\0" * (-size % 8)


def ops(program: bytes) -> list[int]:
    """The types of a program's records."""
    found, at = [], 16
    while at < len(program):
        kind, _, size, _ = struct.unpack_from("<HHIq", program, at)
        found.append(kind)
        at += (size + 7) & ~7
    return found


@pytest.mark.parametrize("field", FIELDS)
def test_a_default_limit_is_not_written_and_another_is(field: str) -> None:
    same = EXP.replace(**{field: getattr(EXP, field)})
    assert field not in same.to_json()
    assert same.digest() == EXP.digest()
    assert compile_experiment(same).program == compile_experiment(EXP).program
    other = EXP.replace(**{field: "7MB"})
    assert f'"{field}": 7000000' in other.to_json()
    assert other.digest() != EXP.digest()
    assert Experiment.from_json(other.to_json()) == other
    with_limits, without = (ops(compile_experiment(exp).program) for exp in (other, EXP))
    assert with_limits == [*without[:-1], Op.LIMITS, Op.END]


def test_a_limit_is_a_size() -> None:
    with pytest.raises(SpecError, match=r'output_limit.*"64kB"'):
        EXP.replace(output_limit="much")
    with pytest.raises(SpecError, match=r"output_limit.*at least 1"):
        EXP.replace(output_limit=0)


@pytest.mark.parametrize(
    ("what", "number", "words"),
    [
        (0, 0, "the run wrote more than 2 MB (raw_limit): raise it: Experiment(..., raw_limit="),
        (1, 0, "'yes' on left printed more than 2 MB (output_limit)"),
        (2, 0, 'the probe "drops" wrote more than 2 MB (capture_limit)'),
        (3, 0, "wrote more than 2 MB (trace_limit)"),
    ],
)
def test_a_message_names_what_wrote_too_much_and_how_to_raise_its_limit(
    what: int, number: int, words: str
) -> None:
    raw = Raw(record(Kind.LIMIT, struct.pack("<IIQ", what, number, 2_000_000)))
    said = too_much(raw, compile_experiment(EXP).layout)
    assert words in said
    assert said.endswith('_limit="20MB")')


def test_a_capture_is_named_by_its_interface() -> None:
    layout = compile_experiment(EXP).layout
    device = next(one for one in layout["interfaces"] if one["host"] == "right")
    head = struct.pack("<IIQ", 2, device["index"], 1500)
    said = too_much(Raw(record(Kind.LIMIT, head, ns=device["ns"])), layout)
    assert said.startswith("the capture of right.eth0 wrote more than 1.5 kB (capture_limit)")


def test_nothing_is_said_of_a_run_within_its_limits() -> None:
    assert too_much(Raw(b""), {}) == ""


@pytest.mark.parametrize(
    ("size", "words"),
    [(1, "1 B"), (999, "999 B"), (1500, "1.5 kB"), (100 * 10**6, "100 MB"), (4 * 10**9, "4 GB")],
)
def test_sizes_are_written_as_a_spec_has_them(size: int, words: str) -> None:
    assert in_words(size) == words


def test_output_is_read_in_linear_time() -> None:
    def seconds(count: int) -> float:
        raw = Raw(record(Kind.EXEC_OUT, struct.pack("<Ii", 0, 1) + b"x" * 8192) * count)
        began = time.process_time()
        assert len(commands.outputs(raw)[0].stdout) == 8192 * count
        return time.process_time() - began

    assert seconds(16_000) < 40 * seconds(1_000) + 1.0  # quadratic: 256 times as long, a minute


def test_a_run_without_an_end_is_known_as_far_as_its_records_tell() -> None:
    raw = Raw(record(Kind.EXEC_OUT, struct.pack("<Ii", 0, 1) + b"x", at_ns=5) + record(Kind.TRACE, b"x"))
    assert raw.truncated
    assert raw.last_ns == 5
    assert Raw(b"").last_ns == 0
