"""Congestion controls that students wrote: compiled and driven in a sandbox, judged by what arrived."""

from __future__ import annotations

import functools
import json
import re
import sys
from dataclasses import dataclass
from typing import Any

from labkit.course.imports import PARTS_OF_RENO, allowed
from labkit.course.roster import CourseError
from labkit.course.sandbox import temporary_folders
from labkit.course.sandbox.bubblewrap import HANDOUT, MIB, Limits
from labkit.course.sandbox.driving import SOURCE, TASK, arrived
from labkit.course.sandbox.sandbox import after_start, confined
from labkit.results.run import run
from labkit.spec import Experiment

LONGEST = 20_000
"""Characters of a source."""
_UNCAUGHT = 1
"""Python's exit status after an exception: of our own program in the sandbox, so no student's fault."""
_LIMITS = Limits(seconds=180, answers=16 * MIB)
_TWO_LINES = re.compile(r"\\\s*\n|\?\?/")
"""What the compiler reads as one line, and a reader does not."""
_COMMENT = re.compile(
    r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
    r"|(?P<literal>\"(?:\\[\s\S]|[^\"\\\n])*\"?|'(?:\\[\s\S]|[^'\\\n])*'?)"
)
"""And what may hold the like of one. Whatever begins ends: the time is that of the source's length."""
_DIRECTIVES = "define|undef|if|ifdef|ifndef|elif|else|endif"
_REFUSED = re.compile(
    rf"##|%:|\?\?=|^[ \t\f\v]*#(?![ \t]*(?:{_DIRECTIVES})\b)[ \t]*\w*|\b_*asm\w*|\.incbin", re.MULTILINE
)
"""Other files, and instructions of the processor."""


@dataclass(frozen=True)
class Driven:
    """error: of the compiler, the module, or the sandbox, for its author; runs: data at the far end."""

    error: str
    runs: tuple[dict[str, list[int]], ...]


def objection(source: str) -> str:
    """Why a source is not even compiled, or nothing. What it may call is seen afterwards (imports.py)."""
    if len(source) > LONGEST:
        return f"{len(source):,} characters: {LONGEST:,} at most"
    text = _COMMENT.sub(lambda found: found["literal"] or " ", source)
    if found := _TWO_LINES.search(source) or _REFUSED.search(text):
        return f"{found[0]!r} may not be in it"
    return ""


@functools.lru_cache(maxsize=256)
def driven(
    source: str,
    experiments: tuple[Experiment, ...],
    slot: int = 0,
    *,
    may_take: frozenset[str] = PARTS_OF_RENO,
) -> Driven:
    """Compile and drive it over all of them, in one sandbox: every flow of theirs takes it. may_take: from
    the kernel, beside arithmetic. Raises CourseError when no sandbox starts, the machine is too slow, or the
    lab itself fails."""
    if said := objection(source):
        return Driven(said, ())
    with temporary_folders.folder() as folder:
        (folder / SOURCE).write_text(source)
        described = [exp.model_dump(mode="json", context="canonical") for exp in experiments]
        task = {"experiments": described, "may_take": sorted(allowed(may_take))}
        (folder / TASK).write_text(json.dumps(task))
        program = [f"{sys.prefix}/bin/python", "-P", "-m", "labkit.course.sandbox.driving"]
        sent = confined(program, _LIMITS, {HANDOUT: folder}, slot)
    if sent.stopped:
        return Driven(sent.stopped.replace("the notebook", "it"), ())
    text = after_start(sent)
    try:
        found: Any = json.loads(text)
        runs = tuple({str(name): list(map(int, one[name])) for name in one} for one in found["runs"])
        return Driven(str(found["error"])[:2000], runs)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        last = sent.said.rstrip().rpartition("\n")[2]
        if sent.status == _UNCAUGHT and not last.startswith("MemoryError"):
            raise CourseError(f"the lab failed while it drove this: {last}") from None
        return Driven("the sandbox ended without a result: was it out of memory?", ())


@functools.lru_cache(maxsize=64)
def kernels_own(cc: str, experiments: tuple[Experiment, ...]) -> tuple[dict[str, list[int]], ...]:
    """The same with an algorithm of the kernel's, run here."""
    return tuple(
        arrived(run(exp.replace(flows=[flow.replace(cc=cc) for flow in exp.flows]))) for exp in experiments
    )


def alike(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The share of the first packets of two runs that are the same: their time (to a us) and their number.
    From the first on that differs, all that follows does, as a rule."""
    a = list(zip(one["at_us"], one["seq"], strict=True))
    b = list(zip(other["at_us"], other["seq"], strict=True))
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return same / max(len(a), len(b), 1)


__all__ = ["Driven", "alike", "driven", "kernels_own", "objection"]
