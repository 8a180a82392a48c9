"""`labkit chapters DIR`: what is laid out, what stays, what is said."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from labkit import cli
from labkit.cli.chapters_command import LIST, lay, sources

NAMES = ("chapters/01.ipynb", "book/data/deep/x.csv")


@pytest.fixture
def given(tmp_path: Path) -> dict[str, Path]:
    """A package's chapters."""
    files = {name: tmp_path / "package" / name for name in NAMES}
    for path in files.values():
        path.parent.mkdir(parents=True)
        path.write_text(f"first {path.name}")
    return files


def counted(done: dict[str, list[str]]) -> dict[str, int]:
    return {what: len(names) for what, names in done.items() if names}


def test_each_file_comes_to_its_place_and_a_second_time_is_nothing(
    given: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "my book"
    assert counted(lay(given, folder)) == {"laid out": 2}
    assert {name: (folder / name).read_text() for name in NAMES} == {
        NAMES[0]: "first 01.ipynb",
        NAMES[1]: "first x.csv",
    }
    assert counted(lay(given, folder)) == {"there already": 2}
    assert {path.name for path in folder.iterdir()} == {"chapters", "book", LIST}


def test_what_its_reader_has_changed_stays(given: dict[str, Path], tmp_path: Path) -> None:
    lay(given, tmp_path)
    (tmp_path / NAMES[0]).write_text("mine")
    for path in given.values():
        path.write_text("second")
    assert counted(lay(given, tmp_path)) == {"replaced by newer ones": 1, "left as you have changed them": 1}
    assert (tmp_path / NAMES[0]).read_text() == "mine"
    assert (tmp_path / NAMES[1]).read_text() == "second"
    for path in given.values():
        path.write_text("third")
    assert lay(given, tmp_path)["left as you have changed them"] == [NAMES[0]]
    (tmp_path / NAMES[0]).rename(tmp_path / "mine.ipynb")
    assert lay(given, tmp_path)["laid out"] == [NAMES[0]]


def test_a_file_that_was_there_before_stays(given: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).parent.mkdir()
    (tmp_path / NAMES[0]).write_text("mine")
    assert lay(given, tmp_path)["left as you have changed them"] == [NAMES[0]]


@pytest.mark.parametrize("spoilt", ["{", "[1]", ""])
def test_without_the_list_nothing_is_replaced(given: dict[str, Path], tmp_path: Path, spoilt: str) -> None:
    lay(given, tmp_path)
    (tmp_path / LIST).write_text(spoilt)
    given[NAMES[0]].write_text("second")
    assert lay(given, tmp_path)["left as you have changed them"] == [NAMES[0]]


@pytest.mark.parametrize("what", ["folder", "link to nothing", "link elsewhere"])
def test_what_is_no_file_of_ours_is_not_written_through(
    what: str, given: dict[str, Path], tmp_path: Path
) -> None:
    place, other = tmp_path / NAMES[0], tmp_path / "other"
    place.parent.mkdir()
    other.write_text("somebody's")
    if what == "folder":
        place.mkdir()
    else:
        place.symlink_to(other if what == "link elsewhere" else tmp_path / "nowhere")
    assert lay(given, tmp_path)["left as you have changed them"] == [NAMES[0]]
    assert other.read_text() == "somebody's"
    assert not (tmp_path / "nowhere").exists()


def test_rights_are_those_of_any_new_file(given: dict[str, Path], tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        lay(given, tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / NAMES[0]).stat().st_mode) == 0o640


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chapters", str(tmp_path)]) == cli.OK
    said = capsys.readouterr().out
    assert f"laid out: {len(list(sources()))} files" in said
    assert f"jupyter lab {tmp_path}" in said
    (tmp_path / "chapters" / "01-a-network-in-a-notebook.ipynb").write_text("mine")
    cli.main(["chapters", str(tmp_path)])
    assert "01-a-network-in-a-notebook.ipynb is not as it was laid out" in capsys.readouterr().out


def test_a_folder_that_cannot_be_made_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert cli.main(["chapters", str(tmp_path / "file")]) == cli.FAILED
    assert "cannot lay the chapters out" in capsys.readouterr().err


def test_all_that_a_chapter_reads_is_laid_out_beside_it() -> None:
    import re

    laid = {name for name, _ in sources()}
    texts = [path.read_text() for name, path in sources() if name.startswith("chapters/")]
    read = {
        name for text in texts for name in re.findall(r"\.\./(book/(?:data|programs)/[\w./-]+\.\w+)", text)
    }
    assert len(read) > 10
    assert read <= laid, read - laid
