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

from labkit.execute.wasm import asyncified, engine, translated
from labkit.execute.wasm.compilers import compiler
from labkit.execute.wasm.linked import Linked, make
from labkit.execute.wasm.makeable import obstacle


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
