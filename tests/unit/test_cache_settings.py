"""Where the cache and its two halves lie: three environment variables, and who says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit import cli
from labkit.doctor import checkup
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.guest.kernel.build import GUEST, build
from scripts.caches import settings

FOLDERS = ("kernel", "native", "modules", "results", "runs", "wasm")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings(tmp_path / "cache").items():
        monkeypatch.setenv(name, value)


def test_all_lies_below_the_cache_unless_said_otherwise(tmp_path: Path) -> None:
    assert {cache.place(name) for name in FOLDERS} == {tmp_path / "cache" / name for name in FOLDERS}


@pytest.mark.parametrize(
    ("variable", "moved"),
    [("LABKIT_KERNEL", {"kernel", "native", "wasm"}), ("LABKIT_RUNS", {"results", "runs"})],
)
def test_a_half_of_it_may_lie_elsewhere(
    variable: str, moved: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "other"))
    assert {name for name in FOLDERS if cache.place(name).parent == tmp_path / "other"} == moved
    assert {name for name in FOLDERS if cache.folder(name).parent == tmp_path / "cache"} == {*FOLDERS} - moved


def test_a_setting_may_be_relative_to_where_one_is_or_to_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABKIT_RUNS", "here")
    monkeypatch.setenv("LABKIT_KERNEL", "~/there")
    assert cache.place("results") == tmp_path / "here" / "results"
    assert cache.place("kernel") == Path.home() / "there" / "kernel"


@pytest.mark.parametrize(
    ("variable", "name"),
    [("LABKIT_CACHE", "modules"), ("LABKIT_KERNEL", "native"), ("LABKIT_RUNS", "results")],
)
def test_the_message_names_the_setting_of_the_place_that_cannot_be_written(
    variable: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(variable, str(tmp_path / "file"))
    with pytest.raises(SetupError, match=f"cannot write the cache .*/file: .*{variable}=DIR"):
        cache.folder(name)


def test_a_kernel_is_built_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABKIT_KERNEL", str(tmp_path / "file"))
    monkeypatch.setattr("labkit.execute.guest.kernel.build.require_tools", lambda: None)
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match="LABKIT_KERNEL=DIR"):
        build(kind=GUEST)


def test_the_doctor_and_labkit_cache_show_the_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LABKIT_RUNS", str(tmp_path / "runs of mine"))
    shown = {check.what: check.found for check in checkup._cache()}
    assert shown["LABKIT_RUNS"] == f"{tmp_path / 'runs of mine'}: results, and guests while they run"
    assert shown["LABKIT_KERNEL"].startswith(f"{tmp_path / 'cache'} (not set): ")
    (tmp_path / "runs of mine" / "results").mkdir()
    (tmp_path / "runs of mine" / "results" / "raw").write_bytes(os.urandom(1 << 20))
    assert cli.main(["cache"]) == cli.OK
    said = capsys.readouterr().out
    assert f"{tmp_path / 'runs of mine'}: results" in said
    assert "1.0 MB" in said
    assert cli.main(["cache", "clear"]) == cli.OK
    assert not (tmp_path / "runs of mine" / "results").exists()
