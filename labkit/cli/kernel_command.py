"""`labkit kernel`: what is built and where; `labkit kernel build`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

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
    Kind,
    build,
    find_kernel,
)
from labkit.execute.machine.system import has_keeper
from labkit.execute.session.progress import Report

MEANWHILE = "The lab kernel is built meanwhile, in some minutes; the first experiment waits for it."
READY = "The lab kernel is ready."
FASTER = "Experiments run faster from now on: the lab kernel is there in WebAssembly, too."


def main(arguments: argparse.Namespace) -> int:
    """Build, the modules included, or describe. Raises SetupError, ModuleBuildError."""
    if arguments.action == "status":
        return _status(arguments)
    end_cleanly(arguments.beside)
    progress = _silent if arguments.beside else None
    if arguments.bare:
        _build_guest(BARE, progress, force=arguments.force)
    elif arguments.wasm:
        _build_for_node(progress, force=arguments.force)
    elif arguments.native:
        _build_program(progress, force=arguments.force)
    else:
        _build_all(progress, _tell if arguments.beside else _silent, force=arguments.force)
    return OK


def _silent(*_: object) -> None:
    """Those who wait for it show how far it is."""


def _tell(news: str) -> None:
    print(news, file=sys.stderr, flush=True)


def _build_all(progress: Report | None, tell: Callable[[str], None], *, force: bool) -> None:
    """What experiments run in on this machine. The guest's kernel first: with it all of them can run."""
    from labkit.execute.wasm.makeable import obstacle

    waited_for = not _is_there(GUEST)
    if waited_for:
        tell(MEANWHILE)
    _build_guest(GUEST, progress, force=force)
    if waited_for:
        tell(READY)
    if _program() and not force:
        return
    if lacking := obstacle():
        print(_slower(lacking))
        return
    _build_program(progress, force=force)
    tell(FASTER)


def _build_guest(kind: Kind, progress: Report | None, *, force: bool) -> None:
    print(_described(build(progress, kind, force=force)))
    # Now: the first chapter that needs it should not wait for the compiler
    module_file("labnic", bare=kind is BARE)


def _build_program(progress: Report | None, *, force: bool) -> None:
    from labkit.execute.wasm import linked, translated
    from labkit.execute.wasm.compilers import compiler

    module = linked.make(progress, force=force)
    program = translated.make(module, compiler(), progress, force=force)
    print(f"{_described(module.kernel)}\n{_in_webassembly(program)}")


def _build_for_node(progress: Report | None, *, force: bool) -> None:
    from labkit.execute.wasm import asyncified, linked

    module = linked.make(progress, force=force)
    print(f"{_described(module.kernel)}\n{_in_webassembly(asyncified.make(module, progress, force=force))}")


def _status(arguments: argparse.Namespace) -> int:
    """OK: all of it is there that can be. Raises SetupError."""
    if arguments.bare:
        parts = [_bare]
    elif arguments.wasm:
        parts = [_for_node]
    elif arguments.native:
        parts = [_as_program]
    else:
        parts = [_guest, _as_program_if_possible]
    whole = OK
    for part in parts:
        try:
            print(part())
        except KernelNotBuilt as error:
            print(error)
            whole = FAILED
    return whole


def _guest() -> str:
    try:
        return _described(find_kernel(GUEST))
    except SetupError as none:
        if has_keeper():
            raise
        return str(none)  # no guest can be here


def _bare() -> str:
    return _described(find_kernel(BARE))


def _for_node() -> str:
    from labkit.execute.wasm import asyncified, linked

    module = linked.linked()
    return f"{_described(module.kernel)}\n{_in_webassembly(asyncified.asyncified(module))}"


def _as_program() -> str:
    from labkit.execute.wasm.engine import NO_PROGRAM, engine

    if program := _program():
        return _in_webassembly(program)
    engine()  # which says what is lacking, but where node does it
    raise KernelNotBuilt(NO_PROGRAM)


def _as_program_if_possible() -> str:
    from labkit.execute.wasm.makeable import obstacle

    lacking = obstacle() if has_keeper() and not _program() else ""
    return _slower(lacking) if lacking else _as_program()


def _program() -> Path | None:
    """What experiments run in that need no guest, if it is as fast as it can be here."""
    from labkit.execute.wasm.engine import engine

    try:
        found = engine()
    except SetupError:
        return None
    return Path(found.command[0]) if found.as_program else None


def _is_there(kind: Kind) -> bool:
    try:
        find_kernel(kind)
    except KernelNotBuilt:
        return False
    return True


def _slower(lacking: str) -> str:
    return f"in WebAssembly, where runs take less of the processor's time: not here: {lacking}"


def _in_webassembly(made: Path) -> str:
    return f"in WebAssembly: {made} ({size(made.stat().st_size)})"


def _described(built: KernelBuild) -> str:
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
