"""The module once more, with congestion controls that are written in cells (%%cc) as part of its kernel.

For a page whose text has the cells: its reader changes their parameters, not them. They are compiled as the
kernel's own files are, without the checks that the guest's compiler puts in. It is linked in a
second or two; that it is not rewritten by asyncify, too, saves minutes (asyncified.py).
"""

from __future__ import annotations

import functools
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from labkit.execute.artifacts import cache, working
from labkit.execute.guest.kernel.tools import run
from labkit.execute.wasm.clang import tools
from labkit.execute.wasm.kernel.wasm_kernel import FLAGS_KEPT, LAST
from labkit.execute.wasm.linked import Linked, link
from labkit.spec.custom_cc import CustomCC


def with_own(module: Linked, ccs: Sequence[CustomCC]) -> Path:
    """The module with these, linked now or once before. Raises KernelBuildError with what the compiler
    says of a cell, SetupError."""
    kept = cache.place("wasm") / f"own-{_key(module, ccs)}.wasm"
    if not kept.is_file():
        try:
            with working.making(cache.folder("wasm")) as making:
                _make(module, ccs, making).replace(kept)
        except OSError as error:
            raise cache.unusable(error, kept) from None
    return kept


def _key(module: Linked, ccs: Sequence[CustomCC]) -> str:
    digest = hashlib.sha256(f"{module.key} {_of_here()}\n".encode())
    for own in ccs:
        digest.update(f"{own.name} {len(own.source)}\n{own.source}".encode())
    return digest.hexdigest()[:16]


@functools.cache
def _of_here() -> str:
    """Of how it is done."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def _make(module: Linked, ccs: Sequence[CustomCC], making: Path) -> Path:
    log = making / "build.log"
    flags = json.loads((module.kernel.tree / FLAGS_KEPT).read_bytes())
    for own in ccs:
        source = making / f"own_{own.name}.c"
        source.write_text(own.source)
        named = [*_names(source.stem), f"-fmacro-prefix-map={making}/="]
        compiler = [tools().clang, *flags, *named, "-c", str(source), "-o", str(source.with_suffix(".o"))]
        run(compiler, module.kernel.tree, log=log)
    kernel = making / "kernel.a"
    shutil.copyfile(module.kernel.linux, kernel)
    objects = [f"own_{own.name}.o" for own in ccs]
    run([tools().archiver, "rb", LAST, kernel.name, *objects], making, log=log)
    made = making / "own.wasm"
    link(kernel, module.agent, made, log=log)
    return made


def _names(module: str) -> list[str]:
    """What make gives for a file that is a module by itself."""
    quoted = ("KBUILD_MODFILE", "KBUILD_BASENAME", "KBUILD_MODNAME")
    return [*(f'-D{name}="{module}"' for name in quoted), f"-D__KBUILD_MODNAME=kmod_{module}"]
