"""What places need of this machine: which system and processor."""

from __future__ import annotations

import math
import platform
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts.ready import install

_FILES, _OWN_FILES = 1024, 64  # of a guest; of whoever starts one
_X86_64 = ("x86_64", "amd64")
_ELSEWHERE = (
    "what works here: the models, saved results and captures, and, after {}, every experiment without "
    "programs or modules of its own"
)

GUEST_ELSEWHERE = (
    "a guest can, on Linux on an x86-64 processor: there, in WSL 2, in a virtual machine or on Binder"
)
"""Of what an experiment needs where there is none."""


def has_keeper() -> bool:
    """Whether programs here are kept by the keeper, which is C for Linux, and for x86-64."""
    return platform.system() == "Linux" and platform.machine().lower() in _X86_64


def addresses() -> float:
    """Bytes that a process may have addresses for, memory or not (RLIMIT_AS, `ulimit -v`); inf: no limit."""
    if platform.system() == "Windows":
        return math.inf
    import resource  # there is none there

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if soft == resource.RLIM_INFINITY else soft


def require_system(place: str = "guest") -> None:
    """Raises SetupError off Linux, where there is neither guest nor host place; unless for the host, off
    x86-64; and for a guest, where it cannot have what every guest needs."""
    system, machine = platform.system(), platform.machine()
    if system != "Linux" or (place != "host" and machine.lower() not in _X86_64):
        needed = "Linux" if place == "host" else "Linux on an x86-64 processor"
        works = _ELSEWHERE.format(install("kernel"))
        raise SetupError(f'place="{place}" needs {needed}; this is {system} on {machine}: {works}')
    if place == "guest":
        _require_files()


def _require_files() -> None:
    """A guest finds its root and its run folder below /proc/self; it has a file open for each that its
    programs use, and with too few of them its results would be others."""
    import resource  # there is none on Windows

    if not Path("/proc/self/fd").is_dir():
        raise SetupError("this machine has no /proc: mount it: mount -t proc proc /proc")
    soft, hard = (
        _FILES if n == resource.RLIM_INFINITY else n for n in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    if soft < _OWN_FILES or hard < _FILES:
        few = f"only {min(soft, hard)} files can be open at once (RLIMIT_NOFILE)"
        raise SetupError(f"{few}, a guest needs {_FILES}: raise the limit: ulimit -n {_FILES}")
