"""run(experiment): compile, execute in a place, keep the raw files with a manifest, hand out a Result."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labkit.compile.compiler import Compiled, compile_experiment
from labkit.decode.folder import sha256
from labkit.decode.raw import END_OUT, END_REASONS, Kind, Raw
from labkit.errors import LabKernelError, LabkitError, LimitReached, SpecError
from labkit.execute import cache as places_cache
from labkit.execute import store
from labkit.execute.binaries import binaries
from labkit.execute.faults import raise_agent_error
from labkit.execute.process import Guest
from labkit.spec import Experiment

if TYPE_CHECKING:
    from labkit.results.result import Result

PLACES = ("lab", "host")
_STOP_GRACE_S = 10.0
_CLOCK, _BEAT_S = "clock", 0.1
Identity = dict[str, Any]
Progress = Callable[[float], object]


def run(
    exp: Experiment, *, cache: bool = True, place: str = "lab", progress: Progress | None = None
) -> Result:
    """Run an experiment and return its Result.

    cache=False runs it even if a result is at hand. place: "lab" (virtual time, needs nothing) or
    "host" (real time on this machine's own kernel). progress: called ten times a second with the
    virtual time reached (s); what it raises ends the run, and nothing of it stays. Raises
    LimitReached, which holds what was measured, when the run meets its time_limit or wall_limit;
    AgentError when the kernel refuses a step; LabKernelError when the guest dies; UnsupportedError;
    SetupError.
    """
    if place not in PLACES:
        raise SpecError(f'place={place!r}: write "lab" or "host"')
    boot = _boot_lab if place == "lab" else _boot_host
    compiled = compile_experiment(exp, place=place)
    modules = _modules(compiled) if place == "lab" else {}
    identity = _identity(exp, compiled, place, modules)
    name = store.key(identity)
    if cache and place == "lab" and (found := store.find(name)) is not None:
        return _result(found)
    files = {"program": compiled.program, **modules} | ({_CLOCK: b""} if progress else {})
    started = time.monotonic()
    with boot(exp, compiled, files) as guest:
        import labkit.results.result  # noqa: F401  pandas takes longer than many a run: load it meanwhile

        return _finish(guest, exp, compiled, identity, name, started, progress)


def _result(folder: Path) -> Result:
    from labkit.results.result import Result

    return Result(folder)


def _boot_lab(exp: Experiment, compiled: Compiled, files: dict[str, bytes]) -> Guest:
    from labkit.execute.guest import boot as lab_kernel

    memory = lab_kernel.memory_mb(flows=len(exp.flows), buffers_kb=compiled.buffers_kb, asked=exp.memory)
    return lab_kernel.boot(files, memory)


def _boot_host(exp: Experiment, compiled: Compiled, files: dict[str, bytes]) -> Guest:
    from labkit.execute.host import machine as host

    host.check(exp)
    return host.start(files)


def _modules(compiled: Compiled) -> dict[str, bytes]:
    """The experiment's modules, compiled for the lab kernel: name in the run folder -> bytes."""
    if not compiled.modules:
        return {}
    from labkit.execute.guest.boot import module_file

    return {f"module{i}.ko": module_file(m).read_bytes() for i, m in enumerate(compiled.modules)}


def _identity(exp: Experiment, compiled: Compiled, place: str, modules: dict[str, bytes]) -> Identity:
    """Everything that decides the bytes of a result."""
    facts: Identity = {
        "format": 1,
        "spec_digest": exp.digest(),
        "program_sha256": hashlib.sha256(compiled.program).hexdigest(),
        "place": place,
        "agent": {"key": binaries().key},
        "modules": {name: hashlib.sha256(data).hexdigest() for name, data in modules.items()},
    }
    if place == "lab":
        from labkit.execute.guest.kernel.build import kernel

        built = kernel()
        facts["kernel"] = {"release": built.release, "key": built.key}
    else:
        facts["kernel"] = {"release": platform.release(), "key": "host"}
    return facts


def _finish(
    guest: Guest,
    exp: Experiment,
    compiled: Compiled,
    identity: Identity,
    name: str,
    started: float,
    progress: Progress | None,
) -> Result:
    """Wait for the end and make the result's folder inside the run folder, so that it moves as one."""
    in_time = _wait(guest, exp.wall_limit, progress)
    wall_s = time.monotonic() - started
    raw_file = guest.folder / "raw"
    raw = Raw.open(raw_file) if raw_file.exists() else Raw(b"")
    ends = raw.records(Kind.END)
    if not len(ends) and in_time:
        raise crash(guest)
    raise_agent_error(raw, compiled.why)
    reason = END_REASONS[int(raw.heads(ends, END_OUT)["reason"][-1])] if len(ends) else "stopped"
    virtual_s = int(raw.records(Kind.END).at_ns[-1]) / 1e9 if len(ends) else None
    manifest = {
        **identity,
        "experiment": json.loads(exp.to_json()),
        "seed": exp.seed,
        "versions": versions(),
        "sysctls": compiled.sysctls,
        "layout": compiled.layout,
        "virtual_s": virtual_s,
        "wall_s": round(wall_s, 6),
        "end": {"reason": reason},
    }
    folder = write_result(guest, manifest)
    if reason in ("limit", "stopped"):
        kept = store.keep(folder, f"{name}-cut")
        raise LimitReached(_limit_message(exp, reason, virtual_s), _result(kept))
    kept = store.keep(folder, name)
    _prune_sometimes(kept)
    return _result(kept)


def write_result(guest: Guest, manifest: dict[str, Any]) -> Path:
    """raw and manifest.json in a folder of their own."""
    folder = guest.folder / "result"
    try:
        folder.mkdir()
        if (guest.folder / "raw").exists():
            (guest.folder / "raw").rename(folder / "raw")
        else:
            (folder / "raw").touch()
        write_manifest(folder, manifest)
    except OSError as error:
        raise places_cache.unusable(error) from None
    return folder


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """manifest.json beside `raw`, whose size and checksum it holds."""
    raw = folder / "raw"
    files = {"raw": {"size": raw.stat().st_size, "sha256": sha256(raw)}}
    (folder / "manifest.json").write_text(json.dumps(manifest | {"files": files}, indent=1))


def _wait(guest: Guest, wall_limit_s: float, progress: Progress | None = None) -> bool:
    """Until the guest has ended; past the limit ask it to stop, then make it. Was it in time?"""
    deadline = time.monotonic() + wall_limit_s
    while (left_s := deadline - time.monotonic()) > 0:
        if guest.wait(left_s if progress is None else min(left_s, _BEAT_S)):
            return True
        if progress is not None:
            progress((guest.folder / _CLOCK).stat().st_size / 1000)
    (guest.folder / "stop").touch()
    if not guest.wait(_STOP_GRACE_S):
        guest.kill()
    return False


_ROOM_BYTES = 64 << 10


def crash(guest: Guest) -> LabkitError:
    """What to say of a guest that ended without a result."""
    if shutil.disk_usage(guest.folder).free < _ROOM_BYTES:
        return places_cache.unusable(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    said = guest.console() or "(it said nothing)"
    return LabKernelError(f"the run ended without a result (status {guest.status}); its last words:\n{said}")


def _limit_message(exp: Experiment, reason: str, virtual_s: float | None) -> str:
    kept = "what was measured is in this error's `result`"
    if reason == "limit":
        return f"not finished after {exp.time_limit:g} s of virtual time (time_limit): raise it; {kept}"
    at = "" if virtual_s is None else f", at {virtual_s:.3f} s of virtual time"
    return f"stopped after {exp.wall_limit:g} s of wall time (wall_limit){at}: raise it; {kept}"


def versions() -> dict[str, str]:
    """Of what made a result."""
    return {
        "labkit": _version("labkit"),
        "python": platform.python_version(),
        "pyroute2": _version("pyroute2"),
    }


def _version(package: str) -> str:
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return "unknown"


_PRUNE_EVERY = 64
_kept = 0


def _prune_sometimes(_: Path) -> None:
    global _kept
    _kept += 1
    if _kept % _PRUNE_EVERY == 1:
        store.prune()
