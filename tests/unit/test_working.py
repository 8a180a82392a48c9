"""Folders that somebody works in: what was left by who was killed goes, what is held stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts import cache, working
from labkit.execute.guest.kernel import tools

KILLED = """
import sys, time
from pathlib import Path
from labkit.execute.artifacts import working
with working.making(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("of it")
    print(folder, flush=True)
    time.sleep(60)
"""


def aged(folder: Path) -> Path:
    os.utime(folder, (0, 0))
    return folder


def test_what_a_killed_one_has_left_goes_when_the_next_begins(tmp_path: Path) -> None:
    at_work, killed = (
        subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    )
    try:
        assert at_work.stdout is not None and killed.stdout is not None
        held, left = (aged(Path(one.stdout.readline().strip())) for one in (at_work, killed) if one.stdout)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        with working.making(tmp_path) as mine:
            assert held.exists() and mine.exists() and not left.exists()
        assert not mine.exists()
    finally:
        at_work.kill()
        at_work.wait()


def test_what_is_young_or_has_another_name_stays(tmp_path: Path) -> None:
    (tmp_path / "making-now").mkdir()
    aged_one, linked = tmp_path / "kept", tmp_path / "making-link"
    aged_one.mkdir()
    aged(aged_one)
    linked.symlink_to(aged_one)
    with working.making(tmp_path) as mine:
        mine.rename(tmp_path / "made")
    assert {path.name for path in tmp_path.iterdir()} == {"making-now", "kept", "making-link", "made"}


@pytest.mark.parametrize("which", ["cache", "temporary"])
def test_of_a_full_disk_the_folder_is_named_that_is_full(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a tool says it, which names no folder: the one with the least room."""
    here, there = tmp_path / "modules", tmp_path / "elsewhere"
    here.mkdir()
    there.mkdir()
    full = here if which == "cache" else there

    class Usage:
        room = 3

        def __init__(self, folder: Path) -> None:
            self.free = (self.room if Path(folder) == full else 300) << 20

    monkeypatch.setattr("labkit.execute.artifacts.cache.shutil.disk_usage", Usage)
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path if which == "cache" else here))
    monkeypatch.setenv("TMPDIR", str(there))
    named = f"{tmp_path}\\): .*LABKIT_CACHE=DIR" if which == "cache" else f"{there}\\): .*TMPDIR=DIR"
    with pytest.raises(SetupError, match=rf"the disk is full \(3 MB free at {named}"):
        tools.run(["sh", "-c", "echo as: No space left on device; exit 1"], here, log=tmp_path / "log")
    with pytest.raises(tools.KernelBuildError, match="something else"):
        tools.run(["sh", "-c", "echo error: something else; exit 1"], here, log=tmp_path / "log")
    Usage.room = 0
    with pytest.raises(SetupError, match=rf"the disk is full \(0 MB free at {named}"):  # not all tools say so
        tools.run(["sh", "-c", "echo error: something else; exit 1"], here, log=tmp_path / "log")


def test_an_error_without_a_name_is_of_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LABKIT_KERNEL", str(tmp_path / "kernels"))
    full = OSError(28, "No space left on device")
    assert f"{tmp_path / 'kernels'}: no space" in str(cache.unusable(full, cache.place("native") / "x"))
    assert f"{tmp_path / 'cache'}: no space" in str(cache.unusable(full, cache.place("modules") / "x"))
