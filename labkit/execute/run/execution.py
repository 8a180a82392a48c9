"""From an experiment to a folder with raw file and manifest: compile, carry out in a place, keep."""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import itertools
import json
import os
import platform
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from labkit.compile.compiler import Compiled, compile_experiment
from labkit.compile.volume import warn_if_large
from labkit.decode.folder import MANIFEST, MANIFEST_FORMAT, seal, sha256
from labkit.decode.raw import Raw
from labkit.errors import LabKernelError, LabkitError, LimitReached, SetupError
from labkit.errors.strangers_text import quoted
from labkit.execute.artifacts import cache as cache_folder
from labkit.execute.artifacts import store
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.artifacts.whole import damaged, spoilt
from labkit.execute.default_place import default_place
from labkit.execute.guest.custom_cc.finding import finding
from labkit.execute.machine import cgroups, shortage
from labkit.execute.machine.memory import Needs
from labkit.execute.machine.process import Content, Process
from labkit.execute.machine.run_files import folder_beside, open_written
from labkit.execute.machine.turns import turn
from labkit.execute.place import Identity, Place
from labkit.execute.places import place_of
from labkit.execute.run import limits, visible_files
from labkit.execute.run.faults import raise_agent_error
from labkit.execute.session.shaking import entered
from labkit.program.structs import Kind
from labkit.spec import Experiment

_RAW = "raw"
Progress = Callable[[float], object]


def execute(
    exp: Experiment, *, cache: bool = True, place: str | Place | None = None, progress: Progress | None = None
) -> Path:
    """Carry out an experiment; returns the folder of its result, which is in the cache.

    cache=False runs it even if a result is at hand. Others' runs may come first (see turns.py). progress:
    called ten times a second with the virtual time reached (s), 0 until it begins; what it raises ends the
    run, and nothing of it stays. Raises LimitReached, whose `result` is then the folder of what was measured;
    AgentError when the kernel refuses a step; LabKernelError when the guest dies; UnsupportedError;
    SetupError; SpecError.
    """
    exp = entered(exp)
    where, compiled = _placed(exp, place)
    waiting = partial(progress, 0.0) if progress else None
    where.ready(waiting)
    modules = where.modules(compiled.modules)
    identity = identify(exp, compiled, where, modules)
    name = store.key(identity)
    if cache and where.virtual_time and (found := store.find(name)) is not None:
        return found
    warn_if_large(exp, shutil.disk_usage(cache_folder.folder("runs")).free)
    files = run_files(exp, compiled, modules, identity) | ({limits.CLOCK: b""} if progress else {})
    with contextlib.ExitStack() as stack:
        mine = stack.enter_context(turn(waiting)) if where.virtual_time else None
        started = time.monotonic()
        guest = stack.enter_context(where.start(files, Needs.of(exp, compiled), mine))
        # Meanwhile: these, and pandas with them, take longer to load than many a run.
        import labkit.decode.counters
        import labkit.decode.trace  # noqa: F401

        return _finish(guest, where, exp, compiled, identity, name, started, progress)


def _placed(exp: Experiment, place: str | Place | None) -> tuple[Place, Compiled]:
    """Where it is carried out, which has looked at it, and as what."""
    if place is None:  # those that are chosen of have a kernel of their own
        compiled = compile_experiment(exp)
        return default_place(exp, Needs.of(exp, compiled)), compiled
    where = place_of(place)
    where.check(exp)
    return where, compile_experiment(exp, where.target())


def run_files(
    exp: Experiment, compiled: Compiled, modules: Mapping[str, bytes], identity: Identity
) -> dict[str, Content]:
    """What a run finds in its folder. Laying it there raises SpecError if a shown file has changed since."""
    return {"program": compiled.program, **modules, **visible_files.contents(exp, identity.get("shown", {}))}


def identify(
    exp: Experiment, compiled: Compiled, place: Place, modules: Mapping[str, bytes], *, opened: bool = False
) -> Identity:
    """Everything that decides the bytes of a result. opened: it is an open laboratory."""
    own = place.identity()
    return {
        "format": MANIFEST_FORMAT,
        "spec_digest": exp.digest(),
        "program_sha256": hashlib.sha256(compiled.program).hexdigest(),
        "place": place.name,
        "virtual_time": place.virtual_time,
        "open": opened,
        "agent": own.get("agent") or {"key": binaries().key},
        "modules": {name: hashlib.sha256(data).hexdigest() for name, data in modules.items()},
        **own,
        **({"shown": visible_files.digests(exp)} if exp.files else {}),
    }


def _finish(
    guest: Process,
    where: Place,
    exp: Experiment,
    compiled: Compiled,
    identity: Identity,
    name: str,
    started: float,
    progress: Progress | None,
) -> Path:
    """Wait for the end and make the result's folder inside the run folder, so that it moves as one."""
    cut, computed = limits.wait(guest, exp, where, progress)
    wall_s = time.monotonic() - started
    end = _end(guest, exp, compiled, cut, computed)
    measured = {"virtual_s": end.virtual_s, "wall_s": round(wall_s, 6), "end": {"reason": end.reason}}
    folder = write_result(guest, manifest(identity, exp, compiled.sysctls, compiled.layout) | measured)
    if end.reason in ("limit", limits.STOPPED, limits.SIZE):
        with shortage.explained():
            kept = store.keep(folder, f"{name}-cut")
        raise LimitReached(limits.message(exp, end.reason, end.known_s, end.said), kept)
    with shortage.explained():
        kept = store.keep(folder, name)
    _prune_sometimes(kept)
    return kept


@dataclass(frozen=True)
class _End:
    """virtual_s: None where the agent did not come to its end; known_s: up to there something is known."""

    reason: str
    virtual_s: float | None
    known_s: float
    said: str


def _end(guest: Process, exp: Experiment, compiled: Compiled, cut: str | None, computed: bool) -> _End:
    """What the raw file says. It is open in here only: it will be moved, and Windows moves no open file."""
    raw = written_raw(guest)
    ends = raw.records(Kind.END)
    reason = raw.end_reason or cut
    if reason is None:
        raise crash(guest, exp.modules)
    virtual_s = int(ends.at_ns[-1]) / 1e9 if len(ends) else None
    raise_agent_error(raw, compiled.why)
    said = limits.overrun(guest.folder, exp.raw_limit) or limits.too_much(raw, compiled.layout)
    if computed:  # however it went on without that program
        reason, said = limits.STOPPED, limits.computing(raw, compiled.layout)
    return _End(reason, virtual_s, raw.last_ns / 1e9 if virtual_s is None else virtual_s, said)


def manifest(
    identity: Identity, exp: Experiment, sysctls: Mapping[str, Any], layout: Mapping[str, Any]
) -> dict[str, Any]:
    """What is known of a result before it is measured; then "virtual_s", "wall_s" and "end" join it."""
    return {
        **identity,
        "experiment": json.loads(exp.to_json()),
        "seed": exp.seed,
        "versions": versions(),
        "sysctls": sysctls,
        "layout": layout,
    }


def write_result(guest: Process, facts: Mapping[str, Any]) -> Path:
    """raw and manifest.json in a folder of their own, whose name the guest did not know."""
    try:
        folder = folder_beside(guest.folder)
        try:
            open_written(guest.folder, _RAW).close()
            (guest.folder / _RAW).rename(folder / _RAW)
        except FileNotFoundError:
            (folder / _RAW).touch()
        write_manifest(folder, facts)
    except OSError as error:
        raise cache_folder.unusable(error) from None
    return folder


def write_manifest(folder: Path, facts: Mapping[str, Any]) -> None:
    """manifest.json beside `raw`, whose size and checksum it holds."""
    raw = folder / "raw"
    files = {"raw": {"size": raw.stat().st_size, "sha256": sha256(raw)}}
    (folder / MANIFEST).write_bytes(seal({**facts, "files": files}))


def written_raw(guest: Process) -> Raw:
    """What the agent has written so far. Raises LabKernelError if somebody else has."""
    try:
        with open_written(guest.folder, _RAW) as file:
            return Raw.open(file)
    except FileNotFoundError:
        return Raw(b"")


_ROOM_BYTES = 64 << 10
_ALL = 1 << 20  # lines: those of whoever needed memory last come after the finding
NOT_STARTED = 125  # the keeper's and the shim's status when the program could not be started as it must
_KILLED = 128 + 9  # by SIGKILL, which the kernel sends when there is no more memory
_NO_MEMORY = re.compile("panic.*(deadlocked on memory|[Oo]ut of memory)")


def crash(guest: Process, modules: Sequence[str]) -> LabkitError:
    """What to say of a guest that ended without a result. modules: of the experiment; where there
    are any, what the console says may be theirs, and says nothing of this machine."""
    if shutil.disk_usage(guest.folder).free < _ROOM_BYTES:
        return cache_folder.unusable(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(guest.folder)))
    if not modules and (withheld := shortage.heard(guest.console(_ALL))):
        return withheld
    if found := finding(guest.console(_ALL)):
        return LabKernelError(found)
    if again := spoilt(guest.program):
        return damaged(guest.program, again)
    said = guest.console()
    if guest.status == NOT_STARTED and "walls: " in said:  # once they stand, nobody in a guest can end so
        wall = said.partition("walls: ")[2].splitlines()[0]
        return SetupError(
            f"no run without walls around the guest, and this machine refuses one ({wall}): SECURITY.md says "
            "what they need; a container's own profile may forbid it"
        )
    if guest.status == _KILLED and (limit := cgroups.memory_limit()):
        return LabKernelError(
            f"the guest was killed, most likely for memory: all that runs here together may hold "
            f"{limit >> 20} MiB (a cgroup's limit): close other notebooks, or have the limit raised"
        )
    if _NO_MEMORY.search(guest.console(_ALL)):
        return LabKernelError("the guest ran out of memory: write memory='1GiB' in the Experiment, or more")
    return LabKernelError(
        f"the run ended without a result (status {guest.status}); its last words:\n{quoted(said) or '(none)'}"
    )


def versions() -> dict[str, str]:
    """Of what made a result."""
    return {
        "labkit": _version("labkit"),
        "python": platform.python_version(),
        "pyroute2": _version("pyroute2"),
    }


@functools.cache
def _version(package: str) -> str:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return "unknown"


_PRUNE_EVERY = 64
_kept = itertools.count()
"""Not by a time stamp: the folder's own is of its latest result, and says nothing of when it was pruned."""


def _prune_sometimes(spare: Path) -> None:
    if next(_kept) % _PRUNE_EVERY == 0:
        store.prune(spare=spare)
