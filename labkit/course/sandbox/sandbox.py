"""Run a program within the walls and take what it sends, for so long and so much of it. Nothing stays
behind."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.course.roster import CourseError
from labkit.course.sandbox import bubblewrap, temporary_folders
from labkit.course.sandbox.bubblewrap import Limits
from labkit.course.sandbox.cpu_time import CpuTime
from labkit.course.sandbox.groups import groups
from labkit.course.sandbox.inside import STARTED
from labkit.schema import foreign_files

_ENTER = 'for f in $GROUPS_; do echo $$ > "$f" || exit 97; done; unset GROUPS_; exec "$@"'
_INSIDE = ("-P", "-m", "labkit.course.sandbox.inside")
_LOOK_S = 0.25
_SAID = 4000
"""Bytes of what it said on stderr, the last ones."""
_BEING_MADE = shutil.ignore_patterns("making-*")
"""Of the cache of modules: a folder in which another process compiles just now."""
_SLOW = 10
"""So many times its seconds a sandbox may take by the wall's clock; then the machine is at fault."""


@dataclass(frozen=True)
class Sent:
    """What came out: bytes, why it ended ("" if by itself), the exit status, the last of what it said on
    stderr."""

    data: bytes
    stopped: str
    status: int
    said: str


@dataclass(frozen=True)
class HandedIn:
    """text: of answers.json, None if there is none; problem: what the student is told about the notebook's
    run."""

    text: str | None
    problem: str


def notebook(path: Path, handout: Path, limits: Limits, slot: int = 0) -> HandedIn:
    """Execute a submission. What it says is data of a stranger's, the text of a problem too. Raises
    CourseError when the machine is at fault: no sandbox started, or it got no processor."""
    with _copied(path, handout) as shown:
        sent = confined([f"{sys.prefix}/bin/python", *_INSIDE], limits, shown, slot)
    if sent.stopped:
        return HandedIn(None, sent.stopped)
    said = after_start(sent)
    try:
        found: Any = json.loads(said)
        text, problem = found["answers"], str(found["problem"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return HandedIn(
            None, "the notebook ended without handing anything in: was it killed for want of memory?"
        )
    if problem:
        return HandedIn(None, f"the notebook does not run to its end: {problem}")
    if not isinstance(text, str):
        return HandedIn(None, "the notebook wrote no answers.json: end it with hand_in(...)")
    return HandedIn(text, "")


def after_start(sent: Sent) -> bytes:
    """What a program sent after STARTED, with which it begins before it reads anything of a student's. Raises
    CourseError when that never came: the machine is at fault."""
    if not sent.data.startswith(STARTED):
        raise CourseError(f"no sandbox started: {' '.join(sent.said.split()) or f'status {sent.status}'}")
    return sent.data.removeprefix(STARTED)


def confined(program: Sequence[str], limits: Limits, shown: dict[str, Path], slot: int = 0) -> Sent:
    """Run a program within the walls. Raises CourseError when a tool is missing or the machine too slow,
    OSError."""
    bubblewrap.require_tools()
    with groups(limits.memory, limits.processes) as group, _reachable(shown) as (prelude, reached):
        line = bubblewrap.command(program, slot, limits, reached, cgroup="memory" in group.limited)
        files = " ".join(str(path) for path in group.procs)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "GROUPS_": files}
        command = ["sh", "-c", _ENTER, "sh", *prelude, *line]
        with tempfile.TemporaryFile() as said:
            running = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                env=environment,
                start_new_session=True,  # Ctrl-C is the grader's: a notebook that is under way ends by itself
            )
            try:
                data, stopped = _read(running, limits)
            finally:
                running.kill()  # bwrap dies with it, and all that is inside with bwrap
                status = running.wait()
            said.seek(max(said.seek(0, os.SEEK_END) - _SAID, 0))
            return Sent(data, stopped, status, said.read().decode(errors="replace"))


def _read(running: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, str]:
    """Until it ends, has said too much, or its time is over."""
    assert running.stdout is not None
    spent, until, data = CpuTime(running.pid), time.monotonic() + _SLOW * limits.seconds, bytearray()
    with running.stdout, selectors.DefaultSelector() as selector:
        selector.register(running.stdout, selectors.EVENT_READ)
        open_ = True
        while spent.look() < limits.seconds:
            if time.monotonic() > until:
                raise CourseError(
                    f"this machine was too slow: {spent.seconds:.0f} s of work took more than "
                    f"{_SLOW * limits.seconds:.0f} s: grade again with less else to do, or fewer --workers"
                )
            if not open_:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(_LOOK_S)
                    return bytes(data), ""
            elif selector.select(_LOOK_S):
                more = os.read(running.stdout.fileno(), 65536)
                open_, data = bool(more), data + more
                if len(data) > limits.answers:
                    return b"", "the notebook was stopped: it sent more than it may hand in"
    return b"", f"the notebook was stopped after {limits.seconds:g} s"


@contextlib.contextmanager
def _copied(path: Path, handout: Path) -> Iterator[dict[str, Path]]:
    """The submission as a file of ours, whatever may become of the original meanwhile."""
    with temporary_folders.folder() as folder:
        mine = folder / "submission.ipynb"
        mine.write_bytes(foreign_files.content(path))
        mine.chmod(0o644)
        yield {bubblewrap.SUBMISSION: mine, bubblewrap.HANDOUT: handout}


@contextlib.contextmanager
def _reachable(shown: dict[str, Path]) -> Iterator[tuple[list[str], dict[str, Path]]]:
    """For a grader who is root: the sandbox's user may not walk through root's folders to what is shown, so
    all of it is mounted under one that it may, in a namespace of mounts of its own, which ends with it."""
    wanted = {**bubblewrap.python(), **bubblewrap.lab(), **shown}
    if os.geteuid():
        yield [], shown
        return
    with temporary_folders.folder() as folder:
        reached, steps = {}, []
        for number, (inside, path) in enumerate(wanted.items()):
            point = folder / str(number)
            reached[inside] = point
            if inside in bubblewrap.SMALL:  # with folders that only their owner may enter: a copy
                shutil.copytree(path, point, copy_function=shutil.copy, ignore=_BEING_MADE)
                _readable(point)
                continue
            point.mkdir() if path.is_dir() else point.touch()
            steps += ["mount", "--bind", str(path), str(point)]
        script = (
            'n=$1; shift; while [ "$n" -gt 0 ]; do mount --bind "$3" "$4" || exit 98; '
            'shift 4; n=$((n-1)); done; exec "$@"'
        )
        yield (
            [
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                script,
                "sh",
                str(len(steps) // 4),
                *steps,
            ],
            reached,
        )


def _readable(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
