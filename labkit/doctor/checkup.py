"""What works on this machine, what does not, why, and what to do about it. Only looks; builds nothing.

But for two things: it compiles the agent if need be (a second), and boots the lab kernel if it is built.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Literal

from labkit.errors import LabkitError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.ready import install
from labkit.execute.machine import cgroups, processors
from labkit.execute.machine.system import has_keeper

State = Literal["ok", "no", "note"]
_FREE_MB = 2048  # for building the kernel and for results
_MEMORY_MB = 512
_PYTHON = (3, 11)
_PACKAGES = ("numpy", "pandas", "pydantic", "pyroute2", "scapy", "altair")
_HOST_FEATURES = ("qdisc netem", "qdisc tbf", "qdisc fq_codel", "mirred", "gact", "nftables fwd")
_PROGRAMS = {
    "ping": "iputils-ping",
    "ip": "iproute2",
    "ethtool": "ethtool",
    "iperf3": "iperf3",
    "nft": "nftables",
}


@dataclass(frozen=True)
class Check:
    """One line of the table. needed: without it the lab does not work.

    state: "ok"; "no": does not work; "note": nothing that the lab needs. todo: what helps.
    """

    what: str
    state: State
    found: str
    todo: str = ""
    needed: bool = False


def doctor() -> list[Check]:
    """Every check, in the order in which things are needed."""
    machine = [_system(), _processors(), _memory(), _python(), _packages(), *_cache()]
    if _program_alone():
        return [*machine, *_kernels()]
    built = [_agent(), _source(), _tools()]
    return [*machine, *built, *_kernels(), *_programs(), *_host_place(), _shared_memory()]


def _program_alone() -> bool:
    """Whether there is no guest here, and none has to be looked for: another system, or another C library
    than a guest's, for which a package brings the program alone."""
    from labkit.execute.guest.kernel.build import has_guest
    from labkit.execute.wasm.engine import engine

    try:
        return not has_keeper() or (not engine().kept and not has_guest())
    except LabkitError:
        return False


def works(checks: list[Check]) -> bool:
    """Does the lab work here?"""
    return not any(check.needed and check.state == "no" for check in checks)


def _system() -> Check:
    from labkit.execute.machine.system import require_system

    name = f"{platform.system()} on {platform.machine()}"
    if _program_alone():
        what = "every experiment without programs or modules of its own"
        return Check("system", "ok", f"{name}: {what}, by the lab kernel in WebAssembly", needed=True)
    try:
        require_system()
    except LabkitError as error:
        return _refused("system", error)
    return Check("system", "ok", name, needed=True)


def _processors() -> Check:
    """How many guests run at once, and what says so."""
    quota, number = cgroups.cpu_quota(), processors.number()
    why = "" if quota is None else f", by a cgroup's quota of {quota:g}"
    return Check("processors", "ok", f"{number}{why}: so many guests at once")


def _memory() -> Check:
    """What a hub or a container gives; notebooks and guests take of it together."""
    if not hasattr(os, "sysconf"):
        return Check("memory", "ok", "no limit of a cgroup's")
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = cgroups.memory_limit()
    if limit is None or limit >= machine:
        return Check("memory", "ok", f"{machine >> 20} MiB, no limit of a cgroup's")
    todo = (
        "" if limit >> 20 >= _MEMORY_MB else f"have {_MEMORY_MB} MiB: JupyterLab, a notebook and its guests"
    )
    return Check("memory", "note" if todo else "ok", f"{limit >> 20} MiB, by a cgroup's limit", todo)


def _python() -> Check:
    version, good = platform.python_version(), sys.version_info >= _PYTHON
    todo = "" if good else f"install Python {_PYTHON[0]}.{_PYTHON[1]} or newer"
    return Check("Python", "ok" if good else "no", version, todo, needed=True)


def _packages() -> Check:
    found, lacking = [], []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lacking.append(name)
    if lacking:
        todo = f"pip install {' '.join(lacking)}, or `make lab`"
        return Check("Python packages", "no", f"without {', '.join(lacking)}", todo, needed=True)
    return Check("Python packages", "ok", ", ".join(found), needed=True)


def _cache() -> Iterator[Check]:
    try:
        folder = cache.folder("runs")
        probe = folder / f".doctor-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except LabkitError as error:
        yield Check(
            "cache", "no", str(error), "name a folder that you may write: LABKIT_CACHE=DIR", needed=True
        )
        return
    except OSError as error:
        yield Check("cache", "no", str(cache.unusable(error)), "LABKIT_CACHE=DIR", needed=True)
        return
    free_mb = shutil.disk_usage(folder).free >> 20
    todo = "" if free_mb > _FREE_MB else "make room (`labkit cache clear`), or name another: LABKIT_CACHE=DIR"
    yield Check("cache", "ok", f"{cache.root(cache.RUNS)}, writable", needed=True)
    for variable, what in cache.SETTINGS.items():
        unset = "" if os.environ.get(variable) else " (not set)"
        yield Check(variable, "ok", f"{cache.root(variable)}{unset}: {what}")
    yield Check("space for the cache", "note" if todo else "ok", f"{free_mb} MB free", todo)


def _agent() -> Check:
    from labkit.execute.artifacts.binaries import binaries

    try:
        made = binaries()
        return Check("agent", "ok", f"{made.key} in {made.keeper.parent}", needed=True)
    except LabkitError as error:
        return _refused("agent", error)


def _refused(what: str, error: LabkitError) -> Check:
    """Errors of labkit end in what helps, behind a colon."""
    found, _, todo = str(error).partition(": ")
    return Check(what, "no", found, " ".join(todo.split()), needed=True)


def _source() -> Check:
    from labkit.execute.guest.kernel import source

    try:
        found, passed_over = source.find()
    except LabkitError as error:
        return _refused("kernel source", error)
    if found:
        return Check("kernel source", "ok", str(found.path))
    why = "; ".join(passed_over) or f"nothing in {source.DISTRIBUTION}"
    return Check("kernel source", "note", why, f"only to build the kernel: {source.HELP}")


def _tools() -> Check:
    from labkit.execute.guest.kernel.tools import PACKAGES, TOOLS

    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        return Check(
            "build tools", "note", f"without {', '.join(lacking)}", f"only to build the kernel: {PACKAGES}"
        )
    return Check("build tools", "ok", ", ".join(TOOLS))


def _kernels() -> Iterator[Check]:
    """One of the two is needed."""
    found = [_wasm(), *([] if _program_alone() else [_guest()])]
    some = any(check.state == "ok" for check in found)
    for check in found:
        lacks = check.state == "no"
        yield replace(check, state="note", needed=False) if some and lacks else check
    if some:
        yield _boots()


def _wasm() -> Check:
    """With it most experiments take less of the processor's time, if it is a program."""
    from labkit.execute.wasm.engine import engine

    what = "kernel in WebAssembly"
    try:
        made = engine()
    except LabkitError as error:
        if not has_keeper():
            return _refused(what, error)
        return Check(what, "no", "not here; most experiments run faster in it", _faster(), needed=True)
    kernel = made.identity["kernel"]
    found = f"Linux {kernel['release']}, {kernel['key']}: {made.command[0]}"
    if made.as_program:
        return Check(what, "ok", found, needed=True)
    return Check(what, "ok", f"{found}, which is slower than a program", _faster(), needed=True)


def _faster() -> str:
    """What brings it as a program."""
    from labkit.execute.wasm.makeable import obstacle

    lacking = obstacle()
    _, _, helps = lacking.partition(": ")
    first = f"{helps}, then " if helps else ""
    builds = "" if lacking and not helps else f"{first}`labkit kernel build`, or "
    return f"for faster runs: {builds}{install('kernel')}"


def _guest() -> Check:
    from labkit.execute.guest.kernel.build import find_kernel

    try:
        built = find_kernel()
    except LabkitError as error:
        return _refused("guest's kernel", error)
    return Check("guest's kernel", "ok", f"Linux {built.release}, {built.key} in {built.folder}", needed=True)


def _boots() -> Check:
    from labkit.results.run import run
    from labkit.spec import Experiment
    from labkit.spec.topologies import pair

    smallest = Experiment(pair(), duration="1ms", probes=[], wall_limit=30)
    started = time.monotonic()
    try:
        result = run(smallest, cache=False)
    except LabkitError as error:
        return Check("boots and runs", "no", str(error), "see the last lines it printed", needed=True)
    took = time.monotonic() - started
    found = f"an empty run ({result.place}) took {result.wall_s:.2f} s, {took:.2f} s with Python's part"
    return Check("boots and runs", "ok", found, needed=True)


def _programs() -> Iterator[Check]:
    for name, package in _PROGRAMS.items():
        path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        if path:
            yield Check(name, "ok", path)
        else:
            yield Check(name, "note", "not here", f"for commands on hosts: sudo apt install {package}")


def _host_place() -> Iterator[Check]:
    """What place="host" finds in this machine's own kernel."""
    from labkit.execute.host import host_place as host
    from labkit.traffic.kind import LAB_CONGESTION_CONTROLS

    what, otherwise = "host place", 'nothing: place="guest" needs none of it'
    try:
        lacks = host.missing(_HOST_FEATURES)
    except LabkitError as error:
        yield Check(what, "note", str(error), otherwise)
        return
    if strange := set(lacks) - set(_HOST_FEATURES):
        yield Check(what, "note", "; ".join(f"{name}: {lacks[name]}" for name in sorted(strange)), otherwise)
        return
    yield Check(what, "ok", f"namespaces work; Linux {platform.release()}")
    for group, names in (
        ("features", {name: name not in lacks for name in _HOST_FEATURES}),
        ("congestion controls", {name: host.has_cc(name) for name in LAB_CONGESTION_CONTROLS}),
    ):
        has, lacking = ([name for name, here in names.items() if here is want] for want in (True, False))
        found = (", ".join(has) or "none") + (f"; not {', '.join(lacking)}" if lacking else "")
        yield Check(
            f"host {group}", "note" if lacking else "ok", found, 'place="guest" has all' * bool(lacking)
        )


def _shared_memory() -> Check:
    """Of no importance, but the first thing that people suspect in a container."""
    try:
        mounts = Path("/proc/mounts").read_text()
        free_mb = shutil.disk_usage("/dev/shm").free >> 20
    except OSError:
        return Check("/dev/shm", "note", "not here", "nothing: guests live in memfds")
    flags = re.search(r"^\S+ /dev/shm \S+ (\S+)", mounts, re.M)
    noexec = ", noexec" if flags and "noexec" in flags[1].split(",") else ""
    return Check("/dev/shm", "note", f"{free_mb} MB free{noexec}", "nothing: guests live in memfds")
