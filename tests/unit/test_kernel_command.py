"""`labkit kernel build` and what it says: the guest's kernel first, then the one in WebAssembly, if this
machine can make it. Nothing is built here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labkit import cli
from labkit.cli import kernel_command
from labkit.errors import SetupError
from labkit.execute.guest.kernel.build import BARE, GUEST, KernelNotBuilt, Kind
from labkit.execute.guest.kernel.source import KernelSource
from labkit.execute.wasm import asyncified, engine, linked, makeable, translated

GUESTS, PROGRAM, FOR_NODE, UNPATCHED = "guest's", "program", "for node", "unpatched"


class Machine:
    """What is there, and what was made, in order. lacking: why no program can be made here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.there: set[str] = set()
        self.made: list[str] = []
        self.lacking = ""

    def make(self, what: str, force: bool = False) -> Path:
        if force or what not in self.there:
            self.made.append(what)
            self.there.add(what)
        (self.folder / what).touch()
        return self.folder / what

    def find(self, what: str) -> Path:
        if what not in self.there:
            raise KernelNotBuilt(f"no {what} yet: `labkit kernel build` makes it")
        return self.make(what)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    names = {GUEST: GUESTS, BARE: UNPATCHED}
    module = SimpleNamespace(kernel="of 6.12")

    def build(progress: object, kind: Kind, *, force: bool) -> str:
        return str(found.make(names[kind], force))

    def find_kernel(kind: Kind = GUEST) -> str:
        return str(found.find(names[kind]))

    def find_engine() -> engine.Engine:
        return engine.Engine((str(found.find(PROGRAM)),), {}, True)

    monkeypatch.setattr(kernel_command, "end_cleanly", lambda beside: None)  # that is of a process of its own
    monkeypatch.setattr(kernel_command, "build", build)
    monkeypatch.setattr(kernel_command, "find_kernel", find_kernel)
    monkeypatch.setattr(kernel_command, "_described", str)
    monkeypatch.setattr(kernel_command, "module_file", lambda name, bare: None)
    monkeypatch.setattr(makeable, "obstacle", lambda: found.lacking)
    monkeypatch.setattr(engine, "engine", find_engine)
    monkeypatch.setattr(linked, "make", lambda progress, force: module)
    monkeypatch.setattr(linked, "linked", lambda: module)
    monkeypatch.setattr(translated, "make", lambda module, by, progress, force: found.make(PROGRAM, force))
    monkeypatch.setattr(asyncified, "make", lambda module, progress, force: found.make(FOR_NODE, force))
    monkeypatch.setattr(asyncified, "asyncified", lambda module: found.find(FOR_NODE))
    return found


def build(*options: str) -> int:
    return cli.main(["kernel", "build", *options])


def status(*options: str) -> int:
    return cli.main(["kernel", "status", *options])


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ([], [GUESTS, PROGRAM]),
        (["--native"], [PROGRAM]),
        (["--wasm"], [FOR_NODE]),
        (["--bare"], [UNPATCHED]),
    ],
)
def test_what_is_built(machine: Machine, options: Sequence[str], made: Sequence[str]) -> None:
    assert status(*options) == cli.FAILED
    assert build(*options) == cli.OK
    assert machine.made == made
    assert status(*options) == cli.OK
    assert build(*options) == cli.OK
    assert machine.made == made, "it is there"
    assert build(*options, "--force") == cli.OK
    assert machine.made == [*made, *made]


def test_where_no_program_can_be_made_the_guest_is_all_there_is_and_it_is_said_why(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.lacking = "no clang-19: sudo apt install clang-19"
    assert status() == cli.FAILED
    assert build() == cli.OK
    assert machine.made == [GUESTS]
    assert "no clang-19: sudo apt install clang-19" in capsys.readouterr().out
    assert status() == cli.OK
    assert "no clang-19: sudo apt install clang-19" in capsys.readouterr().out
    assert status("--native") == cli.FAILED, "of that it was asked by name"


def test_a_program_that_a_package_brings_is_not_made(machine: Machine) -> None:
    machine.there = {PROGRAM}
    assert build() == cli.OK
    assert machine.made == [GUESTS]


def test_off_linux_what_a_package_brings_is_all_that_is_looked_for(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert status() == cli.FAILED
    machine.there = {PROGRAM}
    assert status() == cli.OK


def test_of_a_package_without_a_guest_both_is_said(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.there = {PROGRAM}
    assert status() == cli.FAILED
    said = capsys.readouterr().out
    assert f"no {GUESTS} yet" in said
    assert f"in WebAssembly: {machine.folder / PROGRAM}" in said


SAID = [kernel_command.MEANWHILE, kernel_command.READY, kernel_command.FASTER]


@pytest.mark.parametrize(
    ("there", "lacking", "said"),
    [
        (set(), "", SAID),
        ({GUESTS}, "", SAID[2:]),
        (set(), "no clang", SAID[:2]),
        ({GUESTS}, "no clang", []),
        ({GUESTS, PROGRAM}, "", []),
    ],
)
def test_beside_jupyterlab_it_says_what_is_ready(
    machine: Machine, capsys: pytest.CaptureFixture[str], there: set[str], lacking: str, said: Sequence[str]
) -> None:
    machine.there, machine.lacking = there, lacking
    assert build("--beside", "1") == cli.OK
    assert capsys.readouterr().err.splitlines() == said


def obstacle(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> str:
    """Of a machine that has everything but for what is changed."""
    kernel = KernelSource(Path("linux-source-6.12.tar.xz"), (6, 12))
    has = {"require_tools": None, "tools": None, "compiler": None, "wabt": None, "source": kernel} | changed

    def answer(name: str) -> Any:
        if isinstance(has[name], Exception):
            raise has[name]
        return has[name]

    for name in ("require_tools", "tools", "compiler", "wabt"):
        monkeypatch.setattr(makeable, name, lambda name=name: answer(name))
    monkeypatch.setattr(makeable.source, "find", lambda: (answer("source"), []))
    return makeable.obstacle()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"require_tools": SetupError("no bison")}, "no bison"),
        ({"tools": SetupError("no clang-19")}, "no clang-19"),
        ({"wabt": SetupError("no wasm2c")}, "no wasm2c"),
        ({"source": SetupError("LABKIT_KERNEL_SOURCE is gone")}, "LABKIT_KERNEL_SOURCE is gone"),
        (
            {"source": KernelSource(Path("linux-source-6.8.0.tar.bz2"), (6, 8, 0))},
            "of Linux 6.12, not of 6.8.0",
        ),
        ({"source": None}, "there is no kernel source here: `sudo apt install linux-source-6.12`"),
    ],
)
def test_what_a_program_cannot_be_made_without(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str
) -> None:
    found = obstacle(monkeypatch, **changed)
    assert said in found and bool(said) == bool(found)
