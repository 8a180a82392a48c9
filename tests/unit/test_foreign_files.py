"""What reads files that somebody sent: no name in them makes it wait, fill the memory or follow a link, and
what is wrong is said by labkit's own error."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labkit.course import grading
from labkit.course.roster import read_key, read_roster
from labkit.course.rubric import Rubric
from labkit.decode.folder import ResultFormatError, seal
from labkit.errors import LabkitError
from labkit.execute.artifacts import store
from labkit.execute.guest.kernel.modules import contents
from labkit.models import pinger
from labkit.results.packets import read_capture
from labkit.results.result import Result
from labkit.schema import foreign_files
from labkit.schema.files import plain
from labkit.spec import Experiment
from labkit.spec.traced_rate import Trace
from labkit.sweeps.file import SweepFile
from labkit.traffic.web_page import as_objects

_NOTHING = hashlib.sha256(b"").hexdigest()
HUGE = 1 << 42
"""Bytes of a file that is nothing but a hole."""


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A reader that waits or reads for ever is a failure, and no test that hangs."""

    def late(*_: object) -> None:
        raise TimeoutError("it waits, or reads without end")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(".", os.O_RDONLY)
        try:
            os.chdir(path.parent)  # its address has a hundred characters
            made.bind(path.name)
        finally:
            os.fchdir(here)
            os.close(here)


def _linked(path: Path) -> None:
    """To what would be right."""
    other = path.with_name("right")
    other.write_bytes(b"{}")
    path.symlink_to(other)


def _hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


PUT: dict[str, Callable[[Path], Any]] = {
    "device without end": lambda path: path.symlink_to("/dev/zero"),
    "link to standard input": lambda path: path.symlink_to("/proc/self/fd/0"),
    "fifo": os.mkfifo,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to a file": _linked,
    "folder": Path.mkdir,
    "socket": _socket,
    "larger than all memory": _hole,
}
READ: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "capture": ("x.pcap", read_capture),
    "experiment": ("x.json", Experiment.load),
    "experiment in YAML": ("x.yaml", Experiment.load),
    "sweep": ("x.yml", SweepFile.load),
    "what labkit run takes": ("x.json", plain),
    "objects of a page": ("x.json", as_objects),
    "trace": ("x.trace", Trace.read),
    "PingER's table": ("x.tsv", pinger.table),
    "roster": ("roster.csv", read_roster),
    "key": ("key", read_key),
    "rubric": ("rubric.yaml", Rubric.load),
    "packed result": ("x.zip", Result.load),
    "module": ("x.c", lambda path: contents(path)),
    "header beside a module": ("y.h", lambda path: contents(path.parent / "mine.c")),
}


@pytest.mark.parametrize("what", PUT)
@pytest.mark.parametrize("reader", READ)
def test_a_reader_refuses_what_is_no_plain_file_of_a_sensible_size(
    reader: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.c").write_text("")
    name, read = READ[reader]
    PUT[what](tmp_path / name)
    if reader == "packed result" and what == "folder":
        with pytest.raises(ResultFormatError, match=r"no manifest\.json here"):
            read(tmp_path / name)
        return
    if what == "link to a file" and reader in ("module", "header beside a module"):
        assert name in read(tmp_path / name)  # how some installations are made
        return
    with pytest.raises(LabkitError, match=name.replace(".", r"\.")):
        read(tmp_path / name)


@pytest.mark.parametrize("what", PUT)
@pytest.mark.parametrize("name", ["raw", "manifest.json"])
def test_a_result_folder_that_was_sent(name: str, what: str, tmp_path: Path) -> None:
    given = _result(tmp_path / "given")
    (given / name).unlink()
    PUT[what](given / name)
    with pytest.raises(ResultFormatError, match=name.replace(".", r"\.")):
        Result.load(given)


@pytest.mark.parametrize("what", PUT)
@pytest.mark.parametrize("name", ["raw", "manifest.json"])
def test_a_result_of_the_cache_that_is_one_no_longer(
    name: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABKIT_RUNS", str(tmp_path))
    given = _result(tmp_path / "results" / "given")
    assert store.find("given") == given
    (given / name).unlink()
    PUT[what](given / name)
    assert store.find("given") is None and not given.exists()


def test_a_link_in_a_result_folders_place(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(_result(tmp_path / "given"))
    with pytest.raises(
        ResultFormatError, match=r"is a link, must be a folder: name the folder that it leads to"
    ):
        Result.load(tmp_path / "link")


@pytest.mark.parametrize(
    "files",
    [
        [],
        ["raw"],
        {"raw": 3},
        {"raw": {"size": "1"}},
        {"raw": {"sha256": 1}},
        {"raw": {"size": HUGE}},
        {"../x": {}},
        {"/etc/passwd": {}},
    ],
)
def test_a_manifest_that_lists_its_files_in_another_way(files: Any, tmp_path: Path) -> None:
    given = _result(tmp_path / "given", files=files or "none")
    with pytest.raises(LabkitError):
        Result.load(given)


@pytest.mark.parametrize("facts", [{"experiment": None}, {"layout": []}, {"seed": "1"}, {"kernel": "6.12"}])
def test_a_manifest_that_says_other_things(facts: dict[str, Any], tmp_path: Path) -> None:
    assert Result.load(_result(tmp_path / "given")).digest() == _NOTHING
    with pytest.raises(ResultFormatError, match=f"{next(iter(facts))}: missing, or of another kind"):
        Result.load(_result(tmp_path / "given", **facts))


def test_a_manifest_that_is_deeper_than_can_be_read(tmp_path: Path) -> None:
    given = _result(tmp_path / "given")
    (given / "manifest.json").write_text("[" * 1_000_000)
    with pytest.raises(ResultFormatError, match="not JSON"):
        Result.load(given)


@pytest.mark.parametrize("name", ["raw", "manifest.json"])
def test_a_packed_result_that_would_fill_the_disk(name: str, tmp_path: Path) -> None:
    given, packed = _result(tmp_path / "given"), tmp_path / "x.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in ("raw", "manifest.json"):
            if one != name:
                archive.write(given / one, one)
                continue
            with archive.open(one, "w", force_zip64=True) as entry:
                for _ in range(300):
                    entry.write(bytes(1 << 20))
    with pytest.raises(ResultFormatError, match="would be unpacked to"):
        Result.load(packed)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_packed_result_that_is_packed_in_another_way(method: int, tmp_path: Path) -> None:
    given, packed = _result(tmp_path / "given"), tmp_path / "x.zip"
    with zipfile.ZipFile(packed, "w", method) as archive:
        for one in ("raw", "manifest.json"):
            archive.write(given / one, one)
    with pytest.raises(ResultFormatError, match="not packed as results are"):
        Result.load(packed)


def test_files_that_are_right_are_read_and_links_on_the_way_are_the_readers_own(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "way").symlink_to("there")
    (tmp_path / "there" / "x").write_bytes(b"a\r\nb\rc")
    assert foreign_files.content(tmp_path / "way" / "x") == b"a\r\nb\rc"
    assert foreign_files.text(tmp_path / "way" / "x") == "a\nb\nc"
    with pytest.raises(foreign_files.ForeignFileError, match="larger than 0 KiB"):
        foreign_files.content(tmp_path / "way" / "x", 5)
    with pytest.raises(FileNotFoundError):
        foreign_files.content(tmp_path / "nothing")
    with pytest.raises(foreign_files.ForeignFileError, match="null"):
        foreign_files.content(f"{tmp_path}/\0")


@pytest.mark.parametrize("what", PUT)
def test_a_submission_is_marked_by_what_it_is(what: str, tmp_path: Path) -> None:
    PUT[what](tmp_path / "ada.ipynb")

    class Folder:
        def part(self, _: str) -> Path:
            return tmp_path

        folder = tmp_path
        assignment = type(
            "Assignment", (), {"rubric": type("Rubric", (), {"seconds": 1}), "folder": tmp_path}
        )

    ada = type("Student", (), {"student": "ada"})
    found = grading.collected(Folder(), ada, 0)  # type: ignore[arg-type]
    assert found.text is None and found.problem == "the submission is no file of at most 32 MiB"


def _result(folder: Path, **facts: Any) -> Path:
    """A folder that says of itself that it is a result."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "raw").write_bytes(b"")
    known = {"format": 2, "experiment": {}, "layout": {}, "end": {}, "kernel": {}, "seed": 1, "place": "wasm"}
    files = {"raw": {"size": 0, "sha256": _NOTHING}}
    (folder / "manifest.json").write_bytes(seal(known | {"files": files} | facts))
    assert json.loads((folder / "manifest.json").read_bytes())["format"] == 2
    return folder
