"""Many chapters and shakes at once, each in a process of its own with its share of the processors."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scripts.claims.outcome import Measured

_PATIENCE_S = 10.0
Job = tuple[Path, int]


def measure_all(
    jobs: Iterable[Job], width: int, done: Callable[[Measured], object], reuse: bool = False
) -> None:
    """Measure every (chapter, shake), `width` at a time and in this order; done is called as each ends.

    reuse: results that the user's cache has are taken, and new ones are left there. Whatever ends this,
    KeyboardInterrupt too, ends what it has started. Raises RuntimeError for one that gave no outcome, after
    all others.
    """
    faults: list[str] = []
    asyncio.run(_all(list(jobs), width, done, faults, reuse))
    if faults:
        raise RuntimeError("\n".join(faults))


async def _all(
    jobs: list[Job], width: int, done: Callable[[Measured], object], faults: list[str], reuse: bool
) -> None:
    free: asyncio.Queue[str] = asyncio.Queue()
    for share in shares(sorted(os.sched_getaffinity(0)), width):
        free.put_nowait(",".join(map(str, share)))

    async def one(chapter: Path, shake: int) -> None:
        cpus = await free.get()
        try:
            done(await _measured(chapter, shake, cpus, reuse))
        except RuntimeError as error:
            faults.append(str(error))
        finally:
            free.put_nowait(cpus)

    async with asyncio.TaskGroup() as group:
        for job in jobs:
            group.create_task(one(*job))


def shares(cpus: list[int], width: int) -> list[list[int]]:
    """The processors that each of `width` processes has: all are shared out, none is left alone."""
    return [cpus[number::width] or [cpus[number % len(cpus)]] for number in range(width)]


async def _measured(chapter: Path, shake: int, cpus: str, reuse: bool) -> Measured:
    command = [sys.executable, "-m", "scripts.claims.one", str(chapter), str(shake), cpus]
    command += ["--reuse"] * reuse
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE, start_new_session=True)
    try:
        out, err = await process.communicate()
    except BaseException:
        await _end(process)
        raise
    if process.returncode:
        said = err.decode(errors="replace").strip()[-2000:]
        raise RuntimeError(f"{chapter.stem}, shake {shake}: gave no outcome: {said}")
    found: dict[str, Any] = json.loads(out)
    return Measured.of(found)


async def _end(process: Process) -> None:
    """It ends its kernel, which ends its guests; what has not within some seconds is killed."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), _PATIENCE_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
