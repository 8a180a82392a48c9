"""The keeper at its start, without an owner or a process: nobody else is taken down, and its folder goes."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from tests.agent.harness import NOBODY
from tests.site import ROOT

AS_OWNER = 'exec "$0" "$1" -1 -- /bin/true 12<&0 13>&1'


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be a user without processes of its own")
def test_without_a_process_it_says_so_and_leaves_no_folder() -> None:
    place = Path(tempfile.mkdtemp(prefix="labkit-keeper-"))
    try:
        place.chmod(0o777)
        keeper = shutil.copy(binaries().keeper, place / "keeper")
        folder = place / "folder"
        folder.mkdir()
        folder.chmod(0o777)
        done = subprocess.run(
            ["bash", "-c", AS_OWNER, keeper, str(folder)],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            input="f",  # the folder is filled, and the owner has gone
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
            check=False,
            timeout=20,
        )
        assert (done.returncode, done.stdout) == (0, "exit 125\n")
        assert done.stderr.startswith("keeper: cannot start another process: ")
        assert not folder.exists()
    finally:
        shutil.rmtree(place)


def test_an_owner_that_goes_before_the_folder_is_filled_has_nothing_started(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "program").write_bytes(b"half")
    done = subprocess.run(
        ["bash", "-c", AS_OWNER, binaries().keeper, str(folder)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not folder.exists()


OWNER = """
import os, signal, sys
from pathlib import Path
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.machine.process import Process

def die(*_):
    print(len(os.listdir(Path(os.environ["LABKIT_CACHE"], "runs"))), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

def mkdir(self, *given, make=Path.mkdir, **more):
    make(self, *given, **more)
    if self.parent.name == "runs":
        die()

if sys.argv[1] == "before the first file":
    Path.mkdir = mkdir
Process(binaries(), ["/bin/true"], {"first": b"", "second": die}, environment={})
"""


def owned(own: Path, *command: str) -> subprocess.Popen[str]:
    """A Python in a process group and a cache of its own."""
    (own / "native").symlink_to(cache.folder("native"))
    (own / "runs").mkdir()
    return subprocess.Popen(
        [sys.executable, "-c", *command],
        env=os.environ | {"LABKIT_CACHE": str(own), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hearing,
    )


def hearing() -> None:
    """Whoever runs the tests may ignore signals (nohup), and all that they start with them."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def nothing_stays(own: Path) -> bool:
    """In a while."""
    deadline = time.monotonic() + 20
    while (there := os.listdir(own / "runs")) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not there


@pytest.mark.parametrize("moment", ["before the first file", "at the second file"])
def test_an_owner_that_is_killed_at_the_start_leaves_no_folder(moment: str, tmp_path: Path) -> None:
    """However early: a killed sweep was found to leave one."""
    with owned(tmp_path, OWNER, moment) as owner:
        said = owner.communicate(timeout=60)
    assert (owner.returncode, *said) == (-signal.SIGKILL, "1\n", "")
    assert nothing_stays(tmp_path)


WAITING = """
import time
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.machine.process import Process

with Process(binaries(), ["/bin/sleep", "1000"], {}, environment={}) as process:
    print(process.pid, flush=True)
    time.sleep(1000)
"""


def keeper_of(owner: subprocess.Popen[str]) -> int:
    assert owner.stdout is not None
    return int(owner.stdout.readline())


def children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_a_signal_to_everybody_leaves_no_folder(number: signal.Signals, tmp_path: Path) -> None:
    """The keeper first, as it may happen to be when a service is stopped."""
    with owned(tmp_path, WAITING) as owner:
        try:
            keeper = keeper_of(owner)
            while not children(keeper):
                time.sleep(0.001)
            os.kill(keeper, number)
            time.sleep(0.1)
            assert children(keeper), "its program goes on"
            owner.send_signal(number)
            assert owner.wait(20) == -number
        finally:
            owner.kill()
    assert nothing_stays(tmp_path)


def test_who_kills_the_owners_process_group_leaves_no_folder(tmp_path: Path) -> None:
    with owned(tmp_path, WAITING) as owner:
        keeper = keeper_of(owner)
        while not children(keeper):
            time.sleep(0.001)
        os.killpg(owner.pid, signal.SIGKILL)
    assert nothing_stays(tmp_path)
