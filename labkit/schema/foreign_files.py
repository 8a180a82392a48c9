"""The one way to open a file that somebody else may have made: a regular file, no link, no larger than said.

A name can stand for anything: a device without end, a pipe that nobody writes to, a link to somewhere else.
So it is opened without following a link and without waiting, looked at, and read up to a size.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path

from labkit.errors import LabkitError

TEXT_MOST = 64 << 20
"""Bytes of a description, a trace, a roster: what is read as a whole by something that is not fast."""

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT, _NO_LINK = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW"))  # none on Windows
_BY_FOLDER = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_KINDS = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe (FIFO)"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


Refusal = Callable[[str], LabkitError]
"""Makes the error of whoever reads, of what is wrong with a file."""


class ForeignFileError(LabkitError):
    """What has this name is not opened: a link, a folder, a device, a pipe, or too large; says which."""


def opened(
    path: str | Path,
    most: int | None = None,
    *,
    inside: int | None = None,
    follow: bool = False,
    refused: Refusal = ForeignFileError,
) -> BufferedReader:
    """A regular file, to be read from its start. most: bytes that it may have; None: any number, for what is
    mapped. inside: a descriptor (`folder`) of the folder that it lies in, so that its last name is all that
    counts; else links on the way to it are followed, which are the reader's own, and one in its place is not,
    unless `follow`: for what may be part of an installation.

    Raises FileNotFoundError; what `refused` makes for all else.
    """
    file = Path(path)
    name = str(file if inside is None else file.name)
    try:
        if not (_NO_LINK or follow) and os.path.islink(name):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        fd = os.open(name, _READ | _NO_WAIT | (0 if follow else _NO_LINK), dir_fd=inside)
    except FileNotFoundError as error:
        raise FileNotFoundError(error.errno, error.strerror, str(file)) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise refused(_of_another_kind(file, name, inside, follow=follow) or _unread(file, error)) from None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise refused(_no_file(file, found.st_mode))
        if most is not None and found.st_size > most:
            raise refused(_too_large(file, most))
        return open(fd, "rb", closefd=True)
    except BaseException:
        os.close(fd)
        raise


def content(
    path: str | Path,
    most: int = TEXT_MOST,
    *,
    inside: int | None = None,
    follow: bool = False,
    refused: Refusal = ForeignFileError,
) -> bytes:
    """All of it. Raises as `opened`; also for what grows beyond `most` meanwhile."""
    with opened(path, most, inside=inside, follow=follow, refused=refused) as file:
        try:
            found = file.read(most + 1)
        except OSError as error:
            raise refused(_unread(path, error)) from None
    if len(found) > most:
        raise refused(_too_large(path, most))
    return found


def text(
    path: str | Path,
    most: int = TEXT_MOST,
    *,
    encoding: str = "utf-8",
    errors: str = "strict",
    refused: Refusal = ForeignFileError,
) -> str:
    """All of it as text, with one kind of line ends. Raises as `content`, and what is no text, too."""
    try:
        found = content(path, most, refused=refused).decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise refused(f"{path}: no text: {error}: save it as UTF-8") from None
    return found.replace("\r\n", "\n").replace("\r", "\n")


@contextlib.contextmanager
def folder(path: str | Path, *, refused: Refusal = ForeignFileError) -> Iterator[int | None]:
    """A folder, no link to one, for `inside`; None where the system has no such descriptors (Windows). Raises
    FileNotFoundError; what `refused` makes for all else."""
    if not _BY_FOLDER:
        yield None
        return
    try:
        fd = os.open(path, _READ | _NO_WAIT | _NO_LINK | os.O_DIRECTORY)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise refused(
            _of_another_kind(path, str(path), None, wanted="folder") or _unread(path, error)
        ) from None
    try:
        yield fd
    finally:
        os.close(fd)


def _of_another_kind(
    path: str | Path, name: str, inside: int | None, *, wanted: str = "file", follow: bool = False
) -> str:
    """What is there instead, if that is why it could not be opened; else empty."""
    try:
        mode = os.stat(name, dir_fd=inside, follow_symlinks=follow).st_mode
    except (OSError, ValueError):
        return ""
    right = stat.S_ISDIR(mode) if wanted == "folder" else stat.S_ISREG(mode)
    return "" if right else _no_file(path, mode, wanted)


def _no_file(path: str | Path, mode: int, wanted: str = "file") -> str:
    what = next((name for is_it, name in _KINDS if is_it(mode)), "something else")
    cure = f": name the {wanted} that it leads to" if what == "a link" else ""
    return f"{path}: is {what}, must be a {wanted}{cure}"


def _too_large(path: str | Path, most: int) -> str:
    shown = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
    return f"{path}: is larger than {shown}: this cannot be what it is taken for"


def _unread(path: str | Path, error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return f"{path}: too many files are open: close some, or raise `ulimit -n`"
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{path!s}: cannot be read: {said.lower()}"
