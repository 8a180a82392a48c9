"""Runs inside a sandbox, in a hostile notebook's place: tries each wall, and prints what stands. Standard
library only.

What has to fail is tried for real. A line of JSON per wall: its name, whether it stands, what was seen.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

_NEW_USER = 0x10000000
_PR_GET_NO_NEW_PRIVS = 39


def main(secret: str, memory: int, processes: int, folder: int) -> None:
    """secret: a file of the grader's, by its name outside; the rest: the limits."""
    tries: dict[str, Callable[[], tuple[bool, str]]] = {
        "no network": _network,
        "no rights": _rights,
        "no user namespace": _namespace,
        "nothing of the grader's": lambda: _files(secret),
        "read-only": _writing,
        "no other processes": _others,
        "an environment of its own": _environment,
        "limit of files": lambda: _large(folder),
        "limit of processes": lambda: _bomb(processes),
        "limit of memory": lambda: _memory(memory),
    }
    for name, attempt in tries.items():
        stands, seen = attempt()
        print(json.dumps({"wall": name, "stands": stands, "seen": seen}), flush=True)


def _network() -> tuple[bool, str]:
    names = [name for _, name in socket.if_nameindex()]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # RFC 5737: an address of nobody's
            return False, "there is a way to 192.0.2.1"
        except OSError as error:
            return names == ["lo"], f"{', '.join(names)}; {error.strerror}"


def _rights() -> tuple[bool, str]:
    status = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":\t" in line
    )
    caps = [status[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")]
    libc = ctypes.CDLL(None)
    fixed = libc.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
    stands = os.getuid() != 0 and all(int(value, 16) == 0 for value in caps) and fixed == 1
    return stands, f"uid {os.getuid()}, capabilities {caps[1]}, no new privileges: {fixed}"


def _namespace() -> tuple[bool, str]:
    pid = os.fork()
    if pid == 0:
        os._exit(0 if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER) else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status == 0, "refused" if status == 0 else "a new user namespace could be made"


def _files(secret: str) -> tuple[bool, str]:
    read = []
    for path in (
        secret,
        "/etc/shadow",
        os.path.join("/root", ".bashrc"),
        f"/proc/1/root{secret}",
        f"/proc/self/cwd/../..{secret}",
    ):
        with contextlib.suppress(OSError):
            Path(path).read_bytes()
            read.append(path)
    homes = [str(path) for path in Path("/home").glob("*")] if Path("/home").exists() else []
    return (
        not read and not homes,
        f"could be read: {', '.join(read + homes)}" if read or homes else "nothing was there",
    )


def _writing() -> tuple[bool, str]:
    wrote = []
    for folder in (
        "/",
        "/usr",
        "/etc",
        "/handout",
        "/lab/labkit",
        "/cache/kernel",
        "/cache/native",
        sys.prefix,
    ):
        path = Path(folder) / "labkit-course-probe"
        with contextlib.suppress(OSError):
            path.write_text("x")
            wrote.append(folder)
            path.unlink()
    return not wrote, f"could be written: {', '.join(wrote)}" if wrote else "nothing could be written"


def _others() -> tuple[bool, str]:
    pids = [name for name in os.listdir("/proc") if name.isdigit()]
    return len(pids) <= 3, f"{len(pids)} processes to be seen"


def _environment() -> tuple[bool, str]:
    usual = {"PATH", "HOME", "LANG", "PWD", "LABKIT_CACHE", "LABKIT_HARDENED", "LC_CTYPE"}
    strange = sorted(
        name
        for name in os.environ
        if name not in usual and not name.startswith(("PYTHON", "OMP_", "OPENBLAS_"))
    )
    return not strange, f"also there: {', '.join(strange)}" if strange else "nothing else"


def _large(folder: int) -> tuple[bool, str]:
    wrote = 0
    try:
        with open("large", "wb") as file:
            for _ in range(2 * folder >> 20):
                wrote += file.write(bytes(1 << 20))
                file.flush()
        return False, f"{wrote >> 20} MiB could be written"
    except OSError as error:
        return wrote <= folder, f"{wrote >> 20} MiB, then: {error.strerror}"
    finally:
        with contextlib.suppress(OSError):
            os.unlink("large")


def _bomb(processes: int) -> tuple[bool, str]:
    """As many children as there can be, each of which waits."""
    children = []
    try:
        for _ in range(2 * processes):
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            children.append(pid)
        return False, f"{len(children)} processes could be started"
    except OSError as error:
        return True, f"{len(children)} processes, then: {error.strerror}"
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _memory(memory: int) -> tuple[bool, str]:
    """A child takes three times as much as there may be, shared memory, and touches it."""
    pid = os.fork()
    if pid == 0:
        try:
            with mmap.mmap(-1, 3 * memory) as area:
                for at in range(0, 3 * memory, mmap.PAGESIZE):
                    area[at] = 1
        except (OSError, MemoryError):
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status != 0, "it had it all" if status == 0 else "refused" if status == 1 else "killed"


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:5]))
