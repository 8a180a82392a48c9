"""run(experiment): carry it out in a place, and hand out its Result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from labkit.errors import LimitReached
from labkit.execute.place import Place
from labkit.execute.run.execution import Progress, execute
from labkit.spec import Experiment

if TYPE_CHECKING:
    from labkit.results.result import Result


def run(
    exp: Experiment, *, cache: bool = True, place: str | Place | None = None, progress: Progress | None = None
) -> Result:
    """Run an experiment and return its Result.

    cache=False runs it even if a result is at hand. place: "wasm" or "guest" (the lab kernel in virtual time,
    as WebAssembly or as User-Mode Linux: the same numbers), by default the first that is here and can do it;
    or "host" (real time on this machine's own kernel; two at once that probe trace events find each other's
    in their tables). `Result.place` says which it was. progress: called ten times a second with the virtual
    time reached (s); what it raises ends the run, and nothing of it stays. Raises LimitReached, which holds
    what was measured, when the run meets its time_limit or wall_limit; AgentError when the kernel refuses a
    step; LabKernelError when the kernel dies; UnsupportedError; SetupError.
    """
    try:
        folder, limit = execute(exp, cache=cache, place=place, progress=progress), None
    except LimitReached as error:
        folder, limit = cast("Path", error.result), str(error)
    from labkit.results.result import Result  # its pandas was loaded while the guest ran (see execute)

    if limit is not None:
        raise LimitReached(limit, Result(folder))
    return Result(folder)
