"""What makes a program of the C that the module is translated to: this machine's compiler, or zig's for
another machine."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.wasm.clang import first_line

TARGETS = (
    "x86_64-linux-musl",
    "aarch64-linux-musl",
    "x86_64-windows-gnu",
    "x86_64-macos.13.0",
    "aarch64-macos.13.0",
)
"""What a program can be made for here, as zig names it; macOS with the oldest that it starts on."""

_OF_SYSTEM = {
    "linux": ("-static",),
    "windows": ("-Wl,/Brepro",),  # without the time, so that the same source gives the same bytes
}

HERE = f"{platform.machine()}-{sys.platform}"

_CLANG = "clang-19"
_TOGETHER = ("-flto=thin", "-fuse-ld=lld", "-Wl,--fatal-warnings", "-Wno-unused-command-line-argument")
"""All of it is optimised as one, by the compiler and the linker that made the module. What the compiler would
say of a frame (translated.py) is the linker's to say then."""

_APT = "sudo apt install clang-19"


@dataclass(frozen=True)
class Compiler:
    """command: of a compiler that links, too; version: in words; target: one of TARGETS, or HERE; options:
    that only it needs; counts: whether it reads those of clang (counted.py)."""

    command: tuple[str, ...]
    version: str
    target: str
    options: tuple[str, ...] = ()
    counts: bool = True

    @property
    def windows(self) -> bool:
        """Whether programs for Windows are made."""
        return "windows" in self.target


def compiler() -> Compiler:
    """CC, else clang 19, with which the module was made, else cc. Raises SetupError."""
    names = [named] if (named := os.environ.get("CC")) else [_CLANG, "cc"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        raise SetupError(f"no C compiler ({', '.join(names)}): {_APT}")
    version = first_line(found)
    together = _TOGETHER if Path(found).name == _CLANG else ()
    return Compiler((found,), version, HERE, together, counts="clang" in version)


def compiler_for(target: str) -> Compiler:
    """zig's, whatever this machine is: its headers and libraries are in the package. Raises SetupError."""
    if target not in TARGETS:
        raise SetupError(f"target {target!r}: one of {', '.join(TARGETS)}")
    if find_spec("ziglang") is None:
        raise SetupError("no zig, which compiles for other machines: pip install ziglang")
    zig = (sys.executable, "-m", "ziglang")
    version = subprocess.run([*zig, "version"], capture_output=True, text=True, check=True).stdout.strip()
    kept = f"ZIG_GLOBAL_CACHE_DIR={cache.place('zig')}"  # its C libraries, compiled
    system = target.split("-")[1]
    command = ("env", kept, *zig, "cc", "-target", target)
    return Compiler(
        command, f"zig {version}", target, ("-fno-sanitize=all", "-g0", *_OF_SYSTEM.get(system, ()))
    )
