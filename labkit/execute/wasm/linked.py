"""The module: the kernel, the agent as its process 1, and what asyncify adds.

Made once per user, and found again. How the kernel is compiled is in kernel/; what runs it, in machine/.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import AGENT
from labkit.execute.guest.kernel.build import KernelBuild, KernelNotBuilt, build, find_kernel
from labkit.execute.guest.kernel.tools import run
from labkit.execute.session.progress import Report, bar
from labkit.execute.wasm.clang import FLAGS, tools, version
from labkit.execute.wasm.kernel.wasm_kernel import COMMAND, WASM

HERE = Path(__file__).parent
_OWN = HERE / "agent"
_NOT_HERE = ("guest.c",)

_MODULE, _PLAIN, _AGENT, _COMPLETE = "lab.wasm", "plain.wasm", "agent.a", "complete.json"
_KEPT = (_MODULE, _PLAIN, _AGENT)
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
_REWRITING = 300
"""What asyncify takes, in compiled files of the agent."""
_ASYNCIFY = ("--asyncify", "--pass-arg=asyncify-imports@lab.switch_to", "-O2")


@dataclass(frozen=True)
class Linked:
    """module: the file; key: of all that it is made of."""

    module: Path
    kernel: KernelBuild
    key: str

    @property
    def plain(self) -> Path:
        """Without asyncify: for what has stacks of its own for the kernel's tasks."""
        return self.module.parent / _PLAIN

    @property
    def agent(self) -> Path:
        """Its objects: for another link."""
        return self.module.parent / _AGENT


def linked() -> Linked:
    """The one that is there: nobody waits for one that is being made, as the guest can do what it can. Raises
    SetupError naming what makes it."""
    found = _named(find_kernel(WASM))
    if not _whole(found.module.parent):
        raise KernelNotBuilt(f"the kernel in WebAssembly is not linked yet: `{COMMAND}` takes some minutes")
    return found


def make(progress: Report | None = None, *, force: bool = False) -> Linked:
    """The one that is there, or made now: ten minutes. force: the kernel is built even if it is there. Raises
    SetupError, KernelBuildError."""
    tools()
    made = _named(build(progress, WASM, force=force))
    folder = made.module.parent
    if force or not _whole(folder):
        try:
            with bar(lines=True) if progress is None else contextlib.nullcontext(progress) as report:
                _make(made, folder, report)
        except OSError as error:
            raise cache.unusable(error) from None
    return made


def link(kernel: Path, agent: Path, to: Path, *, log: Path) -> None:
    """The plain form, of all that is in two archives."""
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
    digest = hashlib.sha256(f"{_COMPILE} {_LINK} {_ASYNCIFY} {_KEPT}\n".encode())
    for path in [*agent_sources(), *sorted(AGENT.glob("*.h")), *sorted(_OWN.rglob("*.h"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _make(wanted: Linked, folder: Path, progress: Report) -> None:
    """Into a folder beside it, then renamed: two at once do not collide, half is never whole."""
    cache.folder("wasm")
    making = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    log = making / "build.log"
    sources = agent_sources()
    total = len(sources) + _REWRITING
    try:
        for done, path in enumerate(sources):
            progress(done, total, "compiling the agent for WebAssembly")
            compiler = [tools().clang, *_COMPILE, *_INCLUDED]
            run([*compiler, "-c", str(path), "-o", f"{path.stem}.o"], making, log=log)
        objects = sorted(path.name for path in making.glob("*.o"))
        run([tools().archiver, "qc", _AGENT, *objects], making, log=log)
        link(wanted.kernel.linux, making / _AGENT, making / _PLAIN, log=log)
        progress(len(sources), total, "giving each task of the lab kernel a stack: some minutes")
        run([tools().optimizer, *_ASYNCIFY, _PLAIN, "-o", _MODULE], making, log=log)
        progress(total, total, "giving each task of the lab kernel a stack")
        for path in making.iterdir():
            if path.name not in _KEPT:
                path.unlink()
        sizes = {name: (making / name).stat().st_size for name in _KEPT}
        facts = {"sizes": sizes, "kernel": wanted.kernel.key}
        (making / _COMPLETE).write_text(json.dumps(facts, indent=1))
        shutil.rmtree(folder, ignore_errors=True)  # one that is not whole
        making.rename(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _whole(folder: Path) -> bool:
    try:
        note = json.loads((folder / _COMPLETE).read_bytes())
        return all((folder / name).stat().st_size == note["sizes"][name] for name in _KEPT)
    except (OSError, ValueError, KeyError, TypeError):
        return False
