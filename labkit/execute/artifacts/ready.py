"""What the packages `labkit-kernel` and `labkit-kernel-tree` bring ready-made: the lab kernel, C programs and
modules; the kernel in WebAssembly as a program, which is all that there is for most systems; and what modules
of one's own are compiled against. How they are made is in scripts/wheels/.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

KERNEL_PACKAGE, TREE_PACKAGE = "labkit_kernel", "labkit_kernel_tree"
NOTE = "complete.json"
PROGRAM_FOLDER = "wasm"


def install(extra: str) -> str:
    """The command that brings an extra of this labkit, from the folder of our wheels: they are not on PyPI,
    where another package is called so. With quotes that Windows has, too."""
    return f'pip install --find-links dist "labkit[{extra}]=={metadata.version("labkit")}"'


@dataclass(frozen=True)
class Ready:
    """An installed labkit-kernel. recipe, sources: hashes of what its kernel and its C programs were made of,
    by which it is known to be this labkit's. key: the kernel's, as if it had been built here."""

    folder: Path
    release: str
    key: str
    recipe: str
    sources: str

    @property
    def linux(self) -> Path:
        return self.folder / "linux"

    @property
    def tree(self) -> Path:
        """Of labkit-kernel-tree, if that is of the same kernel; else a folder that does not exist."""
        other = _package(TREE_PACKAGE)
        fits = other is not None and _note(other).get("key") == self.key
        return other / "tree" if other and fits else self.folder / "tree"

    def module(self, key: str) -> Path | None:
        """A module by the key of its source (kernel.modules), or, of the kernel's own source, by its name."""
        return next((self.folder / "modules" / key).glob("*.ko"), None)


def ready() -> Ready | None:
    """What is installed, whether it fits or not; None where it is not, or not whole. Less than a millisecond:
    it is looked for each time, so that a notebook finds what its reader has just installed."""
    folder = _package(KERNEL_PACKAGE)
    if folder is None:
        return None
    note = _note(folder)
    try:
        found = Ready(folder, *(str(note[name]) for name in ("release", "key", "recipe", "sources")))
        return found if found.linux.stat().st_size == note["size"] else None
    except (KeyError, OSError):
        return None


@dataclass(frozen=True)
class ReadyProgram:
    """The kernel in WebAssembly, as a program for this system. release, kernel, module: what it was made of,
    by which its results are known; sources: a hash of what all of that was made of."""

    program: Path
    release: str
    kernel: str
    module: str
    sources: str


def ready_program() -> ReadyProgram | None:
    """That of an installed labkit-kernel, whether it fits or not; None where there is none, or not whole."""
    package = _package(KERNEL_PACKAGE)
    if package is None:
        return None
    folder = package / PROGRAM_FOLDER
    note = _note(folder)
    try:
        program = folder / str(note["program"])
        words = (str(note[name]) for name in ("release", "kernel", "module", "sources"))
        return ReadyProgram(program, *words) if program.stat().st_size == note["size"] else None
    except (KeyError, OSError):
        return None


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    if spec is None:
        importlib.invalidate_caches()  # it may be a second old
        spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _note(folder: Path) -> dict[str, object]:
    try:
        note = json.loads((folder / NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}
