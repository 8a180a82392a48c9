"""Where a run ends although its experiment has not: how that is noticed from outside, and what is said of it.

Limits of virtual time and of bytes are the agent's, who meets them at the same place each time. The limit of
wall time is ours; so is the end of a guest that writes on although its agent should have stopped it.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from labkit.decode.commands import outputs
from labkit.decode.raw import Raw
from labkit.execute.machine.process import Process
from labkit.execute.machine.run_files import put
from labkit.execute.place import Place
from labkit.program.structs import LIMIT_CAPTURE, LIMIT_OUTPUT, LIMIT_TRACE, Kind
from labkit.spec import Experiment

CLOCK = "clock"
STOPPED, SIZE = "stopped", "size"
BEAT_S = 0.1
_OVERRUN_BYTES = 128 << 20  # of the raw file: what an agent writes after its limit is far less
_CONSOLE_BYTES = 16 << 20
_KEPT = "what was measured is in this error's `result`"


def wait(
    guest: Process, exp: Experiment, place: Place, progress: Callable[[float], object] | None = None
) -> tuple[str | None, bool]:
    """Until the guest has ended. Why it was ended ("stopped" or "size"; None: of itself), and whether one of
    its programs computed then. Past the limit of wall time it is asked to stop, and programs that keep it
    from that are ended; if it does not soon, it is killed."""
    deadline = time.monotonic() + exp.wall_limit
    while (left_s := deadline - time.monotonic()) > 0:
        if guest.wait(min(left_s, BEAT_S)):
            return None, False
        if overrun(guest.folder, exp.raw_limit):
            guest.kill()
            return SIZE, False
        if progress is not None:
            progress((guest.folder / CLOCK).lstat().st_size / 1000)
    put(guest.folder, "stop", b"")
    computed = False
    last = time.monotonic() + _grace_s(exp.wall_limit)
    while not guest.wait(BEAT_S):
        if time.monotonic() > last:
            guest.kill()
            break
        computed |= place.end_computing(guest)
    return STOPPED, computed


def _grace_s(wall_limit_s: float) -> float:
    """How long (s) a guest that was asked to stop may take: it looks after each second of its own time, and
    while a program floods it or when one was ended; one that is busy with something else never does."""
    return min(max(0.5, wall_limit_s / 10), 10.0)


def overrun(folder: Path, raw_limit: int) -> str:
    """What a guest has written far beyond any limit of its agent, or nothing."""
    for name, most, what in (
        ("raw", raw_limit + _OVERRUN_BYTES, "its raw file"),
        ("console", _CONSOLE_BYTES, "its console"),
    ):
        with contextlib.suppress(FileNotFoundError):
            if (size := (folder / name).lstat().st_size) > most:
                return f"the guest wrote {in_words(size)} to {what} (more than {in_words(most)})"
    return ""


def message(exp: Experiment, reason: str, virtual_s: float, said: str) -> str:
    """What to say of a run that was cut: which limit, and how to raise it. said: of a limit of bytes, or of
    what computed."""
    if reason == "limit":
        return f"not finished after {exp.time_limit:g} s of virtual time (time_limit): raise it; {_KEPT}"
    at = f"at {virtual_s:.3f} s of virtual time"
    if reason == STOPPED:
        after = f"{exp.wall_limit:g} s of wall time (wall_limit)"
        return f"stopped after {after}, {at}: {said or 'raise it'}; {_KEPT}"
    return f"stopped {at}: {said}; {_KEPT}"


def computing(raw: Raw, layout: Mapping[str, Any]) -> str:
    """Of a program that held the clock, by name if it was a command itself. layout: as in a manifest."""
    named = [
        f"{one['command']!r} on {one['host']}"
        for one in layout["commands"]
        if (output := outputs(raw).get(one["id"])) and output.status in (-signal.SIGILL, 128 + signal.SIGILL)
    ]
    who = named[0] if named else "a program of a command"
    return f"{who} computed without a system call, and the clock stands meanwhile: raise it if that ends"


def too_much(raw: Raw, layout: Mapping[str, Any], where: str = "Experiment") -> str:
    """Of what a program has written too much, and how to raise the limit. layout: as in a manifest; where:
    what has the limit as a field. Nothing, if it has met none."""
    records = raw.records(Kind.LIMIT)
    if not len(records):
        return ""
    head, ns = raw.heads(records)[0], int(records.ns[0])
    what, number, limit = int(head["what"]), int(head["id"]), int(head["limit"])
    name, field = "the run wrote", "raw_limit"
    if what == LIMIT_OUTPUT:
        command = next(one for one in layout["commands"] if one["id"] == number)
        name, field = f"{command['command']!r} on {command['host']} printed", "output_limit"
    elif what == LIMIT_CAPTURE:
        places = (
            f"{i['host']}.{i['name']}" for i in layout["interfaces"] if (i["ns"], i["index"]) == (ns, number)
        )
        name = f"the capture of {next(places)} wrote" if number else 'the probe "drops" wrote'
        field = "capture_limit"
    elif what == LIMIT_TRACE:
        name, field = "traces (of probes that keep every event) wrote", "trace_limit"
    more = f'{where}(..., {field}="{in_words(10 * limit).replace(" ", "")}")'
    return f"{name} more than {in_words(limit)} ({field}): raise it: {more}"


def in_words(size: int) -> str:
    """Bytes as a spec may have them: "100 MB", or all of its digits."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} B"
