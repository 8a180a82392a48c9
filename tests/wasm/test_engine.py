"""What runs the kernel in WebAssembly: a program that was made here, else one that a package brings, else
node. All are made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts import binaries, cache
from labkit.execute.artifacts.ready import KERNEL_PACKAGE, NOTE, PROGRAM_FOLDER, ready, ready_program
from labkit.execute.guest.kernel.build import KernelBuild, KernelNotBuilt
from labkit.execute.machine.memory import Needs
from labkit.execute.wasm import engine, wasm_place
from labkit.execute.wasm.engine import Engine
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.sources import by_name, sources_key


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are installed; there is no labkit-kernel elsewhere."""
    others = [folder for folder in sys.path if not (Path(folder) / KERNEL_PACKAGE).exists()]
    monkeypatch.setattr("sys.path", [str(tmp_path / "site"), *others])
    return tmp_path / "site"


def packed(site: Path, **changed: object) -> Path:
    """An installed labkit-kernel for a system without a guest."""
    folder = site / KERNEL_PACKAGE / PROGRAM_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "__init__.py").touch()
    (folder / "lab").write_text("program")
    note = {"program": "lab", "size": 7, "release": "6.12.1", "kernel": "01", "module": "23"}
    (folder / NOTE).write_text(json.dumps(note | {"sources": sources_key()} | changed))
    return folder / "lab"


def nothing_is_made_here(monkeypatch: pytest.MonkeyPatch, error: SetupError) -> None:
    def refuse() -> Linked:
        raise error

    monkeypatch.setattr(engine, "linked", refuse)


def test_a_package_brings_it_where_none_can_be_made(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_is_made_here(monkeypatch, SetupError('place="guest" needs Linux; this is Darwin on arm64'))
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    with pytest.raises(SetupError, match=r"the lab kernel is not on this machine: pip install .* brings it"):
        engine.engine()
    packed(site, sources="others")
    with pytest.raises(SetupError, match=r"labkit-kernel is not of this labkit: pip install .* brings it"):
        engine.engine()
    program = packed(site)
    found = engine.engine()
    assert found.command == (str(program),)
    assert not found.kept
    assert found.identity["kernel"] == {"release": "6.12.1", "key": "01"}
    assert found.identity["module"] == found.identity["agent"] == {"key": "23"}
    assert ready() is None  # it has no kernel for a guest


def test_the_program_alone_runs_without_the_keeper_on_linux_too(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with musl, where a package brings no keeper, and nothing might compile one."""
    nothing_is_made_here(monkeypatch, KernelNotBuilt("it is not linked yet"))
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    package = packed(site).parent.parent
    assert not engine.engine().kept
    (package / "linux").touch()
    note = {"release": "6.12.1", "key": "01", "recipe": "02", "size": 0}
    (package / NOTE).write_text(json.dumps(note | {"sources": binaries.sources_key()}))
    assert engine.engine().kept
    (package / NOTE).write_text(json.dumps(note | {"sources": "of another keeper"}))
    assert not engine.engine().kept


@pytest.mark.parametrize("changed", [{"sources": "others"}, {"size": 8}, {"program": "gone"}])
def test_one_of_another_labkit_or_half_of_one_is_not_taken(
    site: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, object]
) -> None:
    nothing_is_made_here(monkeypatch, KernelNotBuilt("it is not linked yet"))
    packed(site, **changed)
    with pytest.raises(
        KernelNotBuilt, match=r'it is not linked yet; or pip install .*"labkit\[kernel\]==.*" brings'
    ):
        engine.engine()


@pytest.mark.parametrize("kind", [PurePosixPath, PureWindowsPath])
def test_sources_have_one_order_on_every_system(kind: type[PurePath]) -> None:
    """A package that was packed on Linux is known to be of this labkit on Windows."""
    names = ["arch/Kconfig", "arch/asm.h", "arch/lab/Makefile", "arch/lab/main.c"]
    assert names == sorted(names)
    paths = [kind(f"/execute/{name}") for name in reversed(names)]
    assert list(by_name(paths, kind("/execute"))) == names


def test_what_starts_is_what_gave_its_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although another was installed meanwhile; the next run has that."""
    found = [Engine(("/bin/false",), {"kernel": name}, False) for name in ("other", "third")]
    found.insert(0, Engine(("/bin/true",), {"kernel": "first"}, False))
    monkeypatch.setenv(cache.CACHE, str(tmp_path))
    monkeypatch.delenv(cache.RUNS, raising=False)
    monkeypatch.setattr(wasm_place, "engine", lambda: found.pop(0))
    place = wasm_place.WasmPlace()
    for name, status in (("first", 0), ("other", 1)):
        assert place.identity() == {"kernel": name}
        with place.start({}, Needs(hosts=2, flows=1)) as process:
            assert process.wait(10)
            assert process.status == status


@pytest.fixture
def module_made_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Linked:
    """Neither a program nor rewritten for node."""
    module = Linked(tmp_path / "lab.wasm", KernelBuild(tmp_path, tmp_path, "6.12.2", "45", tmp_path), "67")

    def not_rewritten(module: Linked) -> Path:
        raise KernelNotBuilt("it is not rewritten")

    monkeypatch.setattr(engine, "linked", lambda: module)
    monkeypatch.setattr(engine, "translated", lambda module: None)
    monkeypatch.setattr(engine, "asyncified", not_rewritten)
    monkeypatch.setattr(engine.shutil, "which", lambda name: "/usr/bin/node")
    return module


@pytest.mark.usefixtures("module_made_here")
def test_a_program_that_was_made_here_comes_first(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed(site)
    assert ready_program() is not None
    monkeypatch.setattr(engine, "translated", lambda module: tmp_path / "made" / "lab")
    assert engine.engine().command == (str(tmp_path / "made" / "lab"),)
    assert engine.engine().identity["module"] == {"key": "67"}


@pytest.mark.usefixtures("module_made_here")
def test_a_program_that_a_package_brings_comes_before_node(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "asyncified", lambda module: tmp_path / "asyncified.wasm")
    node, script, module = engine.engine().command
    assert (node, module) == ("/usr/bin/node", str(tmp_path / "asyncified.wasm"))
    assert Path(script).is_file()
    assert not engine.engine().as_program
    program = packed(site)
    assert engine.engine().command == (str(program),)
    assert engine.engine().identity["module"] == {"key": "23"}


@pytest.mark.usefixtures("module_made_here", "site")
def test_with_neither_it_is_said_what_makes_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = r"is not a program of this machine yet: `labkit kernel build --native` takes .*; or pip install"
    with pytest.raises(KernelNotBuilt, match=said):
        engine.engine()
    monkeypatch.setattr(engine, "asyncified", lambda module: tmp_path / "asyncified.wasm")
    monkeypatch.setattr(engine.shutil, "which", lambda name: None)
    with pytest.raises(KernelNotBuilt, match=said):
        engine.engine()
