"""A process without a keeper, as macOS and Windows have it: tried with a program in the kernel's place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labkit.errors import SetupError
from labkit.execute.artifacts import cache, locks
from labkit.execute.artifacts.working import sweep
from labkit.execute.machine.plain_process import PlainProcess

ECHO = """
import os, sys
for line in iter(lambda: os.read(0, 1), b""):
    open("raw", "ab").write(open("program", "rb").read())
    print("said", file=sys.stderr, flush=True)
    os.write(1, b"w")
sys.exit(3)
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.CACHE, str(tmp_path))
    monkeypatch.delenv(cache.RUNS, raising=False)


def python(code: str, content: bytes = b"program") -> PlainProcess:
    return PlainProcess([sys.executable, "-c", code], {"program": content})


def test_it_waits_at_the_gate_and_goes_on() -> None:
    with python(ECHO) as process:
        with pytest.raises(TimeoutError):
            process.wait_at_gate(0.05)
        for _ in range(2):
            process.open_gate()
            assert process.wait_at_gate(10)
        assert not process.wait(0)
        assert (process.folder / "raw").read_bytes() == b"program" * 2
        assert process.console() == "said\nsaid"
        folder = process.folder
    assert not folder.exists()


def test_who_ends_at_the_gate_is_no_longer_waited_for() -> None:
    with python("import sys; sys.exit(3)") as process:
        assert process.wait_at_gate(10) is False
        assert process.wait_at_gate(0) is False
        assert process.wait(0)
        assert process.status == 3


def test_it_can_be_killed() -> None:
    with python("import time; time.sleep(1000)") as process:
        assert not process.wait(0.05)
        process.kill()
        assert process.status == -signal.SIGKILL


def test_a_program_that_is_not_there_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot start"):
        PlainProcess([str(tmp_path / "nothing")], {})
    assert list(cache.place("runs").iterdir()) == []


@pytest.mark.parametrize("with_locks", [True, False])
def test_what_a_killed_owner_leaves_goes_with_the_next(
    monkeypatch: pytest.MonkeyPatch, with_locks: bool
) -> None:
    """Not before a minute has passed."""
    monkeypatch.setattr(locks, "available", lambda: with_locks)
    left = cache.folder("runs") / "left"
    left.mkdir()
    sweep(cache.place("runs"))
    assert left.exists()
    hour_ago = time.time() - 3600
    os.utime(left, (hour_ago, hour_ago))
    sweep(cache.place("runs"))
    assert list(cache.place("runs").iterdir()) == []


def test_what_runs_is_not_swept_away() -> None:
    with python(ECHO) as process:
        hour_ago = time.time() - 3600
        os.utime(process.folder, (hour_ago, hour_ago))
        sweep(cache.place("runs"))
        assert process.folder.exists()


def test_it_ends_with_its_owner() -> None:
    code = f"""
from tests.wasm.test_plain_process import python
process = python({ECHO!r})
print(process.pid, flush=True)
process.wait()
"""
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
