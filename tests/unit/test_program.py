"""Records of a lab program: each field is named, and the bytes are those of format.h."""

from __future__ import annotations

import struct

import pytest

from labkit.program import records
from labkit.program.builder import Program
from labkit.program.records import NO_NS, SETUP, Op, Struct

PAIR = Struct("id:u4 cc:4s at:i8")


def test_a_struct_is_packed_without_gaps() -> None:
    assert PAIR.pack(id=7, cc=b"bic", at=-1) == struct.pack("<I4sq", 7, b"bic", -1)
    assert PAIR.size == 16


@pytest.mark.parametrize(
    ("fields", "wrong"), [({"id": 1, "cc": b""}, "at"), ({"id": 1, "cc": b"", "at": 0, "when": 2}, "when")]
)
def test_a_field_that_is_missing_or_unknown_is_named(fields: dict[str, object], wrong: str) -> None:
    with pytest.raises(TypeError, match=f"of the fields id, cc, at: {wrong}$"):
        PAIR.pack(**fields)


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(struct.error):
        PAIR.pack(id=2**32, cc=b"", at=0)


def test_records_begin_at_multiples_of_eight() -> None:
    program = Program()
    program.add(Op.HOSTS, b"123", "three bytes")
    program.add(Op.EXEC, records.command(4, "true"), "a command", ns=1, at_ns=5)
    data = program.end(duration_ns=1, limit_ns=2)
    assert struct.unpack_from("<IHHII", data) == (records.MAGIC, records.VERSION, 0, 3, 0)
    assert struct.unpack_from("<HHIq3s5x", data, 16) == (Op.HOSTS, NO_NS, 19, SETUP, b"123")
    assert struct.unpack_from("<HHIqII5s", data, 40) == (Op.EXEC, 1, 29, 5, 4, 0, b"true\0")
    assert struct.unpack_from("<HHIqQQ", data, 72) == (Op.END, NO_NS, 32, SETUP, 1, 2)
    assert program.why == ["three bytes", "a command", "end"]
