"""A second cache with the kernel in it, and labkit in a process of its own: for tests of places and users."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import labkit
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest.kernel.build import COMPLETE, kernel

ROOT = Path(labkit.__file__).parents[1]


def furnish(folder: Path, *, link: bool = False) -> Path:
    """The kernel and the native programs, copied or linked into a new cache, readable for everybody."""
    built, native = kernel(), binaries()
    memo = cache.root() / "kernel" / "memo.json"
    place = folder / "kernel" / built.key
    (place / "tree").mkdir(parents=True)
    put = os.symlink if link else shutil.copy2
    put(built.linux, place / "linux")
    shutil.copy2(built.folder / COMPLETE, place / COMPLETE)
    if memo.exists():
        shutil.copy2(memo, folder / "kernel" / "memo.json")
    (folder / "native").mkdir()
    if link:
        (folder / "native" / native.key).symlink_to(native.keeper.parent)
    else:
        shutil.copytree(native.keeper.parent, folder / "native" / native.key)
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    return folder


def python(
    code: str,
    *arguments: str,
    prefix: Sequence[str] = (),
    interpreter: str = sys.executable,
    env: Mapping[str, str] | None = None,
    timeout: float = 300,
    **settings: str,
) -> subprocess.CompletedProcess[str]:
    """Run a few lines in a fresh interpreter; env replaces the environment, settings add to it."""
    environment = dict(os.environ if env is None else env) | {"PYTHONPATH": str(ROOT)} | settings
    command = [*prefix, interpreter, "-c", code, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
