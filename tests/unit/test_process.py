"""What is left when a run cannot start: nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labkit.execute.binaries import Binaries
from labkit.execute.process import Process


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The run folders of a cache of its own."""
    monkeypatch.setenv("LABKIT_CACHE", str(tmp_path))
    return tmp_path / "runs"


def start(root: Path, keeper: Path) -> None:
    """A process that cannot be: there is no such keeper, or no such root."""
    Process(Binaries(root, root, root, keeper, "key"), ["/bin/true"], {"program": b""}, environment={})


def descriptors() -> dict[str, str]:
    """The open files of this process."""
    fds = {fd: f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")}
    return {fd: os.readlink(path) for fd, path in fds.items() if os.path.lexists(path)}


@pytest.mark.parametrize(("root", "keeper"), [("/nowhere", "/bin/true"), ("/", "/nowhere")])
def test_a_process_that_cannot_start_leaves_no_descriptor_and_no_folder(
    runs: Path, root: str, keeper: str
) -> None:
    before = descriptors()
    with pytest.raises(FileNotFoundError):
        start(Path(root), Path(keeper))
    assert descriptors() == before
    assert [path for path in runs.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize("number", range(4))
def test_running_out_of_descriptors_between_two_pipes_leaves_none_open(
    runs: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    before, pipe2, made = descriptors(), os.pipe2, []

    def scarce(flags: int) -> tuple[int, int]:
        if len(made) == number:
            raise OSError(24, "Too many open files")
        made.append(number)
        return pipe2(flags)

    monkeypatch.setattr(os, "pipe2", scarce)
    with pytest.raises(OSError, match="Too many open files"):
        start(Path("/"), Path("/bin/true"))
    assert descriptors() == before
    assert [path for path in runs.iterdir() if path.is_dir()] == []
