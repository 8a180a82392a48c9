"""The lab programs of the chapters' widgets on the site: a file for each chapter, in `_static/lab/chapters`.

They are compiled when the site is built, from the chapters' own code (live/); no kernel is needed. For what
was not foreseen there is labkit itself, in `_static/lab/python`. What has been made once is kept in labkit's
cache, by a hash of all that decides it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from lab_files import FOLDER, LAST, is_carried
from live import bundles, python_files, slices
from sphinx.application import Sphinx
from sphinx.util import logging

import labkit
from labkit.errors import SetupError
from labkit.execute.artifacts import cache

CHAPTERS = "chapters"
ROOM = "pages"  # of labkit's cache

log = logging.getLogger(__name__)


def made(stems: Sequence[str], chapters: Path) -> dict[str, Path]:
    """The files of these chapters, whose notebooks lie in `chapters`; what is not at hand is made."""
    kept = {stem: cache.folder(ROOM) / f"{stem}-{key(chapters / f'{stem}.ipynb')}.json" for stem in stems}
    missing = [(stem, chapters, path) for stem, path in kept.items() if not path.is_file()]
    if len(missing) > 1:
        with ProcessPoolExecutor(min(len(missing), os.cpu_count() or 1)) as pool:
            list(pool.map(_make, *zip(*missing, strict=True)))
    else:
        for one in missing:
            _make(*one)
    return kept


def write(folder: Path, stems: Sequence[str], chapters: Path) -> None:
    """The same into this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, path in made(stems, chapters).items():
        (folder / f"{stem}.json").write_bytes(path.read_bytes())


@functools.cache
def refusals(stem: str, chapters: Path) -> dict[str, str]:
    """Why some of a chapter's widgets are not run in a page, by their names."""
    widgets = json.loads(made([stem], chapters)[stem].read_text(encoding="utf-8"))["widgets"]
    return {name: widget["refused"] for name, widget in widgets.items() if widget["refused"]}


def key(notebook: Path) -> str:
    """Of the chapter's notebook and of all code that makes its file."""
    return hashlib.sha256(_code() + notebook.read_bytes()).hexdigest()[:16]


@functools.cache
def _code() -> bytes:
    digest = hashlib.sha256()
    here = Path(__file__).parent / "live"
    for folder in (Path(labkit.__file__).parent, here):
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    if bundles.NEEDS.is_file():
        digest.update(bundles.NEEDS.read_bytes())
    return digest.digest()


def _make(stem: str, chapters: Path, kept: Path) -> None:
    """Whole or not at all: two builds at once do not collide."""
    text = json.dumps(bundles.chapter(stem, chapters), separators=(",", ":"), ensure_ascii=False)
    with tempfile.NamedTemporaryFile("w", dir=kept.parent, delete=False, encoding="utf-8") as made:
        made.write(text)
    os.replace(made.name, kept)


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
    try:
        python_files.write(lab / "python")
    except SetupError as missing:
        log.info("the site compiles no experiments of its readers: %s", missing)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("env-updated", prepare)
    app.connect("build-finished", lay, priority=LAST - 100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
