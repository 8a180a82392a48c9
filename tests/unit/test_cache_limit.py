"""The cache's limit: what is removed when results need more room."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.execute.artifacts import store


def kept(name: str, size: int, used: int) -> Path:
    folder = store.cache.folder("results") / name
    folder.mkdir()
    (folder / "raw").write_bytes(bytes(size))
    os.utime(folder, (used, used))
    return folder


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))


def test_results_used_longest_ago_go_first() -> None:
    old, new = kept("old", 100, used=1), kept("new", 100, used=2)
    store.prune(150)
    assert (old.exists(), new.exists()) == (False, True)


def test_a_result_larger_than_the_limit_is_not_removed_as_soon_as_it_is_made() -> None:
    """A minute at a gigabit was: its Result could not be opened."""
    old, made = kept("old", 100, used=1), kept("made", 1000, used=2)
    store.prune(500, spare=made)
    assert (old.exists(), made.exists()) == (False, True)
