"""A program of the cache that is not what was made, though as large: one message says so, and what helps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from labkit import Experiment, Flow, pair, run
from labkit.errors import SetupError
from labkit.execute.artifacts.whole import spoilt
from labkit.execute.wasm.engine import Engine, engine
from labkit.execute.wasm.wasm_place import WasmPlace

EXP = Experiment(pair(rate="10mbit", delay="5ms"), flows=[Flow("left", "right", size="20kB")])


def _zeros(program: Path) -> None:
    program.write_bytes(b"\0" * program.stat().st_size)


def _code(program: Path) -> None:
    """What stands in its middle third: there is no function left in it."""
    made = bytearray(program.read_bytes())
    made[len(made) // 3 : 2 * len(made) // 3] = b"\xcc" * (2 * len(made) // 3 - len(made) // 3)
    program.write_bytes(made)


def _not_executable(program: Path) -> None:
    program.chmod(0o644)


@pytest.mark.parametrize("spoil", [_zeros, _code, _not_executable])
def test_it_is_named_with_what_makes_it_anew(
    native: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    copy = Path(shutil.copytree(native.parent, tmp_path / "native")) / native.name
    place = WasmPlace(Engine((str(copy),), engine().identity, kept=True))
    assert spoilt(copy) == ""
    run(EXP, place=place, cache=False)
    spoil(copy)
    with pytest.raises(SetupError) as said:
        run(EXP, place=place, cache=False)
    anew = "labkit kernel build --native --force"
    assert str(said.value) == f"{copy} is not as it was made: `{anew}` makes it anew"


def test_nothing_is_said_of_what_nobody_has_written_down(tmp_path: Path) -> None:
    (tmp_path / "lab").write_bytes(b"anything")
    assert spoilt(tmp_path / "lab") == ""
