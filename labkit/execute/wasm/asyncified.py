"""The module for what has no stacks of its own for the kernel's tasks: node, and browsers without JavaScript
Promise Integration. asyncify, a pass of binaryen's, lets a task's frames be taken off the one stack that
there is (machine/asyncify.mjs). It takes minutes, and a program of this machine does without (translated.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.whole import is_whole, making
from labkit.execute.guest.kernel.build import KernelNotBuilt
from labkit.execute.guest.kernel.tools import run
from labkit.execute.session.progress import Report, bar
from labkit.execute.wasm.clang import first_line
from labkit.execute.wasm.linked import Linked

COMMAND = "labkit kernel build --wasm"

_NAME = "asyncified.wasm"
_OPTIONS = ("--asyncify", "--pass-arg=asyncify-imports@lab.switch_to", "-O2")
_DOING = "giving each task of the lab kernel a stack"


def asyncified(module: Linked) -> Path:
    """The one that is there. Raises KernelNotBuilt."""
    made = cache.place("wasm").glob(f"{_prefix(module)}-*/{_NAME}")
    if found := next((path for path in sorted(made) if is_whole(path.parent)), None):
        return found
    raise KernelNotBuilt(
        f"the kernel in WebAssembly is not rewritten for node yet: `{COMMAND}` takes some minutes"
    )


def make(module: Linked, progress: Report | None = None, *, force: bool = False) -> Path:
    """The one of this binaryen that is there, or made now. Raises SetupError, KernelBuildError."""
    optimizer = shutil.which("wasm-opt")
    if optimizer is None:
        raise SetupError("the kernel cannot be rewritten without wasm-opt: sudo apt install binaryen")
    tool = hashlib.sha256(f"{_OPTIONS} {first_line(optimizer)}".encode()).hexdigest()[:8]
    folder = cache.place("wasm") / f"{_prefix(module)}-{tool}"
    if force or not is_whole(folder):
        with (
            bar(lines=True) if progress is None else contextlib.nullcontext(progress) as report,
            making(folder, (_NAME,), module=module.key) as room,
        ):
            report(0, 1, f"{_DOING}: some minutes")
            run([optimizer, *_OPTIONS, str(module.module), "-o", _NAME], room, log=room / "build.log")
            report(1, 1, _DOING)
    return folder / _NAME


def _prefix(module: Linked) -> str:
    return f"asyncified-{module.key}"
