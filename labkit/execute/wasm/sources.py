"""What the module and the program are made of, whatever the compilers: by it a ready-made program is known to
be this labkit's, on machines that can make none."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import TypeVar

from labkit.execute.artifacts.binaries import AGENT

P = TypeVar("P", bound=PurePath)

HERE = Path(__file__).parent
_EXECUTE = HERE.parent
_FOLDERS = (
    *(HERE / "kernel", HERE / "agent", HERE / "native"),
    AGENT,
    *(_EXECUTE / "guest" / "kernel", _EXECUTE / "guest" / "modules"),
)
_RECIPES = (
    "clang.py",
    "counted.py",
    "linked.py",
    "compilers.py",
    "translated.py",
    "kernel/wasm_kernel.py",
    "kernel/edges.py",
)


@functools.cache
def sources_key() -> str:
    """A hash of all of it."""
    paths = {path for folder in _FOLDERS for path in folder.rglob("*") if path.suffix not in (".py", ".pyc")}
    files = [path for path in (*paths, *(HERE / name for name in _RECIPES)) if path.is_file()]
    digest = hashlib.sha256()
    for name, path in by_name(files, _EXECUTE).items():
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def by_name(paths: Iterable[P], below: PurePath) -> dict[str, P]:
    """In an order that is every system's: Windows orders paths as if their letters were all small."""
    return dict(sorted((path.relative_to(below).as_posix(), path) for path in paths))
