"""The lab programs of the chapters' widgets on the site: a file for each chapter, in `_static/lab/chapters`.

They are compiled when the site is built, from the chapters' own code (live/); no kernel is needed. For what
was not foreseen there is labkit itself, in `_static/lab/python`. What has been made once is kept in labkit's
cache, by a hash of all that decides it: the notebook and the modules that were loaded to make it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lab_files import CHAPTERS, FOLDER, LAST, is_carried
from live import bundles, presets, python_files, slices
from sphinx.application import Sphinx
from sphinx.util import logging

import labkit
from labkit.errors import SetupError
from labkit.execute.artifacts import cache

BITS = "bits"  # the folder with what the kernel gave for recorded runs, a file a chapter
RECORDED_BITS = Path(__file__).parents[1] / "data/recorded_bits.json"
ROOM = "pages"  # of labkit's cache
HOME = Path(labkit.__file__).parent

log = logging.getLogger(__name__)


def made(stems: Sequence[str], chapters: Path) -> dict[str, Path]:
    """The files of these chapters, whose notebooks lie in `chapters`; what is not at hand is made."""
    kept = {stem: at_hand(stem, chapters) for stem in stems}
    missing = [stem for stem, path in kept.items() if path is None]
    if missing:
        workers = min(len(missing), os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:  # fresh: it has loaded what it needs
            kept |= zip(missing, pool.map(_make, missing, repeat(chapters)), strict=True)
    return {stem: path for stem, path in kept.items() if path is not None}


def at_hand(stem: str, chapters: Path) -> Path | None:
    """A chapter's file, if it has been made of the notebook and of the code as they are."""
    try:
        modules = _list(stem, chapters).read_text().split()
    except FileNotFoundError:
        return None
    path = _file(stem, chapters, modules)
    return path if path.is_file() else None


def write(folder: Path, stems: Sequence[str], chapters: Path) -> None:
    """The same into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, path in made(stems, chapters).items():
        (folder / f"{stem}.json").write_bytes(path.read_bytes())


def write_bits(folder: Path, stems: Sequence[str]) -> None:
    """What the kernel gave for the recorded runs of these chapters (scripts/recorded_bits.py)."""
    known = json.loads(RECORDED_BITS.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems:
        text = json.dumps(known.get(stem, {}), separators=(",", ":"))
        (folder / f"{stem}.json").write_text(text, encoding="utf-8")


@functools.cache
def refusals(stem: str, chapters: Path) -> dict[str, str]:
    """Why some of a chapter's widgets are not run in a page, by their names."""
    widgets = json.loads(made([stem], chapters)[stem].read_text(encoding="utf-8"))["widgets"]
    return {name: widget["refused"] for name, widget in widgets.items() if widget["refused"]}


def _list(stem: str, chapters: Path) -> Path:
    """Where it says which modules of labkit had a part in it when it was last made."""
    return cache.folder(ROOM) / f"{stem}-{_start(chapters / f'{stem}.ipynb').hex()[:16]}.modules"


def _file(stem: str, chapters: Path, modules: Sequence[str]) -> Path:
    """Where it lies, if it was made of these."""
    digest = hashlib.sha256(_start(chapters / f"{stem}.ipynb"))
    for name in modules:
        digest.update(f"{name}\0".encode() + _digest(HOME / name))
    return cache.folder(ROOM) / f"{stem}-{digest.hexdigest()[:16]}.json"


def _start(notebook: Path) -> bytes:
    """A digest of what has a part in it whatever it loads: the notebook, and the code of live/."""
    here = Path(__file__).parent / "live"
    code = [
        *sorted(here.rglob("*.py")),
        *sorted(bundles.OWN_FIGURES.glob("*.mjs")),
        *sorted(HOME.rglob("*.trace")),
        *sorted(HOME.rglob("*.config")),
    ]
    return hashlib.sha256(b"".join(map(_digest, code)) + notebook.read_bytes()).digest()


@functools.cache
def _digest(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes() if file.is_file() else b"").digest()


def _make(stem: str, chapters: Path) -> Path:
    """Whole or not at all: two builds at once do not collide."""
    text = json.dumps(bundles.chapter(stem, chapters), separators=(",", ":"), ensure_ascii=False)
    loaded = [module.__file__ for name, module in sys.modules.items() if name.split(".")[0] == "labkit"]
    modules = sorted(Path(file).relative_to(HOME).as_posix() for file in loaded if file)
    kept = _file(stem, chapters, modules)
    _put(kept, text)
    _put(_list(stem, chapters), "\n".join(modules))
    return kept


def _put(path: Path, text: str) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as made:
        made.write(text)
    os.replace(made.name, path)


def refused(app: Sphinx, docname: str, name: str) -> str:
    """Why the widget of this name on this page cannot be run there; "" if it can, or if nothing is run."""
    folder, _, stem = docname.rpartition("/")
    if folder != CHAPTERS or not is_carried():
        return ""
    return refusals(stem, Path(app.srcdir) / CHAPTERS).get(name, "")


def prepare(app: Sphinx, env: Any) -> None:
    """All chapters at once, before the first page is written."""
    if app.builder.format == "html" and is_carried():
        made(*_chapters(app))


def _chapters(app: Sphinx) -> tuple[list[str], Path]:
    chapters = Path(app.srcdir) / CHAPTERS
    return [stem for stem in slices.stems(chapters) if f"{CHAPTERS}/{stem}" in app.env.found_docs], chapters


def lay(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written, those of the chapters among them."""
    if exception is not None or app.builder.format != "html" or not is_carried():
        return
    lab = Path(app.outdir) / "_static" / FOLDER
    write(lab / CHAPTERS, *_chapters(app))
    (lab / presets.FILE).write_text(presets.text(), encoding="utf-8")
    write_bits(lab / BITS, _chapters(app)[0])
    try:
        python_files.write(lab / "python")
    except SetupError as missing:
        log.info("the site compiles no experiments of its readers: %s", missing)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-updated", prepare)
    app.connect("build-finished", lay, priority=LAST - 100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
