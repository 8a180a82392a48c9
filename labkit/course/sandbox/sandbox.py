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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.course.roster import CourseError
from labkit.course.sandbox import bubblewrap, temporary_folders
from labkit.course.sandbox.bubblewrap import Limits
from labkit.course.sandbox.counted_time import CountedTime
from labkit.course.sandbox.groups import Groups, groups
from labkit.course.sandbox.inside import STARTED
from labkit.execute.artifacts.binaries import binaries
from labkit.schema import foreign_files

_INSIDE = ("-P", "-m", "labkit.course.sandbox.inside")
_LOOK_S = 0.25
_SAID = 4000
"""Bytes of what it said on stderr, the last ones."""
_BEING_MADE = shutil.ignore_patterns("making-*")
"""Of the cache of modules: a folder in which another process compiles just now."""
SLOW = 3
"""So many times its seconds a sandbox may take by the wall's clock, whatever others do meanwhile."""


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
    with (
        groups(limits.memory, limits.processes) as group,
        _reachable(shown) as (prelude, reached),
        bubblewrap.filtered() as filter_fd,
    ):
        line = bubblewrap.command(
            program, slot, limits, reached, cgroup="memory" in group.limited, filter_fd=filter_fd
        )
        running = subprocess.Popen(
            [str(binaries().sandbox), *map(str, group.procs), "--", *prelude, *line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", os.defpath)},
            pass_fds=(filter_fd,),
            start_new_session=True,  # Ctrl-C is the grader's: a notebook that is under way ends by itself
        )
        said = bytearray()
        try:
            data, stopped = _read(running, limits, bubblewrap.processor(slot), group, said)
        finally:
            running.kill()  # bwrap dies with it, and all that is inside with bwrap
            status = running.wait()
        return Sent(data, stopped, status, said.decode(errors="replace"))


def _read(
    running: subprocess.Popen[bytes], limits: Limits, processor: int, group: Groups, said: bytearray
) -> tuple[bytes, str]:
    """Until it ends, has said too much, or its time is over. said: the end of what came on stderr."""
    assert running.stdout is not None and running.stderr is not None
    spent, data = CountedTime(running.pid, processor, group.used), bytearray()
    over = f"the notebook was stopped after {limits.seconds:g} s"
    with running.stdout as answers, running.stderr as errors, selectors.DefaultSelector() as selector:
        selector.register(answers, selectors.EVENT_READ)
        selector.register(errors, selectors.EVENT_READ)
        while spent.look() < limits.seconds:
            if spent.elapsed > SLOW * limits.seconds:
                raise CourseError(
                    f"this machine was too slow: others had the processor for {spent.others:.0f} of "
                    f"{spent.elapsed:.0f} s: grade again with less else to do, or fewer --workers"
                )
            if not selector.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    running.wait(_LOOK_S)
                    return bytes(data), "" if spent.look() < limits.seconds else over
            for key, _ in selector.select(_LOOK_S):
                if more := os.read(key.fd, 65536):
                    into = data if key.fileobj is answers else said
                    into += more
                else:
                    selector.unregister(key.fileobj)
            del said[:-_SAID]
            if len(data) > limits.answers:
                return b"", "the notebook was stopped: it sent more than it may hand in"
    return b"", over


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
