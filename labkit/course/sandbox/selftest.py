"""Whether the walls stand on this machine: tried before anybody is graded. One that is missing ends it."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from labkit.course.roster import CourseError
from labkit.course.sandbox import groups, temporary_folders
from labkit.course.sandbox.bubblewrap import HANDOUT, MIB, Limits
from labkit.course.sandbox.sandbox import SLOW, confined
from labkit.execute.host.host_place import no_namespaces

WALLS = (
    *("no network", "no rights", "no user namespace", "nothing of the grader's", "read-only"),
    *("no other processes", "no keys", "few sockets", "few system calls", "an environment of its own"),
    *("limit of files", "limit of processes", "limit of memory"),
    "limit of time",
)
_PROBING = Path(__file__).with_name("probing.py")
_SHORT_S, _MARGIN_S = 1.0, 15.0
_HIDING = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        while time.process_time() < 0.08:
            pass
        os._exit(0)
    time.sleep(0.08)
"""
"""Work by children for whom nobody waits, so that nobody is told of their time."""
_HELP = {
    "limit of memory": ": only a cgroup can: systemd-run --user --scope labkit course grade ...",
}


@dataclass(frozen=True)
class Wall:
    """One wall: whether it stands, and what the attempt to get through it saw."""

    name: str
    stands: bool
    seen: str


def attempts(limits: Limits | None = None) -> tuple[Wall, ...]:
    """Try every wall, with limits that are reached soon. Raises CourseError when no sandbox starts at all."""
    limits = limits or Limits(seconds=60, memory=256 * MIB, processes=64, folder=32 * MIB)
    with temporary_folders.folder() as folder:  # by the file's mode alone it could be read
        secret, handout = folder / "secret", folder / "handout"
        secret.write_text("what only the grader may read\n")
        secret.chmod(0o644)
        handout.mkdir()
        shown = {HANDOUT: handout, "/probing.py": _PROBING}
        numbers = [str(number) for number in (limits.memory, limits.processes, limits.folder)]
        program = [f"{sys.prefix}/bin/python", "-I", "/probing.py", str(secret), *numbers]
        sent = confined(program, limits, shown)
        timed = _timed(replace(limits, seconds=_SHORT_S), shown)
    found = []
    for line in sent.data.decode(errors="replace").splitlines():
        row = json.loads(line)
        found.append(Wall(row["wall"], row["stands"], row["seen"]))
    if not found:
        said = " ".join(sent.said.split())[:400] or sent.stopped or f"status {sent.status}"
        why = no_namespaces(said) if said.startswith("bwrap: ") else said
        raise CourseError(f"no sandbox starts here, and nobody is graded without: {why}")
    return (*found, timed)


def _timed(limits: Limits, shown: dict[str, Path]) -> Wall:
    """Whether what sleeps, and what hides its work, is stopped in time."""
    seen, stands = [], True
    for program in (["sleep", "60"], [f"{sys.prefix}/bin/python", "-I", "-c", _HIDING]):
        begun = time.monotonic()
        try:
            stopped = bool(confined(program, limits, shown).stopped)
        except CourseError:  # others had the processor: until the wall's own limit
            stopped = True
        took = time.monotonic() - begun
        stands = stands and stopped and took < SLOW * limits.seconds + _MARGIN_S
        seen.append(f"{took:.1f} s")
    return Wall("limit of time", stands, f"after {' and '.join(seen)}, of {limits.seconds:g}")


def require_walls(*, weak: bool = False) -> tuple[Wall, ...]:
    """Raises CourseError naming each wall that does not stand here: then nobody is graded, unless weak: then
    it is said on stderr. What killed graders left is removed first."""
    temporary_folders.sweep()
    groups.sweep()
    found = attempts()
    standing = {wall.name for wall in found if wall.stands}
    seen = {wall.name: wall.seen for wall in found}
    if missing := [
        f"{name} ({seen.get(name, 'never came to it')}{_HELP.get(name, '')})"
        for name in WALLS
        if name not in standing
    ]:
        said = f"walls are missing here: {'; '.join(missing)}"
        if not weak:
            raise CourseError(f"nobody was graded, as {said}. --weak-sandbox grades without them")
        print(f"labkit: graded all the same: {said}", file=sys.stderr)
    return found
