"""The compiler's version is part of a program's name: what is made stays found when the compiler is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from labkit.execute.artifacts import cache
from labkit.execute.wasm import clang


def test_without_the_compiler_it_is_the_one_that_was_here_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    cache.folder("kernel")
    here, gone = tmp_path / "here", tmp_path / "gone"
    here.mkdir()
    gone.mkdir()
    compiler = here / "clang-19"
    ask = clang.version.__wrapped__
    monkeypatch.setenv("PATH", str(gone))
    assert ask() == ""
    for said in ("clang 19.1.7", "clang 19.1.8, newer"):
        compiler.write_text(f"#!/bin/sh\necho '{said}'\necho more\n")
        compiler.chmod(0o755)
        monkeypatch.setenv("PATH", str(here))
        assert ask() == said
        monkeypatch.setenv("PATH", str(gone))
        assert ask() == said
