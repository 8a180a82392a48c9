"""The laboratory that the site carries, in `_static/lab`: scripts, the kernel in WebAssembly, a list.

Scripts lie there as in the repository, so that one finds the other in both. Pieces are what is fetched and
looked at by digest (web/lab/pieces.mjs): the kernel in its two forms, of which a browser takes one, and
for chapters that need it with modules of their own (own_modules.py), under names that change with what is in
them; and whatever other extensions have put into PUT_THERE.
`pieces.json` names them; it is written last.

Where the kernel is not made, the site is built without a laboratory, and shows its recordings.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import own_modules
from sphinx.application import Sphinx
from sphinx.util import logging

import labkit
from labkit.errors import SetupError
from labkit.execute.wasm.asyncified import asyncified
from labkit.execute.wasm.clang import tools
from labkit.execute.wasm.linked import Linked, linked

FOLDER = "lab"
LISTING = "pieces.json"
CHAPTERS = "chapters"
"""Below `_static/lab`: a file for each chapter, from live_programs.py."""
PUT_THERE = ("python",)
"""Folders below `_static/lab` that other extensions fill, when "build-finished" calls them before LAST: each
file is listed as it lies there."""
LAST = 900

ROOT = Path(labkit.__file__).parents[1]
WING = "web"
FROM_LABKIT = ("labkit/player/static", "labkit/execute/wasm/machine")
"""What Python uses as well: the packet player's scripts in a notebook, the machine in node."""
NOBLE = f"{WING}/node_modules/@noble/hashes"
"""The library that lab/sha256.mjs imports where a browser has no digests; of it HASHED."""
HASHED = ("sha2.js", "_md.js", "_u64.js", "utils.js")
ESBUILD = ROOT / WING / "node_modules/esbuild"
BUNDLED = "bundled"
"""Beside the rooms of the wing, where esbuild is installed: web/build.mjs."""
SERVED = {".mjs", ".js", ".css", ".json", ".svg"}
NOT_SERVED = {"wasm_node.mjs", "sw.mjs"}

log = logging.getLogger(__name__)


@functools.cache
def machine() -> Linked | str:
    """The kernel in WebAssembly, of which there are both forms; or why not."""
    try:
        found = linked()
        asyncified(found)
        return found
    except SetupError as none:
        return str(none)


def is_carried() -> bool:
    """Whether the site has a laboratory: pages without one load no script of it."""
    return isinstance(machine(), Linked)


def scripts() -> Iterator[tuple[Path, str]]:
    """Every file that is mirrored, and its path below `_static/lab`."""
    rooms = sorted(path for path in (ROOT / WING).iterdir() if path.is_dir() and path.name != "node_modules")
    for folder in (*rooms, *(ROOT / name for name in FROM_LABKIT)):
        for path in sorted(folder.rglob("*")):
            if path.suffix in SERVED and path.name not in NOT_SERVED:
                yield path, path.relative_to(ROOT).as_posix()
    if _has_noble():
        yield from ((ROOT / NOBLE / name, f"{NOBLE}/{name}") for name in HASHED)


def script(path: str) -> str:
    """Where a page finds a script that it starts the laboratory with, of web/: with all that it imports, if
    esbuild is installed (`npm ci` in web)."""
    room = f"{BUNDLED}/{Path(path).name}" if ESBUILD.is_dir() else path
    return f"{FOLDER}/{WING}/{room}"


def _has_noble() -> bool:
    return (ROOT / NOBLE).is_dir()


def write(lab: Path, found: Linked) -> None:
    """Scripts, kernel and listing into this folder. What others have put there stays."""
    for path, there in scripts():
        target = lab / there
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    bundled = lab / WING / BUNDLED
    for old in (lab / "machine", bundled):  # of an earlier build
        shutil.rmtree(old, ignore_errors=True)
    if ESBUILD.is_dir():
        subprocess.run(["node", ROOT / WING / "build.mjs", "--lab", bundled.resolve()], check=True)
    machines = {"plain": found.module, "lab": asyncified(found)}
    machines |= own_modules.made(lab / CHAPTERS, found)
    files = {name: _machine_piece(lab, name, path) for name, path in machines.items()}
    for folder in PUT_THERE:
        for path in sorted((lab / folder).rglob("*")):
            if path.is_file():
                name = path.relative_to(lab).as_posix()
                files[name] = _piece(name, path.read_bytes())
    listing = {"format": 1, "kernel": found.kernel.release, "files": files}
    (lab / LISTING).write_text(json.dumps(listing, indent=1) + "\n", encoding="utf-8")


def _machine_piece(lab: Path, name: str, module: Path) -> dict[str, Any]:
    """Into a file of its own. Its name says nothing of compression: servers that know `.gz` would undo it."""
    compressed = gzip.compress(_without_names(module), mtime=0)
    path = f"machine/{name}-{hashlib.sha256(compressed).hexdigest()[:16]}.bin"
    (lab / path).parent.mkdir(parents=True, exist_ok=True)
    (lab / path).write_bytes(compressed)
    return {**_piece(path, compressed), "gzip": True}


def _without_names(module: Path) -> bytes:
    """Those of its functions are a tenth of it."""
    with tempfile.TemporaryDirectory() as room:
        made = Path(room, module.name)
        strip = Path(tools().archiver).with_name("llvm-strip-19")
        subprocess.run([strip, "--strip-all", module, "-o", made], check=True)
        return made.read_bytes()


def _piece(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def lay(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    found = machine()
    if isinstance(found, Linked):
        if not _has_noble():
            log.info("the site's laboratory runs over https: alone: `npm ci` in web installs %s", NOBLE)
        write(Path(app.outdir) / "_static" / FOLDER, found)
    else:
        log.info("the site has no laboratory, only recordings: %s", found)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lay, priority=LAST)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
