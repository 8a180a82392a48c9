"""Folders of the cache that somebody works in. Whoever does holds a lock on it, which ends with them, however
they end: a folder that nobody holds was left, and whoever comes next removes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from labkit.execute.artifacts import locks

MAKING = "making-"
"""Begins the name of one for something that is not whole yet."""
_GRACE_S = 60  # between a folder's first moment and its lock


@contextlib.contextmanager
def making(parent: Path) -> Iterator[Path]:
    """A new folder to make something in, gone at the end of the block, unless it has another name by then.
    Removes those that were left before. Raises OSError."""
    if locks.available():
        sweep(parent, MAKING)
    folder = Path(tempfile.mkdtemp(prefix=MAKING, dir=parent))
    try:
        with held(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """`sweep` leaves it alone while we live: for a lock, or, on Windows, for being a program's folder."""
    if not locks.available():
        yield
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        locks.lock(fd)
        yield
    finally:
        os.close(fd)


def sweep(parent: Path, prefix: str = "") -> None:
    """Remove what was left by who was killed: folders of names like that which nobody holds any more."""
    for entry in os.scandir(parent):
        with contextlib.suppress(OSError):
            if not entry.name.startswith(prefix) or not entry.is_dir(follow_symlinks=False):
                continue
            if time.time() - entry.stat().st_mtime > _GRACE_S:
                with _unheld(entry.path) as folder:
                    shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _unheld(path: str) -> Iterator[str]:
    """A folder that nobody holds. Raises OSError for one that somebody does."""
    if not locks.available():  # Windows, where the folder of a program cannot be renamed
        os.rename(path, f"{path}-left")
        yield f"{path}-left"
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        locks.lock(fd, wait=False)
        yield path
    finally:
        os.close(fd)
