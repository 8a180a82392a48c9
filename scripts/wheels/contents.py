"""What lies in labkit-kernel and labkit-kernel-tree, taken from this user's cache.
Modules lie as in the cache, by the key of their source; those of the kernel's own source by their name."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from labkit.execute.artifacts import cache
from labkit.execute.artifacts.binaries import binaries, sources_key
from labkit.execute.artifacts.ready import NOTE
from labkit.execute.guest.boot import MODULES, module_file
from labkit.execute.guest.kernel import config
from labkit.execute.guest.kernel.build import COMPLETE, KernelBuild
from labkit.execute.guest.kernel.modules import contents, module_key
from labkit.execute.wasm.linked import Linked
from scripts.wheels import programs

_MARK = ".keep"  # a wheel has no empty folders, and the guest mounts upon these


def kernel_package(built: KernelBuild, place: Path, program: tuple[Linked, Path] | None = None) -> None:
    """Kernel, C programs, modules and a note of what they were made of. place: a folder that there is not.
    program: of the kernel in WebAssembly, and what it was made of."""
    made = binaries()
    place.mkdir(parents=True)
    _code(place, "The lab kernel of labkit, ready-made. No code: labkit.execute.artifacts.ready reads it.")
    for file in (built.linux, made.shim, made.keeper, made.confine, made.sandbox):
        shutil.copy(file, place)
    shutil.copytree(made.root, place / "root")
    for point in (place / "root").iterdir():
        if point.is_dir():
            (point / _MARK).touch()
    with _no_modules():
        for source in sorted(MODULES.iterdir()):
            path = source if (source / "Kbuild").exists() else source / f"{source.name}.c"
            _module(place, module_key(contents(path), built), module_file(source.name))
        for name in config.LOADABLE:
            _module(place, name, module_file(name))
    note = json.loads((built.folder / COMPLETE).read_bytes())
    del note["seconds"]  # which two builds of the same kernel do not share
    note |= {"source": Path(note["source"]).name, "key": built.key, "sources": sources_key()}
    (place / NOTE).write_text(json.dumps(note, indent=1, sort_keys=True) + "\n")
    if program:
        programs.add(*program, place)


@contextmanager
def _no_modules() -> Iterator[None]:
    """The kernel of the user's cache, and none of its modules: all are compiled now, by this labkit."""
    with tempfile.TemporaryDirectory(prefix="labkit-wheels-") as folder:
        places = {cache.KERNEL: str(cache.root(cache.KERNEL)), cache.CACHE: folder}
        with patch.dict(os.environ, places):
            yield


def tree_package(built: KernelBuild, place: Path) -> None:
    """What modules are compiled against, without its links."""
    place.mkdir(parents=True)
    _code(place, "The tree of labkit's lab kernel. No code: labkit.execute.artifacts.ready reads it.")
    shutil.copytree(built.tree, place / "tree", symlinks=False)
    (place / NOTE).write_text(json.dumps({"release": built.release, "key": built.key}, indent=1) + "\n")


def _code(place: Path, about: str) -> None:
    (place / "__init__.py").write_text(f'"""{about}"""\n')


def _module(place: Path, key: str, file: Path) -> None:
    (place / "modules" / key).mkdir(parents=True)
    shutil.copy(file, place / "modules" / key)
