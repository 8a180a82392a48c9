"""The menu "Download this page": a chapter's notebook, as it was recorded, and the text of any page, in MyST.

The theme's own menu has a button that runs a script of the page's, which the site's policy forbids.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MENU = "download-buttons"
SOURCES = "_sources"
AFTER_THE_THEME = 510


def add(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """To every page that is written from a source."""
    if doctree is None:
        return
    there = {path.suffix: path for path in _files(app, page)}
    pathto = context["pathto"]
    entries = [
        {
            "type": "link",
            "text": text,
            "tooltip": tooltip,
            "icon": icon,
            "url": pathto(f"{SOURCES}/{page}{suffix}", 1),
        }
        for suffix, text, tooltip, icon in (
            (".ipynb", "Notebook (.ipynb)", "With all outputs; running it takes labkit", "fas fa-book"),
            (".md", "Text and code (.md)", "MyST, as the page was written", "fas fa-file-lines"),
        )
        if suffix in there
    ]
    if entries:
        context["header_buttons"].append(
            {
                "type": "group",
                "icon": "fas fa-download",
                "label": MENU,
                "tooltip": "Download this page",
                "buttons": entries,
            }
        )


def _files(app: Sphinx, page: str) -> list[Path]:
    """What a page is made of: its text, and its recording if it is a chapter."""
    paths = (Path(app.srcdir, f"{page}{suffix}") for suffix in (".md", ".ipynb"))
    return [path for path in paths if path.is_file()]


def lay(app: Sphinx, exception: Exception | None) -> None:
    """When all pages are written. Sphinx has laid out what it read; a chapter's text lies beside that."""
    if exception is not None or app.builder.format != "html":
        return
    for page in app.env.found_docs:
        for path in _files(app, page):
            target = Path(app.outdir, SOURCES, f"{page}{path.suffix}")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("html-page-context", add, priority=AFTER_THE_THEME)
    app.connect("build-finished", lay)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
