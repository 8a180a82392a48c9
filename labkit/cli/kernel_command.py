"""`labkit kernel`: what is built and where; `labkit kernel build`."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from labkit.cli import FAILED, OK
from labkit.cli.ending import end_cleanly
from labkit.cli.text import size, table
from labkit.errors import SetupError
from labkit.execute.guest.boot import module_file
from labkit.execute.guest.kernel.build import (
    BARE,
    COMPLETE,
    GUEST,
    KernelBuild,
    KernelNotBuilt,
    build,
    find_kernel,
)
from labkit.execute.machine.system import has_keeper
from labkit.execute.session.progress import bar
from labkit.execute.wasm.engine import engine

if TYPE_CHECKING:
    from labkit.execute.wasm.linked import Linked


def main(arguments: argparse.Namespace) -> int:
    """Build, the modules included, or describe. Raises SetupError, ModuleBuildError."""
    kind = BARE if arguments.bare else GUEST
    if arguments.action == "build":
        end_cleanly(arguments.beside)
    if arguments.wasm or arguments.native:
        return _wasm(arguments)
    if arguments.action == "build":
        made = build(_silent if arguments.beside else None, kind, force=arguments.force)
        print(describe(made))
        module_file(
            "labnic", bare=arguments.bare
        )  # now: the first chapter that needs it should not wait for the compiler
        return OK
    try:
        print(describe(find_kernel(kind)))
        return OK
    except SetupError as error:
        program = "" if kind is BARE else _program()
        if not program and not isinstance(error, KernelNotBuilt):
            raise
        print(f"{program}\n\nno guest: {error}" if program else error)
        return OK if program and not has_keeper() else FAILED


def _program() -> str:
    """What runs experiments where no guest does; nothing, if nothing does."""
    try:
        made = engine()
    except SetupError:
        return ""
    kernel = made.identity["kernel"]
    rows = [("release", kernel["release"]), ("key", kernel["key"]), ("program", made.command[0])]
    return table(("lab kernel in WebAssembly", ""), rows)


def _silent(done: int, total: int, what: str) -> None:
    """Those who wait for it show how far it is."""


def _wasm(arguments: argparse.Namespace) -> int:
    from labkit.execute.wasm.linked import linked, make
    from labkit.execute.wasm.translated import COMMAND, translated

    try:
        build = arguments.action == "build"
        # by --native --force the program alone is made again
        made = make(force=arguments.force and arguments.wasm) if build else linked()
    except KernelNotBuilt as error:
        print(error)
        return FAILED
    if arguments.native and build:
        _native(made, force=arguments.force)
    print(describe(made.kernel))
    print(f"\nwith the agent: {made.module} ({size(made.module.stat().st_size)})")
    if program := translated(made):
        print(f"as a program: {program} ({size(program.stat().st_size)})")
    elif arguments.native:
        print(f"it is not a program of this machine yet: `{COMMAND}` takes some minutes")
        return FAILED
    return OK


def _native(module: Linked, *, force: bool) -> None:
    from labkit.execute.wasm.compilers import compiler
    from labkit.execute.wasm.translated import make

    with bar(lines=True) as report:
        make(module, compiler(), report, force=force)


def describe(built: KernelBuild) -> str:
    """A build in lines."""
    note = json.loads((built.folder / COMPLETE).read_text())
    rows = [
        ("release", built.release),
        ("key", built.key),
        ("source", str(note.get("source", "unknown"))),
        ("compiler", str(note.get("compiler", "unknown"))),
        ("built in", f"{note['seconds']} s" if "seconds" in note else "unknown"),
        ("program", f"{built.linux} ({size(built.linux.stat().st_size)})"),
        ("tree", str(built.tree)),
    ]
    return table(("lab kernel", ""), rows)
