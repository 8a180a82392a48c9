"""In a restricted place a run is the same, or one message names what is missing and what helps; nothing of
it stays: no process, folder, lock or descriptor. A selection here, all of them in `make chaos`."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from labkit.spec import Command, Experiment, Flow
from labkit.spec.topologies import pair
from tests import fuzz
from tests.forbidding import forbidding
from tests.guest.conftest import left
from tests.guest.furnish import furnish, python
from tests.guest.helpers import fresh

PLAIN = Experiment(pair(rate="10mbit", delay="5ms"), flows=[Flow("left", "right", size="20kB")])
EXPERIMENTS = {
    "guest": PLAIN.replace(commands=[Command("left", "ping -c 1 right | tail -1")]),
    "wasm": PLAIN,
}
RUN = """
import os, sys
from labkit.errors import SetupError
from labkit.results.run import run
from labkit.spec import Experiment
exp = Experiment.from_json(sys.argv[1])
opened = lambda: len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
before = opened()
try:
    said = run(exp, cache=False).digest()
except SetupError as error:
    said = f"SetupError: {error}"
if said.startswith("SetupError"):
    assert opened() == before, "descriptors are left"
print(said)
"""
PTRACE, PRCTL, TIMER_CREATE, MEMFD, PIDFD_OPEN = 101, 157, 222, 319, 434
FLOCK, SETPGID, AFFINITY, SECCOMP = 73, 109, 203, 317
DOCKER = (
    "163,248,321,305,227,174,176,313,239,175,173,172,312,320,246,250,212,237,165,279,180,304,298,155,179,169,249,"
    "238,308,164,167,168,139,166,272,134,323,136,153,425,426,427,135"
)
"""What Docker's default profile refuses of x86-64's calls: docs.docker.com, engine/security/seccomp."""


@dataclass(frozen=True)
class Place:
    """mounts: a shell line with mounts of its own; limit: an option of prlimit; calls: refused with `error`;
    prefix: any other. says: words of the message; none: it gives the same. wasm_says: those of the kernel in
    WebAssembly, if they are others. short: in `make test`, too."""

    mounts: str = ""
    limit: str = ""
    calls: str = ""
    error: int = errno.EPERM
    prefix: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    wasm_says: tuple[str, ...] | None = None
    short: bool = False

    def words(self, kernel: str) -> tuple[str, ...]:
        """What a run in this kernel says."""
        return self.says if kernel == "guest" or self.wasm_says is None else self.wasm_says


NOTHING = ()


def _refused(
    call: int, name: str, *words: str, wasm_says: tuple[str, ...] | None = None, short: bool = False
) -> dict[str, Place]:
    says = (name, *words)
    return {
        f"{name}: EPERM": Place(calls=str(call), says=says, wasm_says=wasm_says, short=short),
        f"{name}: ENOSYS": Place(calls=str(call), error=errno.ENOSYS, says=says, wasm_says=wasm_says),
    }


ON = "mount --bind $C $C; mount -o remount,bind"
PLACES = {
    "no /dev/shm": Place("umount /dev/shm || mount -t tmpfs -o size=4k none /dev/shm"),
    "/dev/shm read-only": Place("mount -t tmpfs -o ro none /dev/shm"),
    "read-only but for the cache": Place("mount --bind $C $C; mount -o remount,bind,ro /"),
    "cache read-only": Place(f"{ON},ro $C", says=("read-only", "LABKIT_CACHE=DIR"), short=True),
    "cache noexec": Place(f"{ON},noexec $C", says=("noexec", "LABKIT_CACHE=DIR"), short=True),
    "disk full": Place("mount -t tmpfs -o size=64k none $C/runs", says=("no space left", "LABKIT_CACHE=DIR")),
    "runs on another disk than results": Place(
        "mount -t tmpfs none $C/runs", says=("cross-device", "LABKIT_CACHE=DIR")
    ),
    "no /proc": Place("umount -l /proc", says=("no /proc", "mount -t proc"), wasm_says=NOTHING, short=True),
    "no /sys": Place("mount -t tmpfs none /sys"),
    "empty /dev": Place("mount -t tmpfs none /dev", says=("no /dev/null", "mount /dev")),
    "no network": Place(prefix=("unshare", "-n")),
    "no address randomisation": Place(prefix=("setarch", "-R")),
    "another process namespace": Place(prefix=("unshare", "--pid", "--fork", "--mount-proc")),
    "16 files": Place(
        limit="--nofile=16",
        says=("only 16 files", "ulimit -n 1024"),
        wasm_says=("no more files can be opened",),
    ),
    "64 files": Place(
        limit="--nofile=64", says=("only 64 files", "ulimit -n 1024"), wasm_says=NOTHING, short=True
    ),
    "1024 files": Place(limit="--nofile=1024"),
    "600 MB of addresses": Place(
        limit="--as=614400000", wasm_says=("0.57 GiB of addresses", "ulimit -v unlimited"), short=True
    ),
    "files of 1 MB": Place(
        limit="--fsize=1000000", says=("files may not grow", "ulimit -f"), wasm_says=NOTHING, short=True
    ),
    "files of 0 bytes": Place(limit="--fsize=0", says=("files may not grow", "ulimit -f")),
    "no locked memory": Place(limit="--memlock=0"),
    "small stacks": Place(limit="--stack=262144"),
    "no cores": Place(limit="--core=0"),
    "no message queues": Place(limit="--msgqueue=0"),
    "Docker's denials": Place(calls=DOCKER),
    **_refused(PTRACE, "ptrace", "SYS_PTRACE", wasm_says=NOTHING, short=True),
    **_refused(PIDFD_OPEN, "pidfd_open", "seccomp", short=True),
    **_refused(MEMFD, "memfd_create", "seccomp", wasm_says=NOTHING),
    **_refused(PRCTL, "prctl", "seccomp"),
    **_refused(TIMER_CREATE, "timer_create", "seccomp", wasm_says=NOTHING),
    **_refused(SECCOMP, "seccomp", "no run without walls", wasm_says=NOTHING, short=True),
    "flock: EPERM": Place(calls=str(FLOCK), says=("flock", "seccomp", "LABKIT_RUNS=DIR")),
    "setpgid: EPERM": Place(calls=str(SETPGID)),
    "sched_setaffinity: EPERM": Place(calls=str(AFFINITY)),
}
CHOSEN = [name for name, place in PLACES.items() if place.short or fuzz.longer()]


@pytest.fixture(scope="module")
def digest(each_kernel: str) -> str:
    """Of the run where nothing is restricted."""
    return fresh(EXPERIMENTS[each_kernel]).digest()


@pytest.fixture
def cache() -> Iterator[Path]:
    """A cache of its own, on a file system of its own if mounts say so."""
    folder = furnish(Path(tempfile.mkdtemp(prefix="labkit-sandbox-")))
    (folder / "runs").mkdir()
    yield folder
    shutil.rmtree(folder)


def prefix_of(place: Place, cache: Path) -> list[str]:
    """What starts a command there; skips where this machine cannot make such a place."""
    prefix = list(place.prefix)
    if place.mounts:
        prefix += ["unshare", "--mount", "sh", "-ec", f'C={cache}; {place.mounts}; exec "$@"', "sh"]
    if place.limit:
        prefix += ["prlimit", place.limit]
    if place.calls:
        prefix += forbidding(place.error, place.calls)
    if (place.mounts or place.prefix[:1] == ("unshare",)) and os.geteuid():
        pytest.skip("needs root, for mounts and namespaces of its own")
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine makes no such place")
    return prefix


@pytest.mark.parametrize("name", CHOSEN)
def test_a_restricted_place_gives_the_same_run_or_one_message(
    each_kernel: str, name: str, digest: str, cache: Path
) -> None:
    place, exp = PLACES[name], EXPERIMENTS[each_kernel]
    done = python(RUN, exp.to_json(), prefix=prefix_of(place, cache), LABKIT_CACHE=str(cache))
    assert done.returncode == 0, done.stderr
    said = done.stdout.strip()
    if words := place.words(each_kernel):
        assert said.startswith("SetupError: "), said
        assert len(said.splitlines()) == 1
        assert [word for word in words if word not in said] == []
    else:
        assert said == digest
    assert left(cache) == []


AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "prlimit")


@pytest.mark.parametrize("processes", [1, 2])
def test_without_processes_one_message_says_so(each_kernel: str, processes: int, cache: Path) -> None:
    for path in [cache, *cache.rglob("*")]:
        path.chmod(0o777)
    prefix = [*AS_NOBODY, f"--nproc={processes}"]
    tried = [*prefix, sys.executable, "-c", "import labkit.results.run"]
    if os.geteuid() or subprocess.run(tried, capture_output=True, check=False).returncode:
        pytest.skip("needs root and setpriv to be somebody else, who may read the interpreter")
    exp = EXPERIMENTS[each_kernel]
    done = python(RUN, exp.to_json(), prefix=prefix, LABKIT_CACHE=str(cache), HOME=str(cache))
    assert done.returncode == 0, done.stderr
    assert "no more processes can be started" in done.stdout and "ulimit -u" in done.stdout
    assert left(cache) == []
