"""The command line that puts walls around a program: util-linux for limits and the user, bubblewrap for the
rest.

What can be seen inside: the system's programs and libraries, Python with its packages, labkit and the lab
kernel, read-only; the handout and the submission, read-only; /work, /tmp and the cache, which are memory
and end with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from labkit.course.roster import CourseError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest.machine_files import LOOKED_UP

MIB = 1 << 20
FIRST_UID, USERS = 61184, 65520 - 61184
"""Of the users that a grader who is root gives to sandboxes: systemd's for services that live for a moment,
61184 to 65519, which no account has."""
HANDOUT, SUBMISSION, WORK, CACHE, PACKAGES = "/handout", "/submission.ipynb", "/work", "/cache", "/lab"
_KEPT = ("kernel", "native")
MODULES = "/modules"
SMALL = (f"{CACHE}/native", MODULES)
"""What is copied for a grader who is root. Modules are compiled into the cache, which begins with these."""
_OF_THE_MACHINE = (
    "keys",
    "key-users",
    "kcore",
    "timer_list",
    "sched_debug",
    "latency_stats",
    "kallsyms",
    "config.gz",
)
"""Of /proc: what is no namespace's, but the machine's."""
_COMPILER_S = 600.0
"""The hard limit must leave room for that which labkit sets around the compiler of modules."""
_LATER = 4
"""The kernel's limit of each process, so many times the sandbox's: that one comes first, and says why."""
_TOOLS = ("bwrap", "prlimit", "taskset", "setpriv", "unshare", "mount")


@dataclass(frozen=True)
class Limits:
    """seconds: all but those in which others have the sandbox's processor (counted_time.py); the rest in
    bytes and numbers. memory: of the whole sandbox where there is a cgroup; else each process may have so
    much data, and twice as many addresses. folder: of all that lies in each place that can be written to;
    file: of one file, as which a guest has its memory, with holes."""

    seconds: float = 120.0
    memory: int = 1536 * MIB
    processes: int = 192
    file: int = 4096 * MIB
    folder: int = 128 * MIB
    answers: int = 1 * MIB


def require_tools() -> None:
    """Raises CourseError naming what is not installed."""
    missing = [name for name in _TOOLS if shutil.which(name) is None]
    if missing:
        package = "bubblewrap" if missing == ["bwrap"] else "bubblewrap util-linux mount"
        raise CourseError(
            f"no {', '.join(missing)} here, and nobody is graded without: sudo apt install {package}"
        )


def command(
    program: Sequence[str],
    slot: int,
    limits: Limits,
    shown: dict[str, Path],
    *,
    cgroup: bool,
    filter_fd: int,
) -> list[str]:
    """The whole command line for a program. slot: which of the sandboxes that run at once, from 0: its
    processor and, for a grader who is root, its user. shown: inside name -> a file or folder; cgroup:
    memory is limited by one; filter_fd: what `filtered` gave.

    Processes are counted in the sandbox's own namespace of users (Linux 5.14 or newer): outside, all that the
    grader runs would count, other sandboxes too, and a bomb in one would be the others' failure."""
    pinned = ["taskset", "-c", str(processor(slot))]
    counted = ["prlimit", f"--nproc={limits.processes}"]
    inside = [
        *pinned,
        *_limited(limits, cgroup),
        "bwrap",
        *_walls(limits, shown, filter_fd),
        "--",
        *counted,
        *program,
    ]
    if os.geteuid():
        return inside
    uid = str(uid_of(slot))
    user = [
        "setpriv",
        "--reuid",
        uid,
        "--regid",
        uid,
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
    ]
    return [*user, *inside]


def uid_of(slot: int) -> int:
    """The user of a sandbox of this grader who is root: two graders at once have others, whose limits of
    processes do not add up."""
    return FIRST_UID + (os.getpid() * 64 + slot) % USERS


def _limited(limits: Limits, cgroup: bool) -> Iterator[str]:
    soft = _LATER * limits.seconds
    cpu = f"{soft:.0f}:{max(soft, _COMPILER_S):.0f}"
    yield from ("prlimit", f"--cpu={cpu}", f"--fsize={limits.file}", "--core=0", "--msgqueue=0")
    yield from ("--nofile=4096", "--memlock=65536")
    if not cgroup:
        yield f"--as={2 * limits.memory}"
        yield f"--data={limits.memory}"


def processor(slot: int) -> int:
    """The one that a sandbox has."""
    cpus = sorted(os.sched_getaffinity(0))
    return cpus[slot % len(cpus)]


@contextlib.contextmanager
def filtered() -> Iterator[int]:
    """A descriptor with the filter of system calls, for one sandbox (native/sandbox.c has it)."""
    made = subprocess.run([str(binaries().sandbox)], capture_output=True, check=True).stdout
    fd = os.memfd_create("labkit-filter")
    try:
        os.write(fd, made)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


def _walls(limits: Limits, shown: dict[str, Path], filter_fd: int) -> Iterator[str]:
    """Options of bwrap; in their order, as a later one lies over an earlier one."""
    yield from ("--seccomp", str(filter_fd))
    yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session")
    yield from ("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "sandbox", "--clearenv")
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.exists():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--proc", "/proc", "--dev", "/dev", "--perms", "0755", "--dir", "/etc")
    for name in _OF_THE_MACHINE:
        if Path("/proc", name).exists():
            yield from ("--ro-bind", os.devnull, f"/proc/{name}")
    for name in LOOKED_UP:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
    for folder in ("/tmp", "/dev/shm", WORK, CACHE, PACKAGES):
        yield from ("--size", str(limits.folder), "--tmpfs", folder)
    for inside, path in {**python(), **lab(), **shown}.items():
        yield from ("--ro-bind", str(path), inside)
    for name, value in environment().items():
        yield from ("--setenv", name, value)
    yield from ("--remount-ro", PACKAGES, "--remount-ro", "/", "--chdir", WORK)


def environment() -> dict[str, str]:
    """What a program inside finds in its environment: nothing of the grader's."""
    return {
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": WORK,
        "LANG": "C.UTF-8",
        "PYTHONPATH": PACKAGES,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LABKIT_CACHE": CACHE,
        "LABKIT_HARDENED": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def python() -> dict[str, Path]:
    """Python and its packages, each at its own place."""
    roots = {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix), sys.prefix, sys.base_prefix}
    return {root: Path(root) for root in sorted(roots) if not f"{root}/".startswith("/usr/")}


def lab() -> dict[str, Path]:
    """labkit itself, of this very process, and what is built of it."""
    here = {f"{PACKAGES}/labkit": Path(__file__).parents[2]}
    here[MODULES] = cache.folder("modules")
    return here | {f"{CACHE}/{name}": cache.folder(name) for name in _KEPT}
