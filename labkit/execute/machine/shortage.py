"""What a machine or a sandbox withholds from a run, in one message each: the cause, and what helps."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.ready import ready

_FILES = "no more files can be opened: close some, or raise the limit: ulimit -n 4096"
_PROCESSES = "no more processes can be started: end some, or raise the limit: ulimit -u 4096"
_FILE_SIZE = (
    "files may not grow as large as a guest's memory, or a result: raise the limit: ulimit -f unlimited"
)
_MEMORY = (
    "no more memory is to be had: end other programs, or raise the limit: ulimit -v unlimited -d unlimited"
)
_SANDBOX = "a sandbox forbids it (seccomp): allow this call there, as Docker's and Podman's own profiles do"

_OF_ERRORS = {
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.EAGAIN: _PROCESSES,
    errno.EFBIG: _FILE_SIZE,
}
_OF_LAST_WORDS = (
    ("File too large", _FILE_SIZE),
    ("(?:memory|a stack for .*|the table of functions|program): Cannot allocate memory", _MEMORY),
    ("Too many open files", _FILES),
    ("keeper: cannot start another process", _PROCESSES),
    ("keeper: cannot watch the program", f"pidfd_open is refused: {_SANDBOX}"),
    (
        "keeper: cannot hold its folder",
        f"flock is refused: {_SANDBOX}; or keep runs elsewhere: {cache.RUNS}=DIR",
    ),
    ("(?:keeper|shim): cannot die with its owner", f"prctl is refused: {_SANDBOX}"),
    ("shim: no memory file", f"memfd_create is refused: {_SANDBOX}"),
    ("creation of timer failed", f"timer_create is refused: {_SANDBOX}"),
    (
        "ptrace: ",
        "ptrace is refused, by which a lab kernel runs its programs: allow it "
        "(docker run --cap-add SYS_PTRACE; sudo sysctl kernel.yama.ptrace_scope=1)",
    ),
    ("fork.* failed|clone.*failed|Resource temporarily unavailable", _PROCESSES),
)


@contextmanager
def explained(program: Path | None = None) -> Iterator[None]:
    """Errors of the system within, as SetupErrors. program: one that is started there."""
    try:
        yield
    except OSError as error:
        raise _refused(error, program) from None


def _refused(error: OSError, program: Path | None) -> SetupError:
    if cure := _OF_ERRORS.get(error.errno or 0):
        return SetupError(f"cannot start a run: {cure}")
    if program is not None and error.filename == str(program):
        if not os.path.exists(os.devnull):
            return SetupError(f"cannot start a run: this machine has no {os.devnull}: mount /dev")
        if error.errno == errno.EACCES:
            return SetupError(f"cannot start a run: {_noexec(program)}")
        return SetupError(f"cannot start {program}: {(error.strerror or str(error)).lower()}: start again")
    if error.filename is None:  # of a write(): into the run folder
        error = OSError(error.errno, error.strerror, str(cache.place("runs")))
    return cache.unusable(error)


def _noexec(program: Path) -> str:
    said = "may not be executed (mounted with noexec?)"
    if (made := ready()) and program.is_relative_to(made.folder):
        return f"programs in {made.folder} {said}: install labkit-kernel somewhere else"
    setting = cache.KERNEL if os.environ.get(cache.KERNEL) else cache.CACHE
    return f"programs in the cache {cache.root(setting)} {said}: name another: {setting}=DIR"


def heard(console: str) -> SetupError | None:
    """What the last words of a guest say that the machine withheld, if they say so."""
    for pattern, cure in _OF_LAST_WORDS:
        if found := re.search(f".*(?:{pattern}).*", console):
            return SetupError(f"cannot start a run: {cure} (its last words: {found[0].strip()!r})")
    return None
