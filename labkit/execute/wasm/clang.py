"""The compiler and the linker that make WebAssembly: Debian's, of one version, by name."""

from __future__ import annotations

import functools
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.guest.kernel.memo import Memo

_CLANG = "clang-19"
TARGET = "wasm32-unknown-unknown"
FLAGS = (f"--target={TARGET}", "-mbulk-memory", "-msign-ext", "-mmutable-globals")
"""For every file, the kernel's too (kernel/arch/Makefile)."""

PACKAGES = "sudo apt install clang-19 libclang-rt-19-dev lld-19 llvm-19"
_RUNTIME = f"lib/linux/libclang_rt.profile-{platform.machine()}.a"  # of programs that count


@dataclass(frozen=True)
class Tools:
    """Absolute paths. archiver: the kernel's Makefile asks for it by name, as for its kin of this package.
    counts: merges what programs have counted."""

    clang: str
    linker: str
    archiver: str
    counts: str


def tools() -> Tools:
    """Raises SetupError naming those that are not there, and the packages."""
    names = (_CLANG, "wasm-ld-19", "llvm-ar-19", "llvm-profdata-19")
    found = {name: path for name in names if (path := shutil.which(name))}
    lacking = [name for name in names if name not in found]
    if not lacking and not Path(_said(found[_CLANG], f"-print-file-name={_RUNTIME}")).is_absolute():
        lacking = [Path(_RUNTIME).name]
    if lacking:
        raise SetupError(f"the kernel in WebAssembly cannot be made without {', '.join(lacking)}: {PACKAGES}")
    return Tools(*found.values())


@functools.cache
def version() -> str:
    """Of the compiler, in a line. Where it is gone (an image that keeps only the cache), of the one that was
    here last; empty where there never was one."""
    memo = Memo(cache.place("kernel") / "memo.json")  # the compiler takes 40 ms to say it
    found = shutil.which(_CLANG)
    if found is None:
        return memo.get(_CLANG) or ""
    said = memo.about("version", Path(found), lambda: first_line(found))
    if memo.get(_CLANG) != said:
        memo.put(_CLANG, said)
    return said


def first_line(program: str) -> str:
    """Of what a program says of its version."""
    return _said(program, "--version").partition("\n")[0].strip()


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
