"""What is made once is whole or not there, and others may read it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts.whole import NOTE, is_whole, making


def made(folder: Path, text: str = "program") -> Path:
    with making(folder, ("lab",), by="a compiler") as room:
        (room / "lab").write_text(text)
        (room / "build.log").write_text("much")
    return folder


def test_it_holds_what_was_to_be_kept_and_who_made_it(tmp_path: Path) -> None:
    folder = made(tmp_path / "cache" / "native")
    assert is_whole(folder)
    assert {path.name for path in folder.iterdir()} == {"lab", NOTE}
    digest = hashlib.sha256((folder / "lab").read_bytes()).hexdigest()
    note = {"sizes": {"lab": 7}, "sha256": {"lab": digest}, "by": "a compiler"}
    assert json.loads((folder / NOTE).read_text()) == note
    assert folder.stat().st_mode & 0o777 == 0o755, "a class may share it"
    assert [path.name for path in folder.parent.iterdir()] == ["native"]


def test_who_fails_leaves_nothing_and_what_was_there_stays(tmp_path: Path) -> None:
    folder = made(tmp_path / "native")
    for mistake in (KeyboardInterrupt, SystemExit):
        with pytest.raises(mistake), making(folder, ("lab",)) as room:
            (room / "lab").write_text("half of i")
            raise mistake
        assert [path.name for path in tmp_path.iterdir()] == ["native"]
        assert is_whole(folder) and (folder / "lab").read_text() == "program"


def test_what_was_forgotten_is_no_whole(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot write the cache"), making(tmp_path / "native", ("lab",)):
        pass
    assert not is_whole(tmp_path / "native")


def test_of_two_at_once_both_have_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other is done in the moment in which this one has taken away what was there."""
    folder, clear = tmp_path / "native", shutil.rmtree

    def cleared(path: Path, **options: bool) -> None:
        clear(path, **options)
        if path == folder:
            monkeypatch.setattr(shutil, "rmtree", clear)
            made(folder, "of the other")

    monkeypatch.setattr(shutil, "rmtree", cleared)
    assert is_whole(made(folder, "of this one"))
    assert (folder / "lab").read_text() == "of the other"
    assert [path.name for path in tmp_path.iterdir()] == ["native"]


@pytest.mark.parametrize("spoilt", ["lab", NOTE])
@pytest.mark.parametrize("how", ["gone", "shorter"])
def test_half_of_it_is_none_and_is_made_again(tmp_path: Path, spoilt: str, how: str) -> None:
    folder = made(tmp_path / "native")
    path = folder / spoilt
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1])
    assert not is_whole(folder)
    assert is_whole(made(folder, "another"))


@pytest.mark.parametrize("note", ["[]", '"x"', '{"sizes": []}', '{"size": 7}'])
def test_the_note_of_another_labkit_says_that_it_is_none(tmp_path: Path, note: str) -> None:
    folder = made(tmp_path / "native")
    (folder / NOTE).write_text(note)
    assert not is_whole(folder)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    (tmp_path / "wasm").write_text("a file")
    with (
        pytest.raises(SetupError, match=f"cannot write the cache {tmp_path}: "),
        making(tmp_path / "wasm" / "native", ("lab",)),
    ):
        pass
