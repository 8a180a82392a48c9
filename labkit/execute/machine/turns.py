"""A line in front of the processors: whose guest runs now, so that thirty students' runs do not all take
thirty times as long, but come one after another.

A processor is taken by binding a socket to a name that it has in the abstract namespace, which the kernel
keeps (unix(7)): for all users of the machine (or of the container, if that has a network of its own), with
no file and no daemon; it ends with whoever holds it. Pinned to one processor, guest kernel and guest process
hand over to each other without waking another: on a machine with time to spare a run costs a third less.

Nobody is kept from running by others, whatever they do: who waits goes without a processor of their own when
the line has not moved for a second, when a processor idles, and after ten seconds in any case. Then the
system's scheduler shares them as it does for everybody.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import random
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from labkit.execute.machine import processors

_NAME = "labkit-processor-{}"
_STILL_S, _PATIENCE_S = 1.0, 10.0
_BEAT_S = 0.1
_PAUSE_S = 0.05  # at first; who has waited longer looks more often, and so comes first more often
_IDLE = 0.5  # share of the last tenth of a second


@dataclass(frozen=True)
class Processor:
    """cpu: its number; -1: any. fd: what holds it for us; whoever has a copy of it holds it, too."""

    cpu: int
    fd: int


@contextlib.contextmanager
def unheld(cpu: int) -> Iterator[Processor]:
    """A processor that others may take at the same time: of an open laboratory, which mostly waits."""
    fd = os.open(os.devnull, os.O_RDONLY)
    try:
        yield Processor(cpu, fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def turn(waiting: Callable[[], object] | None = None) -> Iterator[Processor]:
    """A processor, as soon as it is our turn. waiting: called ten times a second meanwhile; what it raises
    ends the wait."""
    try:
        held = _taken() or _wait(waiting)
    except _NoLineError:
        held = None
    if held is None:
        with unheld(-1) as any_of_them:
            yield any_of_them
        return
    cpu, holder = held
    with holder:
        yield Processor(cpu, holder.fileno())


class _NoLineError(Exception):
    """This place has no such names (another system, a sandbox without sockets), or no descriptor for one."""


Held = tuple[int, socket.socket]


def _taken() -> Held | None:
    """One that nobody holds, the one that we are on first; None: each is held."""
    if platform.system() != "Linux":
        raise _NoLineError
    here = processors.here()
    allowed = list(os.sched_getaffinity(0))
    random.shuffle(allowed)
    for cpu in sorted(allowed, key=lambda cpu: cpu != here):
        with contextlib.ExitStack() as failed:
            try:
                holder = failed.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                holder.bind("\0" + _NAME.format(cpu))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise _NoLineError from None
                continue  # somebody has it
            failed.pop_all()
            return cpu, holder
    return None


def _wait(waiting: Callable[[], object] | None) -> Held | None:
    """None: we have waited long enough."""
    began = moved = beat = time.monotonic()
    holders, idle = _holders(), _idle_s()
    while (now := time.monotonic()) - began < _PATIENCE_S and now - moved < _STILL_S:
        if now - beat >= _BEAT_S:
            if waiting is not None:
                waiting()
            if (found := _holders()) != holders:
                holders, moved = found, now
            before, idle = idle, _idle_s()
            if any(idle.get(cpu, was) - was > _IDLE * (now - beat) for cpu, was in before.items()):
                return _taken()
            beat = now
        time.sleep(random.uniform(0.5, 1.5) * _PAUSE_S / (1 + now - began))
        if held := _taken():
            return held
    return None


def _holders() -> set[tuple[str, str]]:
    """Names of processors and the sockets that hold them now: they change when the line moves."""
    try:
        lines = Path("/proc/net/unix").read_text(errors="replace").splitlines()
    except OSError:
        return set()
    prefix = "@" + _NAME.format("")
    held = (line.split(maxsplit=7)[6:] for line in lines if prefix in line)
    return {(name, inode) for inode, name in (one for one in held if len(one) == 2)}


def _idle_s() -> dict[int, float]:
    """Seconds that each of our processors has idled since the machine began: proc(5), stat."""
    ticks = os.sysconf("SC_CLK_TCK")
    try:
        lines = Path("/proc/stat").read_text().splitlines()
    except OSError:
        return {}
    rows = (line.split() for line in lines if line.startswith("cpu") and not line.startswith("cpu "))
    mine = os.sched_getaffinity(0)
    return {cpu: int(row[4]) / ticks for row in rows if (cpu := int(row[0][3:])) in mine}
