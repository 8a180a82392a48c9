"""A result that takes the place of another: what becomes of that, and where it cannot be moved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.execute.artifacts import store


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path / "cache"))


def made(folder: Path, raw: bytes) -> Path:
    folder.mkdir()
    (folder / "raw").write_bytes(raw)
    (folder / "manifest.json").write_text(folder.name)
    return folder


def test_the_same_measurement_leaves_the_older_file_and_brings_its_own_manifest(tmp_path: Path) -> None:
    older = store.keep(made(tmp_path / "older", b"same"), "name")
    file = (older / "raw").stat().st_ino
    assert store.keep(made(tmp_path / "newer", b"same"), "name") == older
    assert ((older / "raw").stat().st_ino, (older / "manifest.json").read_text()) == (file, "newer")


def test_another_measurement_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    older = store.keep(made(tmp_path / "older", b"older"), "name")
    assert store.keep(made(tmp_path / "newer", b"newer"), "name") == older
    assert (older / "raw").read_bytes() == b"newer"


def test_where_the_older_one_is_held_and_cannot_be_moved_the_newer_one_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    older = store.keep(made(tmp_path / "older", b"older"), "name")
    move = os.rename

    def unless_held(source: Path, target: Path) -> None:
        if Path(source) == older:
            raise PermissionError("it is open")
        move(source, target)

    monkeypatch.setattr(os, "rename", unless_held)
    with pytest.raises(OSError, match="not empty"):
        store.keep(made(tmp_path / "newer", b"newer"), "name")
    monkeypatch.setattr(store, "_MOVED_WHILE_OPEN", False)
    newer = store.keep(tmp_path / "newer", "name")
    assert newer.parent == older.parent
    assert ((older / "raw").read_bytes(), (newer / "raw").read_bytes()) == (b"older", b"newer")
