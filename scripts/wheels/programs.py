"""labkit-kernel for systems that have no User-Mode Linux: the kernel in WebAssembly as a program, by zig's
compiler for each of them, from one module. It asks for no library that such a system might lack."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from labkit.execute.artifacts.ready import KERNEL_PACKAGE, NOTE, PROGRAM_FOLDER
from labkit.execute.wasm.compilers import compiler_for
from labkit.execute.wasm.linked import Linked
from labkit.execute.wasm.sources import sources_key
from labkit.execute.wasm.translated import make
from scripts.wheels.packing import Wheel, pack_for

TAGS = {
    # Without a C library of the system's: any glibc, and musl
    "x86_64-linux-musl": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "aarch64-linux-musl": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "x86_64-windows-gnu": "win_amd64",
    "x86_64-macos.13.0": "macosx_13_0_x86_64",
    "aarch64-macos.13.0": "macosx_13_0_arm64",
}
"""What pip calls the machines that a target's program runs on. On Linux on x86-64 with a glibc that is young
enough for it, pip prefers the wheel with the guest's kernel; that has the program, too."""

ALSO_IN_GUEST = "x86_64-linux-musl"
_ABOUT = "The lab kernel of labkit as a program. No code: labkit.execute.artifacts.ready reads it."


_ZIG = "LICENSE"
_NOTICES = {
    "x86_64-linux-musl": (_ZIG, "lib/libc/musl/COPYRIGHT"),
    "aarch64-linux-musl": (_ZIG, "lib/libc/musl/COPYRIGHT"),
    "x86_64-windows-gnu": (_ZIG, "lib/libc/mingw/COPYING"),
    "x86_64-macos.13.0": (_ZIG,),
    "aarch64-macos.13.0": (_ZIG,),
}
"""Of what the compiler links into each target's program: its own functions, a C library. All of them ask that
their notice go with it."""


def require() -> None:
    """Raises SetupError where not all of them can be made."""
    for target in TAGS:
        compiler_for(target)


def made(module: Linked, target: str) -> Path:
    """The program, found or made now: some minutes."""
    return make(module, compiler_for(target))


def with_notices(what: Wheel, target: str) -> Wheel:
    """A wheel that has a target's program."""
    notices = (*what.notices, *(zig() / name for name in _NOTICES[target]))
    return replace(what, notices=notices, noticed=("ZPL-2.1",) if "windows" in target else ())


def zig() -> Path:
    """The folder of the package that has made the program, with the sources of what it links."""
    spec = find_spec("ziglang")
    assert spec and spec.origin, "it has made the program"
    return Path(spec.origin).parent


def add(module: Linked, program: Path, package: Path) -> None:
    """The program and what is to be known of it, into a package's folder."""
    place = package / PROGRAM_FOLDER
    place.mkdir(parents=True)
    shutil.copy(program, place)
    note = {
        "program": program.name,
        "size": program.stat().st_size,
        "release": module.kernel.release,
        "kernel": module.kernel.key,
        "module": module.key,
        "sources": sources_key(),
    }
    (place / NOTE).write_text(json.dumps(note, indent=1, sort_keys=True) + "\n")


def packed(module: Linked, target: str, what: Wheel, out: Path) -> Path:
    """The wheel for a target."""
    with tempfile.TemporaryDirectory() as staged:
        package = Path(staged) / KERNEL_PACKAGE
        add(module, made(module, target), package)
        (package / "__init__.py").write_text(f'"""{_ABOUT}"""\n')
        return pack_for(TAGS[target], Path(staged), with_notices(what, target), out)
