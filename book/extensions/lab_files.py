"""The laboratory that the site carries, in `_static/lab`: scripts, the machine of a browser tab, a list.

Scripts lie there as in the repository, so that one finds the other in both. Pieces are what is fetched and
looked at by digest (book/live/lab/pieces.mjs): the machine, under names that change with what is in them, and
whatever other extensions have put into PUT_THERE. `pieces.json` names them; it is written last.

Where the machine is not made (`make tab`), the site is built without a laboratory, and shows its recordings.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

import labkit
from labkit.errors import SetupError
from labkit.execute.tab.pieces import Pieces, pieces

FOLDER = "lab"
LISTING = "pieces.json"
PUT_THERE = ("python",)
"""Folders below `_static/lab` that other extensions fill, when "build-finished" calls them before LAST: each
file is listed as it lies there."""
LAST = 900

_ROOMS = "bench chapters lab offline programs widgets"
BOOK = Path(__file__).parents[1]
LABKIT = Path(labkit.__file__).parent
MIRRORED: Mapping[str, Path] = {
    "labkit/decode/js": LABKIT / "decode/js",
    "labkit/charts/js": LABKIT / "charts/js",
    "labkit/results/js": LABKIT / "results/js",
    "labkit/player/js": LABKIT / "player/js",
    "labkit/player/static": LABKIT / "player/static",
    "labkit/execute/tab/machine": LABKIT / "execute/tab/machine",
    **{f"book/live/{room}": BOOK / "live" / room for room in _ROOMS.split()},
}
"""Beside the rooms of book/live lies what npm installs."""
SERVED = {".mjs", ".js", ".css", ".json", ".svg"}
NOT_SERVED = {"node.mjs", "sw.mjs"}

log = logging.getLogger(__name__)


@functools.cache
def machine() -> Pieces | str:
    """The tab's machine; or why there is none."""
    try:
        return pieces()
    except SetupError as none:
        return str(none)


def is_carried() -> bool:
    """Whether the site has a laboratory: pages without one load no script of it."""
    return isinstance(machine(), Pieces)


def scripts() -> Iterator[tuple[Path, str]]:
    """Every file that is mirrored, and its path below `_static/lab`."""
    for there, folder in MIRRORED.items():
        for path in sorted(folder.rglob("*")):
            if path.suffix in SERVED and path.name not in NOT_SERVED:
                yield path, f"{there}/{path.relative_to(folder).as_posix()}"


def write(lab: Path, found: Pieces) -> None:
    """Scripts, machine and listing into this folder. What others have put there stays."""
    for path, there in scripts():
        target = lab / there
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    shutil.rmtree(lab / "machine", ignore_errors=True)  # of an earlier build
    files = {
        "wasm": _machine_piece(lab, "v86", gzip.compress(found.wasm.read_bytes(), mtime=0)),
        "state": _machine_piece(lab, "state", found.state.read_bytes()),
    }
    for folder in PUT_THERE:
        for path in sorted((lab / folder).rglob("*")):
            if path.is_file():
                name = path.relative_to(lab).as_posix()
                files[name] = _piece(name, path.read_bytes())
    listing = {"format": 1, "kernel": found.kernel.release, "files": files}
    (lab / LISTING).write_text(json.dumps(listing, indent=1) + "\n", encoding="utf-8")


def _machine_piece(lab: Path, stem: str, compressed: bytes) -> dict[str, Any]:
    """Into a file of its own. Its name says nothing of compression: servers that know `.gz` would undo it."""
    path = f"machine/{stem}-{hashlib.sha256(compressed).hexdigest()[:16]}.bin"
    (lab / path).parent.mkdir(parents=True, exist_ok=True)
    (lab / path).write_bytes(compressed)
    return {**_piece(path, compressed), "gzip": True}


def _piece(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def lay(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    found = machine()
    if isinstance(found, Pieces):
        write(Path(app.outdir) / "_static" / FOLDER, found)
    else:
        log.info("the site has no laboratory, only recordings: %s", found)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", lay, priority=LAST)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
