"""The module: the kernel, and the agent as its process 1.

Made once per user, and found again. How the kernel is compiled is in kernel/; what runs it, in machine/ and
native/.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import AGENT
from labkit.execute.artifacts.whole import is_whole, making
from labkit.execute.guest.kernel.build import KernelBuild, KernelNotBuilt, build, find_kernel
from labkit.execute.guest.kernel.tools import run
from labkit.execute.session.progress import Report, bar
from labkit.execute.wasm.clang import FLAGS, tools, version
from labkit.execute.wasm.kernel.wasm_kernel import COMMAND, WASM

HERE = Path(__file__).parent
_OWN = HERE / "agent"
_NOT_HERE = ("guest.c", "processes.c")

_MODULE, _AGENT = "lab.wasm", "agent.a"
_KEPT = (_MODULE, _AGENT)
_COMPILE = (
    *FLAGS,
    *("-O2", "-std=gnu11", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Werror"),
    # The machine's own headers, as they are for 32 bits: the kernel has the same structs
    *("-nostdlibinc", "-D__i386__", "-D__linux__", "-D__unix__", "-D_TIME_BITS=64"),
    *("-Dmain=agent_main", "-Dabort=agent_abort"),
    *("-isystem", "/usr/include/x86_64-linux-gnu", "-isystem", "/usr/include"),
)
_INCLUDED = (f"-I{_OWN / 'include'}", f"-I{AGENT}")
_LINK = (
    *("--no-entry", "--strip-debug", "--import-memory", "--export=__stack_pointer", "--no-gc-sections"),
    # The edges of tables lie between their pieces: these stay in their order
    "--no-merge-data-segments",
    # A pointer below a page counts as an error
    *("--stack-first", "-z", "stack-size=131072"),
    # kfree_rcu() hands on an offset below 4096 in the place of a function: no function has such a number
    "--table-base=8192",
)


@dataclass(frozen=True)
class Linked:
    """module: the file; key: of all that it is made of."""

    module: Path
    kernel: KernelBuild
    key: str

    @property
    def agent(self) -> Path:
        """Its objects: for another link."""
        return self.module.parent / _AGENT


def linked() -> Linked:
    """The one that is there: nobody waits for one that is being made, as the guest can do what it can. Raises
    SetupError naming what makes it."""
    found = _named(find_kernel(WASM))
    if not is_whole(found.module.parent):
        raise KernelNotBuilt(f"the kernel in WebAssembly is not linked yet: `{COMMAND}` takes some minutes")
    return found


def make(progress: Report | None = None, *, force: bool = False) -> Linked:
    """The one that is there, or made now: some minutes. force: the kernel is built even if it is there.
    Raises SetupError, KernelBuildError."""
    tools()
    made = _named(build(progress, WASM, force=force))
    if force or not is_whole(made.module.parent):
        with bar(lines=True) if progress is None else contextlib.nullcontext(progress) as report:
            _make(made, report)
    return made


def link(kernel: Path, agent: Path, to: Path, *, log: Path) -> None:
    """The module of all that is in two archives."""
    archives = ("--whole-archive", str(kernel), str(agent))
    run([tools().linker, *_LINK, *archives, "-o", to.name], to.parent, log=log)


def agent_sources() -> list[Path]:
    """The agent's C files, with those for this kernel in place of the guest's."""
    shared = [path for path in AGENT.glob("*.c") if path.name not in _NOT_HERE]
    return sorted([*shared, *_OWN.glob("*.c")])


def _named(built: KernelBuild) -> Linked:
    key = hashlib.sha256(f"{built.key} {_of_agent()} {version()}\n".encode()).hexdigest()[:16]
    return Linked(cache.place("wasm") / key / _MODULE, built, key)


@functools.cache
def _of_agent() -> str:
    """A hash of all that is in the module besides the kernel, and how they are linked."""
    digest = hashlib.sha256(f"{_COMPILE} {_LINK} {_KEPT}\n".encode())
    for path in [*agent_sources(), *sorted(AGENT.glob("*.h")), *sorted(_OWN.rglob("*.h"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _make(wanted: Linked, progress: Report) -> None:
    sources = agent_sources()
    with making(wanted.module.parent, _KEPT, kernel=wanted.kernel.key) as folder:
        log = folder / "build.log"
        for done, path in enumerate(sources):
            progress(done, len(sources), "compiling the agent for WebAssembly")
            compiler = [tools().clang, *_COMPILE, *_INCLUDED]
            run([*compiler, "-c", str(path), "-o", f"{path.stem}.o"], folder, log=log)
        objects = sorted(path.name for path in folder.glob("*.o"))
        run([tools().archiver, "qc", _AGENT, *objects], folder, log=log)
        link(wanted.kernel.linux, folder / _AGENT, folder / _MODULE, log=log)
        progress(len(sources), len(sources), "compiling the agent for WebAssembly")
