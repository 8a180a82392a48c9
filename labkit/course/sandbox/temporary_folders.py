"""Folders that end with whoever made them: each is locked while its maker lives, and the next grader removes
those that nobody holds any more, as after kill -9."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from labkit.execute.artifacts import locks

PREFIX = "labkit-sandbox-"
_GRACE_S = 60
"""Between a folder's making and its lock; much more than it takes."""


@contextlib.contextmanager
def folder(parent: Path | None = None, remove: Callable[[Path], object] | None = None) -> Iterator[Path]:
    """A fresh folder, in the system's place for temporary ones or in parent, into which every user may look;
    and its end. Raises OSError."""
    path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except BaseException:
        (remove or shutil.rmtree)(path)
        raise
    try:
        locks.lock(held)
        path.chmod(0o755)
        yield path
    finally:
        try:
            (remove or shutil.rmtree)(path)  # still locked: no sweep takes it from under us
        finally:
            os.close(held)


def sweep(parent: Path | None = None, remove: Callable[[Path], object] | None = None) -> list[Path]:
    """Remove what killed graders of this user left in a parent; returns what it was."""
    found = []
    for path in sorted(Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*")):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # its maker was just done with it
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                status = os.fstat(held)
                if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _GRACE_S:
                    continue
                locks.lock(held, wait=False)
                (remove or shutil.rmtree)(path)
                found.append(path)
            except BlockingIOError:
                continue
            finally:
                os.close(held)
    return found
