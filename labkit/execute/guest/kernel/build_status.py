"""How a build of the lab kernel is going, or how it ended, for other processes: a file beside its lock."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts.locks import lock, unlock
from labkit.execute.session.progress import Report, bar

LOCK, FILE = "lock", "status.json"
_BEAT_S = 0.1


@dataclass(frozen=True)
class BuildStatus:
    """done: of `total` steps, since `began` (seconds of the epoch). command: what builds, or has built.
    failed: why there is no kernel of it."""

    command: str = ""
    done: int = 0
    total: int = 1
    what: str = "building the lab kernel"
    began: float = dataclasses.field(default_factory=time.time)
    failed: str = ""

    def __str__(self) -> str:
        share = min(self.done / max(self.total, 1), 1.0)
        said = f"{self.what}, {100 * share:.0f} %"
        if share < 0.05:
            return said
        left_s = (time.time() - self.began) * (1 - share) / share
        return (
            f"{said}, about {left_s / 60:.0f} min to go" if left_s > 90 else f"{said}, {left_s:.0f} s to go"
        )


@contextlib.contextmanager
def published(root: Path, command: str, report: Report) -> Iterator[Report]:
    """What is reported inside is there for others to read; so is why it failed. Whoever holds the lock may
    call this. A build that is killed leaves its last words."""
    status = BuildStatus(command)

    def both(done: int, total: int, what: str) -> None:
        nonlocal status
        began = status.began if total == status.total else time.time()
        status = BuildStatus(command, done, total, what, began)
        _write(root, status)
        report(done, total, what)

    _write(root, status)
    try:
        yield both
    except SetupError as error:
        _write(root, dataclasses.replace(status, failed=str(error)))
        raise
    (root / FILE).unlink()


def running(root: Path) -> BuildStatus | None:
    """The build that somebody is at there now; None: nobody is, or somebody whose cache we cannot read. Its
    lock tells, which ends with its last process, however it ends."""
    try:
        file = (root / LOCK).open()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    with file:
        try:
            lock(file.fileno(), wait=False, shared=True)
        except BlockingIOError:
            return last(root) or BuildStatus()
        unlock(file.fileno())
    return None


def last(root: Path) -> BuildStatus | None:
    """What a build has said last; None: there was none, or it has made its kernel, or it was another labkit's
    and says other things."""
    try:
        return BuildStatus(**json.loads((root / FILE).read_bytes()))
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError, TypeError):
        return None


def wait(root: Path, command: str, beat: Callable[[], object] | None = None) -> bool:
    """Until nobody builds there by this command any more; returns whether somebody did.

    A bar says how long it takes, or beat does: it is called ten times a second, and what it raises ends the
    wait.
    """
    if not (status := running(root)) or status.command not in ("", command):
        return False
    shown = bar(lines=True, began=status.began) if beat is None else contextlib.nullcontext(_silent)
    with shown as report:
        going: BuildStatus | None = status
        while going:
            status = going
            report(status.done, status.total, status.what)
            if beat is not None:
                beat()
            time.sleep(_BEAT_S)
            going = running(root)
        if last(root) is None:  # in a notebook a bar that ends before its end turns red, and stays
            report(status.total, status.total, status.what)
    return True


def _silent(done: int, total: int, what: str) -> None:
    """Somebody else says it."""


def _write(root: Path, status: BuildStatus) -> None:
    """As a whole: a reader never finds half of it."""
    part = root / f".{FILE}"
    part.write_text(json.dumps(dataclasses.asdict(status)))
    os.replace(part, root / FILE)
