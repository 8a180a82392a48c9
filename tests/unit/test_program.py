"""Structs and records of a lab program: each field is named, and the bytes are those of C."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from labkit.program import records
from labkit.program.builder import Program
from labkit.program.c_struct import Struct
from labkit.program.structs import LAB_AT_SETUP, LAB_MAGIC, LAB_NO_NS, LAB_VERSION, Op

PAIR = Struct("id:u4 cc:4s at:i8")


def test_a_struct_is_packed_without_gaps() -> None:
    assert PAIR.pack(id=7, cc=b"bic", at=-1) == struct.pack("<I4sq", 7, b"bic", -1)
    assert PAIR.size == 16


def test_many_structs_are_packed_one_behind_the_other() -> None:
    rows = PAIR.pack_all(id=[1, 2], cc=(name for name in (b"bic", b"nv")), at=range(2))
    assert rows == PAIR.pack(id=1, cc=b"bic", at=0) + PAIR.pack(id=2, cc=b"nv", at=1)
    with pytest.raises(ValueError, match="shorter"):
        PAIR.pack_all(id=[1, 2], cc=[b""], at=[0])


def test_numpy_and_a_reader_of_one_see_the_fields_that_were_packed() -> None:
    data = b"?" + PAIR.pack(id=7, cc=b"bic", at=-1)
    assert PAIR.unpack_from(data, 1) == (7, b"bic\0", -1)
    (row,) = np.frombuffer(data, PAIR.dtype, offset=1)
    assert (row["id"], row["cc"], row["at"]) == (7, b"bic", -1)


def test_what_is_reserved_is_zero_and_need_not_be_said() -> None:
    struct_of_two = Struct("id:u2 reserved:u2")
    assert struct_of_two.pack(id=3) == b"\3\0\0\0"
    with pytest.raises(TypeError, match=r"of the fields id, reserved: id$"):
        struct_of_two.pack()


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
    assert struct.unpack_from("<IHHII", data) == (LAB_MAGIC, LAB_VERSION, 0, 3, 0)
    assert struct.unpack_from("<HHIq3s5x", data, 16) == (Op.HOSTS, LAB_NO_NS, 19, LAB_AT_SETUP, b"123")
    assert struct.unpack_from("<HHIqII5s", data, 40) == (Op.EXEC, 1, 29, 5, 4, 0, b"true\0")
    assert struct.unpack_from("<HHIqQQ", data, 72) == (Op.END, LAB_NO_NS, 32, LAB_AT_SETUP, 1, 2)
    assert program.why == ["three bytes", "a command", "end"]
