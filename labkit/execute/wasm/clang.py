"""The compiler and the linker that make WebAssembly: Debian's, of one version, by name."""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import dataclass

from labkit.errors import SetupError

TARGET = "wasm32-unknown-unknown"
FLAGS = (f"--target={TARGET}", "-mbulk-memory", "-msign-ext", "-mmutable-globals")
"""For every file, the kernel's too (kernel/arch/Makefile)."""

PACKAGES = "sudo apt install clang-19 lld-19 llvm-19"


@dataclass(frozen=True)
class Tools:
    """Absolute paths. archiver: the kernel's Makefile asks for it by name, as for its kin of this package."""

    clang: str
    linker: str
    archiver: str


def tools() -> Tools:
    """Raises SetupError naming those that are not there, and the packages."""
    names = ("clang-19", "wasm-ld-19", "llvm-ar-19")
    found = {name: path for name in names if (path := shutil.which(name))}
    if lacking := [name for name in names if name not in found]:
        raise SetupError(f"the kernel in WebAssembly cannot be made without {', '.join(lacking)}: {PACKAGES}")
    return Tools(*found.values())


@functools.cache
def version() -> str:
    """Of the compiler, in a line; empty where there is none."""
    try:
        return first_line(tools().clang)
    except SetupError:
        return ""


def first_line(program: str) -> str:
    """Of what a program says of its version."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].strip()
