"""run(experiment): carry it out in a place, and hand out its Result."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, cast

from labkit.errors import CommandWarning, LimitReached
from labkit.execute.place import Place
from labkit.execute.run.execution import Progress, execute
from labkit.spec import Experiment

if TYPE_CHECKING:
    from labkit.results.result import Result

_SHOWN = 500
"""Characters of what a failed command wrote."""


def run(
    exp: Experiment, *, cache: bool = True, place: str | Place | None = None, progress: Progress | None = None
) -> Result:
    """Run an experiment and return its Result.

    cache=False runs it even if a result is at hand. place: "wasm" or "guest" (the lab kernel in virtual time,
    as WebAssembly or as User-Mode Linux: the same numbers), by default the first that is here and can do it;
    or "host" (real time on this machine's own kernel; two at once that probe trace events find each other's
    in their tables). `Result.place` says which it was. progress: called ten times a second with the virtual
    time reached (s); what it raises ends the run, and nothing of it stays. Warns (CommandWarning) of each
    command that failed. Raises LimitReached, which holds what was measured, when the run meets its time_limit
    or wall_limit; AgentError when the kernel refuses a step; LabKernelError when the kernel dies;
    UnsupportedError; SetupError.
    """
    try:
        folder, limit = execute(exp, cache=cache, place=place, progress=progress), None
    except LimitReached as error:
        folder, limit = cast("Path", error.result), str(error)
    from labkit.results.result import Result  # its pandas was loaded while the guest ran (see execute)

    result = Result(folder)
    for text in failures(result):
        warnings.warn(text, CommandWarning, stacklevel=2)
    if limit is not None:
        raise LimitReached(limit, result)
    return result


def failures(result: Result) -> list[str]:
    """Of each command that failed: which, its status, and the end of what it wrote to stderr."""
    texts = []
    for row in result.failed_commands.to_dict("records"):
        said, status = row["stderr"].strip(), row["status"]
        said = f": {said if len(said) <= _SHOWN else '...' + said[-_SHOWN:]}" if said else ""
        how = f"exit status {status}" if status >= 0 else f"ended by signal {-status}"
        what = f"command {row['command']!r} on {row['host']} failed"
        texts.append(f"{what}: {how}{said} (if it may fail: Command(..., check=False))")
    return texts
