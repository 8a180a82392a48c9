"""`labkit doctor --security`: which walls stand here around a guest, and around a notebook of course work,
found out by trying to get out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from labkit.doctor.checkup import Check
from labkit.doctor.security.escape_attempts import Attempt, Outside, outside, tried, tried_in_guest
from labkit.doctor.security.wasm_attempts import tried_in_program
from labkit.errors import LabkitError
from labkit.execute.guest.walls import NO_LANDLOCK, landlock
from labkit.execute.machine.system import has_keeper
from labkit.execute.wasm.engine import engine

_SEE = "see SECURITY.md: run only what you have read, or use a virtual machine"


def security() -> list[Check]:
    """A line a wall: "ok", all attempts were stopped; "no": some got out."""
    around = [*_around_guests(), *_around_course_work()] if has_keeper() else []
    return [*around, *_in_webassembly()]


def _around_guests() -> list[Check]:
    with outside() as target:
        return [_landlock(), *_in_its_stead(target), *_in_guest(target), _harmed(target)]


def _landlock() -> Check:
    version = landlock()
    if version:
        return Check("Landlock", "ok", f"version {version}")
    return Check("Landlock", "note", "not here", NO_LANDLOCK)


def _in_its_stead(target: Outside) -> Iterator[Check]:
    try:
        found = tried(target)
    except LabkitError as error:
        yield Check("walls", "no", str(error), "no experiment can run here", needed=True)
        return
    for wall, attempts in groupby(found, key=lambda attempt: attempt.wall):
        yield _check(wall, list(attempts))


def _in_guest(target: Outside) -> Iterator[Check]:
    try:
        found = tried_in_guest(target)
    except LabkitError as error:
        yield Check("from a guest", "note", f"not tried: {error}")
        return
    for wall, attempts in groupby(found, key=lambda attempt: attempt.wall):
        yield _check(wall, list(attempts))


def _around_course_work() -> Iterator[Check]:
    name = "course work"
    try:
        from labkit.course.sandbox.selftest import attempts  # what it needs comes with labkit[course]

        found = attempts()
    except (LabkitError, ModuleNotFoundError) as error:
        yield Check(name, "note", f"not tried: {error}")
        return
    for wall in found:
        todo = "" if wall.stands else "`labkit course grade` refuses here: see SECURITY.md"
        yield Check(f"{name}: {wall.name}", "ok" if wall.stands else "no", wall.seen, todo)


def _in_webassembly() -> Iterator[Check]:
    name = "WebAssembly"
    try:
        found = engine()
        program = found.command[0]
        if not found.as_program:  # node's own walls are around it, as a browser's
            yield Check(name, "note", f"not tried: {program} runs it, whose walls these are")
            return
        made = list(tried_in_program(program))
    except LabkitError as error:
        yield Check(name, "note", f"not tried: {error}")
        return
    for wall, attempts in groupby(made, key=lambda attempt: attempt[0]):
        results = [(what, stopped) for _, what, stopped in attempts]
        yield _said(wall, len(results), [what for what, stopped in results if not stopped])


def _check(wall: str, made: Sequence[Attempt]) -> Check:
    return _said(wall, len(made), [attempt.what for attempt in made if attempt.out])


def _said(wall: str, number: int, got_out: Sequence[str]) -> Check:
    if not got_out:
        return Check(wall, "ok", f"{number} attempts, each stopped", needed=True)
    said = f"{len(got_out)} of {number} attempts got out: {', '.join(got_out)}"
    return Check(wall, "no", said, _SEE, needed=True)


def _harmed(target: Outside) -> Check:
    if harmed := target.harmed():
        return Check("outside", "no", f"changed: {', '.join(harmed)}", _SEE, needed=True)
    return Check("outside", "ok", "nothing has changed", needed=True)
