"""What runs the kernel in WebAssembly here: the program of its module that was made on this machine, else the
one that the package labkit-kernel brings, else node with that module. All give the same bytes."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labkit.errors import SetupError
from labkit.execute.artifacts import binaries
from labkit.execute.artifacts.ready import ReadyProgram, install, ready, ready_program
from labkit.execute.guest.kernel.build import KernelNotBuilt
from labkit.execute.machine.system import has_keeper
from labkit.execute.wasm.asyncified import asyncified
from labkit.execute.wasm.kernel.wasm_kernel import COMMAND
from labkit.execute.wasm.linked import Linked, linked
from labkit.execute.wasm.sources import sources_key
from labkit.execute.wasm.translated import translated

MACHINE = Path(__file__).parent / "machine"

NO_PROGRAM = f"the kernel in WebAssembly is not a program of this machine yet: `{COMMAND}` takes some minutes"


@dataclass(frozen=True)
class Engine:
    """command: absolute path first; the MiB of memory and the descriptors of the gate come behind it.
    identity: what decides the results: kernel and module. kept: the keeper is here that it runs under."""

    command: tuple[str, ...]
    identity: dict[str, Any]
    kept: bool

    @property
    def as_program(self) -> bool:
        """Whether it is as fast as the guest, or faster; node is not."""
        return len(self.command) == 1


def engine() -> Engine:
    """Raises SetupError naming what would make or bring one."""
    module: Linked | None = None
    lacking: SetupError = KernelNotBuilt(NO_PROGRAM)
    try:
        module = linked()
    except SetupError as error:  # no module, or a system on which none can be made
        lacking = error
    if module and (program := translated(module)):
        return Engine((str(program),), _of(module), True)
    if made := _fitting():
        identity = _identity(made.release, made.kernel, made.module)
        kept = has_keeper() and (module is not None or _keeper_came_along())
        return Engine((str(made.program),), identity, kept)
    if module and (command := _by_node(module)):
        return Engine(command, _of(module), True)
    if not has_keeper():
        said = "the lab kernel is not on this machine"
        if ready_program():
            said = "the installed labkit-kernel is not of this labkit"
        raise SetupError(f"{said}: {install('kernel')} brings it")
    if isinstance(lacking, KernelNotBuilt):
        raise KernelNotBuilt(f"{lacking}; or {install('kernel')} brings it ready-made")
    raise lacking


def _by_node(module: Linked) -> tuple[str, ...]:
    """Its command; empty where there is no node, or no form of the module for it."""
    node = shutil.which("node")
    with contextlib.suppress(KernelNotBuilt):
        return (node, str(MACHINE / "wasm_node.mjs"), str(asyncified(module))) if node else ()
    return ()


def _of(module: Linked) -> dict[str, Any]:
    return _identity(module.kernel.release, module.kernel.key, module.key)


def _identity(release: str, kernel: str, module: str) -> dict[str, Any]:
    """The agent is part of the module."""
    return {
        "kernel": {"release": release, "key": kernel},
        "module": {"key": module},
        "agent": {"key": module},
    }


def _fitting() -> ReadyProgram | None:
    """The ready-made one, if it is of this labkit."""
    made = ready_program()
    return made if made and made.sources == sources_key() else None


def _keeper_came_along() -> bool:
    """Where the C library is another than the guest's (musl, an old glibc), the package is the program alone,
    and there may be no compiler."""
    made = ready()
    return made is not None and made.sources == binaries.sources_key()
