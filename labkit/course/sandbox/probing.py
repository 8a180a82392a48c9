"""Runs inside a sandbox, in a hostile notebook's place: tries each wall, and prints what stands. Standard
library only.

What has to fail is tried for real. A line of JSON per wall: its name, whether it stands, what was seen.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
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
_SOCKET, _ADD_KEY, _REQUEST_KEY, _KEYCTL = 41, 248, 249, 250
_REFUSED = (errno.EPERM, errno.ENOSYS, errno.EACCES)
_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
_REACHING = {
    "bpf": 321,
    "clone3": 435,
    "fanotify_init": 300,
    "fsopen": 430,
    "io_setup": 206,
    "io_uring_setup": 425,
    "kcmp": 312,
    "kexec_load": 246,
    "memfd_secret": 447,
    "mount": 165,
    "open_by_handle_at": 304,
    "open_tree": 428,
    "perf_event_open": 298,
    "pivot_root": 155,
    "sched_setaffinity": 203,
    "setns": 308,
    "setpriority": 141,
    "syslog": 103,
    "unshare": 272,
    "userfaultfd": 323,
    "what is to come": 999,
}
"""Numbers of x86-64, for which the filter is."""


def main(secret: str, memory: int, processes: int, folder: int) -> None:
    """secret: a file of the grader's, by its name outside; the rest: the limits."""
    tries: dict[str, Callable[[], tuple[bool, str]]] = {
        "no network": _network,
        "no rights": _rights,
        "no user namespace": _namespace,
        "nothing of the grader's": lambda: _files(secret),
        "read-only": _writing,
        "no other processes": _others,
        "no keys": _keys,
        "few sockets": _sockets,
        "few system calls": _calls,
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


def _keys() -> tuple[bool, str]:
    """Of the grader's session, of its user, or of anybody: to read, to write, or to see their names."""
    none = ctypes.c_void_p()
    got = [
        name
        for name, nr, arguments in (
            ("the session's keyring", _KEYCTL, (0, -3, 0)),
            ("the user's keyring", _KEYCTL, (0, -4, 0)),
            ("a new key", _ADD_KEY, (b"user", b"probe", b"x", 1, -3)),
            ("a request", _REQUEST_KEY, (b"user", b"probe", none, -3)),
        )
        if _call(nr, *arguments) not in _REFUSED
    ]
    listed = [name for name in ("keys", "key-users") if _text(f"/proc/{name}")]
    return not got and not listed, f"there: {', '.join([*got, *listed])}" if got or listed else "refused"


def _sockets() -> tuple[bool, str]:
    """Of every family but those of Linux's own hosts, and of netlink but for interfaces."""
    made = [
        str(family) for family in range(64) if family not in _FAMILIES and _made(family, socket.SOCK_DGRAM, 0)
    ]
    made += [
        f"netlink {number}" for number in range(1, 32) if _made(socket.AF_NETLINK, socket.SOCK_RAW, number)
    ]
    made += ["raw"] if _made(socket.AF_INET, socket.SOCK_RAW, 1) else []
    return (
        not made,
        f"of families {', '.join(made)}" if made else "unix, inet, inet6 and netlink's route only",
    )


def _made(family: int, kind: int, protocol: int) -> bool:
    types = (kind, socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW)
    return any(_call(_SOCKET, family, one, protocol) == 0 for one in types)


def _calls() -> tuple[bool, str]:
    """By which a process reaches into the kernel or to others."""
    got = [name for name, nr in _REACHING.items() if _call(nr, 0, 0, 0, 0, 0) not in _REFUSED]
    return not got, f"answered: {', '.join(got)}" if got else f"{len(_REACHING)} refused"


def _call(nr: int, *arguments: object) -> int:
    """The error of a system call, 0 for none; a child makes it, whatever becomes of that."""
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        os._exit(ctypes.get_errno() if libc.syscall(nr, *arguments) == -1 else 0)
    return max(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)


def _text(path: str) -> bytes:
    with contextlib.suppress(OSError):
        return Path(path).read_bytes()
    return b""


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
    """Children take three times as much as there may be, one as shared memory, one as files in memory, which
    no limit of a process counts."""
    seen = {name: _taken(take, memory) for name, take in (("shared", _shared), ("files", _memory_files))}
    said = ", ".join(
        f"{name}: {'all of it' if status == 0 else _END[status < 0]}" for name, status in seen.items()
    )
    return all(seen.values()), said


_END = {False: "refused", True: "killed"}


def _taken(take: Callable[[int], None], memory: int) -> int:
    """The exit status of a child that takes it: 0, it had it all."""
    pid = os.fork()
    if pid == 0:
        try:
            Path("/proc/self/oom_score_adj").write_text("1000")  # of all here, this one is to be killed
            take(3 * memory)
        except (OSError, MemoryError):
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _shared(size: int) -> None:
    with mmap.mmap(-1, size) as area:
        for at in range(0, size, mmap.PAGESIZE):
            area[at] = 1


def _memory_files(size: int) -> None:
    files = [os.memfd_create("large") for _ in range(3)]
    for _ in range(0, size, len(files) << 20):
        for fd in files:
            os.write(fd, bytes(1 << 20))


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:5]))
