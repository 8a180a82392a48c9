"""A program of the cache that is not what was made: it is named before anything starts, with what helps."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from labkit import Command, Experiment, pair, run
from labkit.errors import SetupError
from labkit.execute.artifacts import binaries as programs
from labkit.execute.artifacts import cache
from labkit.execute.guest.kernel.build import kernel
from tests.guest.furnish import furnish

EXP = Experiment(pair(), commands=[Command("left", "echo well")])
ANEW = {"linux": "labkit kernel build --force"}


def _truncated(program: Path, _: Path) -> None:
    program.write_bytes(program.read_bytes()[:-1000])


def _empty(program: Path, _: Path) -> None:
    program.write_bytes(b"")


def _flipped(program: Path, _: Path) -> None:
    """In the middle, where it may never be seen."""
    made = bytearray(program.read_bytes())
    made[len(made) // 2] ^= 1
    program.write_bytes(made)


def _exchanged(program: Path, other: Path) -> None:
    shutil.copyfile(other, program)


def _gone(program: Path, _: Path) -> None:
    program.unlink()


def _not_executable(program: Path, _: Path) -> None:
    program.chmod(0o644)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return furnish(tmp_path_factory.mktemp("whole") / "cache")


@pytest.fixture
def own(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, found by a process that has not looked yet."""
    shutil.copytree(furnished, tmp_path / "cache", symlinks=True)
    for variable in cache.SETTINGS:
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
    programs.binaries.cache_clear()
    yield tmp_path / "cache"
    programs.binaries.cache_clear()


@pytest.mark.parametrize("spoil", [_truncated, _empty, _flipped, _exchanged, _gone, _not_executable])
@pytest.mark.parametrize("name", ["linux", "root/agent", "keeper", "shim.so"])
def test_it_is_named_with_what_makes_it_anew(
    own: Path, name: str, spoil: Callable[[Path, Path], None]
) -> None:
    found = programs.binaries()
    assert run(EXP, place="guest", cache=False).output() == "well\n"
    linux = own / "kernel" / kernel().key / "linux"
    program = linux if name == "linux" else found.keeper.parent / name
    spoil(program, found.confine)
    with pytest.raises(SetupError) as said:
        run(EXP, place="guest", cache=False)
    anew = ANEW.get(name, f"rm -r {found.keeper.parent}")
    assert str(said.value) == f"{program} is not as it was made: `{anew}` makes it anew"
    if name != "linux":
        shutil.rmtree(found.keeper.parent)
        programs.binaries.cache_clear()
        assert run(EXP, place="guest", cache=False).output() == "well\n"
