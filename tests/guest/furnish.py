"""A second cache with the kernels in it, labkit in a process of its own: for tests of places and users."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import labkit
from labkit.errors import SetupError
from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries
from labkit.execute.guest.kernel.build import COMPLETE, KernelBuild, kernel
from labkit.execute.wasm.linked import linked
from labkit.execute.wasm.translated import translated

ROOT = Path(labkit.__file__).parents[1]


def furnish(folder: Path, *, link: bool = False) -> Path:
    """The kernels and the native programs, copied or linked into a new cache, readable for everybody."""
    put = _linked if link else _copied
    memo = cache.place("kernel") / "memo.json"
    _kernel(folder, kernel(), put)
    if memo.exists():
        shutil.copy2(memo, folder / "kernel" / "memo.json")
    (folder / "native").mkdir()
    put(binaries().keeper.parent, folder / "native" / binaries().key)
    with contextlib.suppress(SetupError):  # there is none in WebAssembly
        module = linked()
        program = translated(module)
        _kernel(folder, module.kernel, put)
        (folder / "wasm").mkdir()
        for made in (module.module.parent, *([program.parent] if program else [])):
            put(made, folder / "wasm" / made.name)
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755)
    return folder


def _kernel(folder: Path, built: KernelBuild, put: Callable[[Path, Path], object]) -> None:
    place = folder / "kernel" / built.key
    (place / "tree").mkdir(parents=True)
    put(built.linux, place / "linux")
    shutil.copy2(built.folder / COMPLETE, place / COMPLETE)


def _linked(made: Path, place: Path) -> None:
    place.symlink_to(made)


def _copied(made: Path, place: Path) -> None:
    if made.is_dir():
        shutil.copytree(made, place)
    else:
        shutil.copy2(made, place)


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
