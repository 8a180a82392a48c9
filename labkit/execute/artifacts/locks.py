"""Advisory locks on open files, which end with whoever holds them. Windows has none."""

from __future__ import annotations

from importlib.util import find_spec


def available() -> bool:
    """Whether this system has them."""
    try:
        return find_spec("fcntl") is not None
    except ValueError:  # hidden by a test
        return False


def lock(fd: int, *, wait: bool = True, shared: bool = False) -> None:
    """An exclusive lock on an open file, or one of many shared ones, which exclude that. Raises
    BlockingIOError if another is in the way and wait is False."""
    import fcntl

    fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def unlock(fd: int) -> None:
    """Give it back before the file is closed."""
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_UN)
