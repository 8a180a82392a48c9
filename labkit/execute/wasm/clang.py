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

PACKAGES = "sudo apt install clang-19 lld-19 llvm-19 binaryen"


@dataclass(frozen=True)
class Tools:
    """Absolute paths. archiver: the kernel's Makefile asks for it by name, as for its kin of this package."""

    clang: str
    linker: str
    archiver: str
    optimizer: str


def tools() -> Tools:
    """Raises SetupError naming those that are not there, and the packages."""
    names = ("clang-19", "wasm-ld-19", "llvm-ar-19", "wasm-opt")
    found = {name: path for name in names if (path := shutil.which(name))}
    if lacking := [name for name in names if name not in found]:
        raise SetupError(f"the kernel in WebAssembly cannot be made without {', '.join(lacking)}: {PACKAGES}")
    return Tools(*found.values())


@functools.cache
def version() -> str:
    """Of compiler and optimizer, in a line each; empty where there is none."""
    try:
        found = tools()
    except SetupError:
        return ""
    return f"{_first_line(found.clang)}\n{_first_line(found.optimizer)}"


def _first_line(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.partition("\n")[0].strip()
