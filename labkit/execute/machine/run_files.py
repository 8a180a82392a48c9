"""The files of a run folder that the guest has written, opened as what they are: a stranger's.

The guest writes there, its modules with the rights of its user. What is opened is a regular file of that
user's with no other name, in that folder, whatever it was replaced with: no link is followed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from labkit.errors import LabKernelError

_STRANGERS = hasattr(os, "O_NOFOLLOW")
"""Not on Windows: there is no guest there, and what runs instead writes to `raw` alone."""


def open_written(folder: Path, name: str) -> BinaryIO:
    """For reading. Raises FileNotFoundError; LabKernelError if it is not what the agent made."""
    if not _STRANGERS:
        return (folder / name).open("rb")
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(name, flags, dir_fd=inside)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _replaced(name, os.strerror(error.errno or 0).lower()) from None
    finally:
        os.close(inside)
    facts = os.fstat(fd)
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1 or facts.st_uid != os.geteuid():
        os.close(fd)
        raise _replaced(name, "no regular file of one name")
    return open(fd, "rb")


def folder_beside(folder: Path) -> Path:
    """A new folder in a run folder, of a name that the guest did not know."""
    made = Path(tempfile.mkdtemp(prefix="result-", dir=folder))
    made.chmod(0o755)
    return made


def copy_written(folder: Path, name: str, target: Path) -> None:
    """A copy of a file that the guest goes on writing to. Raises as `open_written`, OSError."""
    with open_written(folder, name) as file, target.open("wb") as copy:
        shutil.copyfileobj(file, copy, 1 << 20)


def put(folder: Path, name: str, content: bytes) -> None:
    """A new file for a guest that runs already, in place of what has that name. Raises OSError,
    LabKernelError."""
    if not _STRANGERS:
        (folder / name).write_bytes(content)
        return
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=inside)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(name, flags, 0o644, dir_fd=inside), "wb") as file:
            file.write(content)
    except (FileExistsError, IsADirectoryError, PermissionError) as error:
        raise _replaced(name, os.strerror(error.errno or 0).lower()) from None
    finally:
        os.close(inside)


def _replaced(name: str, what: str) -> LabKernelError:
    return LabKernelError(
        f"the run's file {name!r} was replaced ({what}): something in the guest, a module of the "
        "experiment perhaps, has written where only the agent does: nothing of it is used"
    )
