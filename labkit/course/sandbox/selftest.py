"""Whether the walls stand on this machine: tried before anybody is graded. One that is missing ends it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from labkit.course.roster import CourseError
from labkit.course.sandbox import groups, temporary_folders
from labkit.course.sandbox.bubblewrap import HANDOUT, MIB, Limits
from labkit.course.sandbox.sandbox import confined
from labkit.execute.host.host_place import no_namespaces

WALLS = (
    *("no network", "no rights", "no user namespace", "nothing of the grader's", "read-only"),
    *(
        "no other processes",
        "an environment of its own",
        "limit of files",
        "limit of processes",
        "limit of memory",
    ),
    "limit of time",
)
_PROBING = Path(__file__).with_name("probing.py")
_SHORT_S = 1.0


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
        sleeper = confined(["sleep", "60"], replace(limits, seconds=_SHORT_S), shown)
    found = []
    for line in sent.data.decode(errors="replace").splitlines():
        row = json.loads(line)
        found.append(Wall(row["wall"], row["stands"], row["seen"]))
    if not found:
        said = " ".join(sent.said.split())[:400] or sent.stopped or f"status {sent.status}"
        why = no_namespaces(said) if said.startswith("bwrap: ") else said
        raise CourseError(f"no sandbox starts here, and nobody is graded without: {why}")
    found.append(Wall("limit of time", bool(sleeper.stopped), sleeper.stopped or "it was not stopped"))
    return tuple(found)


def require_walls() -> tuple[Wall, ...]:
    """Raises CourseError naming each wall that does not stand here: then nobody is graded. What killed
    graders left is removed first."""
    temporary_folders.sweep()
    groups.sweep()
    found = attempts()
    standing = {wall.name for wall in found if wall.stands}
    seen = {wall.name: wall.seen for wall in found}
    if missing := [
        f"{name} ({seen.get(name, 'never came to it')})" for name in WALLS if name not in standing
    ]:
        raise CourseError(f"nobody was graded, as walls are missing here: {'; '.join(missing)}")
    return found
